// One program under all options.
#include "tb/state_space/stack_search.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tb/state_space/case.h"

namespace smsim::state_space {
namespace {

constexpr std::size_t kWrongKept = 5;

/// The stack holds exactly `depth`; simt_stack does not allow 0, so programs that need none get another depth.
void limit_depth(BruConfig &config, Stack stack, std::size_t depth) {
    if (stack == Stack::kSimt) {
        config.simt_stack.depth = static_cast<std::int64_t>(std::max<std::size_t>(depth, 1));
    } else {
        config.token_stack.depth = static_cast<std::uint32_t>(depth);
        config.token_stack.spill = false;
    }
}

bool overflows(const SearchResult &searched) {
    return searched.faults.contains(Fault::kStackOverflow);
}

} // namespace

std::vector<std::vector<std::string>> options_of(Stack stack) {
    if (stack == Stack::kSimt) {
        return {{"bru.simt_stack.order=minority_first"},
                {"bru.simt_stack.order=fallthrough_first"},
                {"bru.simt_stack.order=taken_first"}};
    }
    return {{"bru.token_stack.order=fallthrough_first"}, {"bru.token_stack.order=taken_first"}};
}

StackSearch::StackSearch(Stack stack, const FamilyRun &run) : stack_(stack), run_(run) {
    for (std::vector<std::string> settings : options_of(stack)) {
        settings.insert(settings.end(), run.settings.begin(), run.settings.end());
        options_.emplace_back(fmt::format("{}", fmt::join(settings, " ")), rules_of(settings).bru);
    }
    setup_.threads.assign(run.warps, run.threads);
}

SearchResult StackSearch::searched_with(const BruConfig &config, const StackProgram &program) {
    const ResultCheck check = [&](const Machine &at, const State &state) -> std::optional<std::string> {
        for (unsigned thread = 0; thread < program.expected.size(); ++thread) {
            const unsigned warp = thread / run_.threads;
            const std::uint32_t value = at.value(state, warp, 1, thread % run_.threads);
            if (value != program.expected[thread]) {
                return fmt::format("R1 of thread {} of warp {} is {}, expected {}", thread % run_.threads, warp, value,
                                   program.expected[thread]);
            }
        }
        return std::nullopt;
    };
    setup_.bru = config;
    Machine machine(setup_);
    SearchResult searched = search(machine, check, {run_.states});
    result_.states += searched.states;
    result_.transitions += searched.transitions;
    return searched;
}

void StackSearch::search_all_options(const StackProgram &program) {
    setup_.program = assemble_plain(program.text);
    ++result_.programs;
    bool tight = false;
    for (const auto &[name, config] : options_) {
        const std::size_t bound = program.depth_bound(config);
        BruConfig limited = config;
        limit_depth(limited, stack_, bound);
        if (const auto wrong = judge_legal(searched_with(limited, program))) {
            if (++result_.wrong <= kWrongKept) {
                result_.wrong_programs.push_back(fmt::format("program {}, {} warps of {} threads, {}, depth {}:\n{}{}",
                                                             program.index, run_.warps, run_.threads, name, bound,
                                                             program.text, *wrong));
            }
        }
        if (bound > 1 && run_.warps == 1) {
            limit_depth(limited, stack_, bound - 1);
            tight = tight || overflows(searched_with(limited, program));
        }
    }
    result_.tight += tight ? 1 : 0;
}

} // namespace smsim::state_space
