// Step by step, on copies of one state.
#include "tb/independent_rules/stack_comparison.h"

#include <fmt/format.h>

#include "model/isa/condition_tests.h"
#include "tb/independent_rules/comparison.h"
#include "tb/independent_rules/random_stacks.h"
#include "tb/independent_rules/simt_rules.h"
#include "tb/independent_rules/token_rules.h"

namespace smsim::independent_rules {
namespace {

constexpr unsigned kStates = 100;
constexpr unsigned kSteps = 240;

void note(Seen &seen, const bru::StepResult &result) {
    if (result.fault) {
        ++seen.faults[result.fault->fault];
        return;
    }
    ++seen.kinds[result.event.kind];
    if (result.event.kind == bru::StepEvent::Kind::kSync) {
        ++(result.event.passed ? seen.passed : seen.handed_over);
    }
    seen.splits += result.event.split ? 1 : 0;
    seen.refusals += result.refuses_arrivals ? 1 : 0;
}

/// Lets both rules execute `step` on copies of `warp`, and keeps the result of the engine there. `ended`: the warp has
/// ended, or an exception has occurred.
template <typename Random>
std::optional<std::string> compare_step(const Random &random, typename Random::Warp &warp, const RandomStep &step,
                                        Seen &seen, bool &ended) {
    const typename Random::Warp before = warp;
    typename Random::Warp second = warp;
    typename Random::Counters counted;
    typename Random::Counters counted_too;
    const bru::StepResult result = execute_step(warp, step.insn, step.operands(), random.config(), counted);
    const bru::StepResult other = second_step(second, step.insn, step.operands(), random.config(), counted_too);
    note(seen, result);
    ended = result.fault || result.outcome == Outcome::kExited;
    auto found = difference(Behind<typename Random::Warp>{warp, result}, {second, other});
    if (!found) {
        found = difference(counted, counted_too);
    }
    if (found) {
        found = fmt::format("{} at {:#x}: {}; before it {}", step.insn.spec().name, step.insn.pc, *found,
                            description_of(before.state));
    }
    return found;
}

template <typename Random> std::optional<std::string> first_difference(std::uint32_t programs, Seen &seen) {
    for (std::uint32_t seed = 0; seed < programs; ++seed) {
        Random random(seed);
        typename Random::Warp warp = random.started();
        bool ended = false;
        for (unsigned count = 0; count < kSteps && !ended; ++count) {
            const auto step = random.next(warp);
            if (!step) {
                break;
            }
            if (auto found = compare_step(random, warp, *step, seen, ended)) {
                return found;
            }
        }
        for (unsigned count = 0; count < kStates; ++count) {
            warp = random.anywhere();
            const auto step = random.next(warp);
            if (!step) {
                continue;
            }
            if (auto found = compare_step(random, warp, *step, seen, ended)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> simt_difference(std::uint32_t programs, Seen &seen) {
    return first_difference<RandomSimt>(programs, seen);
}

std::optional<std::string> token_difference(std::uint32_t programs, Seen &seen) {
    return first_difference<RandomTokens>(programs, seen);
}

std::optional<std::string> condition_test_difference() {
    // Thread t has the flags Z, S, C, O of the bits of t.
    const ConditionFlags flags{LaneMask(0xaaaaaaaa), LaneMask(0xcccccccc), LaneMask(0xf0f0f0f0), LaneMask(0xff00ff00)};
    for (unsigned number = 0; number < kConditionTests; ++number) {
        const auto test = static_cast<ConditionTest>(number);
        if (isa::find_condition_test(condition_test_name(test)) != test) {
            return fmt::format("the name {} is that of another test", condition_test_name(test));
        }
        const LaneMask found = threads_passing(test, flags);
        for (unsigned t = 0; t < kLanes; ++t) {
            if (found.test(t) != passes(test, flags, t)) {
                return fmt::format("{} of a thread with Z {}, S {}, C {}, O {}", condition_test_name(test), t & 1U,
                                   t >> 1 & 1U, t >> 2 & 1U, t >> 3 & 1U);
            }
        }
    }
    return std::nullopt;
}

} // namespace smsim::independent_rules
