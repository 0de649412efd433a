// All programs, under all options.
#include "tb/state_space/stack_family.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tb/state_space/case.h"

namespace smsim::state_space {
namespace {

constexpr std::size_t kWrongKept = 5;

Piece piece(PieceKind kind, Choice choice = Choice::kAll) {
    Piece one;
    one.kind = kind;
    one.choice = choice;
    return one;
}

/// The stack holds `depth` and no more; 0 is no depth for simt_stack, and programs that need none have another.
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

Alphabet control_alphabet() {
    Alphabet alphabet;
    for (const Choice choice : {Choice::kOdd, Choice::kLower}) {
        alphabet.leaves.push_back(piece(PieceKind::kBreak, choice));
        alphabet.containers.push_back(piece(PieceKind::kIf, choice));
        alphabet.containers.push_back(piece(PieceKind::kIfElse, choice));
    }
    alphabet.leaves.push_back(piece(PieceKind::kPlain));
    alphabet.leaves.push_back(piece(PieceKind::kExit, Choice::kLower));
    alphabet.leaves.push_back(piece(PieceKind::kBreakOuter, Choice::kOdd));
    alphabet.leaves.push_back(piece(PieceKind::kContinue, Choice::kOdd));
    alphabet.leaves.push_back(piece(PieceKind::kReturn, Choice::kLower));
    for (const Choice choice : {Choice::kByLane, Choice::kReverse}) {
        alphabet.containers.push_back(piece(PieceKind::kLoop, choice));
    }
    alphabet.containers.push_back(piece(PieceKind::kRepeat, Choice::kByLane));
    alphabet.containers.push_back(piece(PieceKind::kCall, Choice::kOdd));
    alphabet.containers.push_back(piece(PieceKind::kCall, Choice::kAll));
    return alphabet;
}

Alphabet barrier_alphabet() {
    Alphabet alphabet;
    alphabet.leaves = {piece(PieceKind::kPlain), piece(PieceKind::kBarrier), piece(PieceKind::kSleep),
                       piece(PieceKind::kExit, Choice::kOdd)};
    alphabet.containers = {piece(PieceKind::kIf, Choice::kOdd), piece(PieceKind::kLoop, Choice::kByLane)};
    return alphabet;
}

std::vector<std::vector<std::string>> options_of(Stack stack) {
    if (stack == Stack::kSimt) {
        return {{"bru.simt_stack.order=minority_first"},
                {"bru.simt_stack.order=fallthrough_first"},
                {"bru.simt_stack.order=taken_first"}};
    }
    return {{"bru.token_stack.order=fallthrough_first"}, {"bru.token_stack.order=taken_first"}};
}

StackFamilyResult run_stack_family(Family &family, Stack stack, const FamilyRun &run) {
    StackFamilyResult result;
    std::vector<std::pair<std::string, BruConfig>> options;
    for (std::vector<std::string> settings : options_of(stack)) {
        settings.insert(settings.end(), run.settings.begin(), run.settings.end());
        options.emplace_back(fmt::format("{}", fmt::join(settings, " ")), rules_of(settings).bru);
    }
    for (std::uint64_t index = run.offset; index < family.size(run.pieces); index += run.stride) {
        const Block program = family.program(run.pieces, index);
        if (!is_lowered(program, stack)) {
            continue;
        }
        const std::vector<std::uint32_t> expected = results_of(program, run.threads, run.warps);
        const ResultCheck check = [&](const Machine &at, const State &state) -> std::optional<std::string> {
            for (unsigned thread = 0; thread < expected.size(); ++thread) {
                const unsigned warp = thread / run.threads;
                const std::uint32_t value = at.value(state, warp, 1, thread % run.threads);
                if (value != expected[thread]) {
                    return fmt::format("R1 of thread {} of warp {} is {}, expected {}", thread % run.threads, warp,
                                       value, expected[thread]);
                }
            }
            return std::nullopt;
        };
        const std::string text = text_of(program, stack, run.threads);
        Setup setup;
        setup.program = assemble_plain(text);
        setup.threads.assign(run.warps, run.threads);
        const auto searched_with = [&](const BruConfig &config) {
            setup.bru = config;
            Machine machine(setup);
            const SearchResult searched = search(machine, check, {run.states});
            result.states += searched.states;
            result.transitions += searched.transitions;
            return searched;
        };
        ++result.programs;
        bool tight = false;
        for (const auto &[name, config] : options) {
            const std::size_t bound = depth_bound(program, stack, run.threads, config);
            BruConfig limited = config;
            limit_depth(limited, stack, bound);
            if (const auto wrong = judge_legal(searched_with(limited))) {
                if (++result.wrong <= kWrongKept) {
                    result.wrong_programs.push_back(
                        fmt::format("program {} of {} pieces, {} warps of {} threads, {}, depth {}:\n{}{}", index,
                                    run.pieces, run.warps, run.threads, name, bound, text, *wrong));
                }
            }
            if (bound > 1 && run.warps == 1) {
                limit_depth(limited, stack, bound - 1);
                tight = tight || overflows(searched_with(limited));
            }
        }
        result.tight += tight ? 1 : 0;
    }
    return result;
}

} // namespace smsim::state_space
