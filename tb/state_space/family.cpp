// Families: numbering of trees, and the comparison with independent threads.
#include "tb/state_space/family.h"

#include <algorithm>

#include <fmt/format.h>

#include "tb/state_space/case.h"
#include "tb/state_space/line_assembler.h"

namespace smsim::state_space {
namespace {

constexpr std::size_t kWrongKept = 5;

Piece leaf(PieceKind kind) {
    Piece piece;
    piece.kind = kind;
    return piece;
}

Piece container(PieceKind kind, Choice choice, int barrier) {
    Piece piece = leaf(kind);
    piece.choice = choice;
    piece.barrier = barrier;
    return piece;
}

template <typename Test> bool contains(const Block &program, Test test) {
    return std::any_of(program.begin(), program.end(), [&](const Piece &piece) {
        return test(piece.kind) || contains(piece.body, test) || contains(piece.other, test);
    });
}

/// What is wrong with a search result, given how independent threads end.
std::optional<std::string> judge(const Independent &independent, const SearchResult &searched) {
    switch (independent.end) {
    case Independent::End::kCompletes:
        return judge_legal(searched);
    case Independent::End::kDeadlock:
        return judge_illegal(searched, Fault::kSyncDeadlock);
    case Independent::End::kEndless:
        break;
    }
    for (const Problem problem : {Problem::kFault, Problem::kStuck, Problem::kViolation, Problem::kTruncated}) {
        if (searched.witness.contains(problem)) {
            return searched.witness.at(problem);
        }
    }
    return searched.ends == 0 ? std::nullopt : std::optional<std::string>("it ends, but cannot");
}

const char *name_of(Independent::End end) {
    switch (end) {
    case Independent::End::kCompletes:
        return "all threads complete";
    case Independent::End::kDeadlock:
        return "threads wait at meetings for ever";
    default:
        return "threads spin for ever";
    }
}

} // namespace

Alphabet full_alphabet() {
    Alphabet alphabet;
    for (const PieceKind kind :
         {PieceKind::kYield, PieceKind::kSleep, PieceKind::kGuardedYield, PieceKind::kMeet, PieceKind::kMeetByRegister,
          PieceKind::kMeetAll, PieceKind::kMeetOdd, PieceKind::kExitOdd, PieceKind::kSpinYield, PieceKind::kSpinSleep,
          PieceKind::kSpinGuarded, PieceKind::kSpinJoin, PieceKind::kSet}) {
        alphabet.leaves.push_back(leaf(kind));
    }
    for (const int barrier : {-1, 0, 1}) {
        for (const Choice choice : {Choice::kOdd, Choice::kLower}) {
            alphabet.containers.push_back(container(PieceKind::kIf, choice, barrier));
            alphabet.containers.push_back(container(PieceKind::kIfElse, choice, barrier));
        }
        for (const Choice choice : {Choice::kByLane, Choice::kReverse}) {
            alphabet.containers.push_back(container(PieceKind::kLoop, choice, barrier));
        }
    }
    return alphabet;
}

Alphabet waiting_alphabet() {
    Alphabet alphabet;
    for (const PieceKind kind : {PieceKind::kYield, PieceKind::kMeet, PieceKind::kExitOdd, PieceKind::kSpinYield,
                                 PieceKind::kSpinJoin, PieceKind::kSet}) {
        alphabet.leaves.push_back(leaf(kind));
    }
    for (const int barrier : {0, 1}) {
        alphabet.containers.push_back(container(PieceKind::kIfElse, Choice::kOdd, barrier));
        alphabet.containers.push_back(container(PieceKind::kIf, Choice::kLower, barrier));
        alphabet.containers.push_back(container(PieceKind::kLoop, Choice::kByLane, barrier));
    }
    return alphabet;
}

// A container of n pieces has a body of n - 1, or body and else, neither empty.
std::uint64_t Family::trees(unsigned pieces) {
    if (pieces <= 1) {
        return pieces == 1 ? alphabet_.leaves.size() : 0;
    }
    std::uint64_t count = 0;
    for (const Piece &container : alphabet_.containers) {
        if (container.kind != PieceKind::kIfElse) {
            count += blocks(pieces - 1);
            continue;
        }
        for (unsigned first = 1; first + 1 < pieces; ++first) {
            count += blocks(first) * blocks(pieces - 1 - first);
        }
    }
    return count;
}

// A block is a first tree and the block after it.
std::uint64_t Family::blocks(unsigned pieces) {
    if (blocks_.empty()) {
        blocks_.push_back(1);
    }
    while (blocks_.size() <= pieces) {
        const auto n = static_cast<unsigned>(blocks_.size());
        std::uint64_t count = 0;
        for (unsigned first = 1; first <= n; ++first) {
            count += trees(first) * blocks_[n - first];
        }
        blocks_.push_back(count);
    }
    return blocks_[pieces];
}

Block Family::program(unsigned pieces, std::uint64_t index) {
    Block block;
    while (pieces > 0) {
        unsigned first = 1;
        for (; index >= trees(first) * blocks(pieces - first); ++first) {
            index -= trees(first) * blocks(pieces - first);
        }
        const std::uint64_t rest = blocks(pieces - first);
        block.push_back(tree(first, index / rest));
        index %= rest;
        pieces -= first;
    }
    return block;
}

Piece Family::tree(unsigned pieces, std::uint64_t index) {
    if (pieces == 1) {
        return alphabet_.leaves[index];
    }
    for (const Piece &container : alphabet_.containers) {
        Piece piece = container;
        if (container.kind != PieceKind::kIfElse) {
            if (index < blocks(pieces - 1)) {
                piece.body = program(pieces - 1, index);
                return piece;
            }
            index -= blocks(pieces - 1);
            continue;
        }
        for (unsigned first = 1; first + 1 < pieces; ++first) {
            const std::uint64_t second = blocks(pieces - 1 - first);
            if (index < blocks(first) * second) {
                piece.body = program(first, index / second);
                piece.other = program(pieces - 1 - first, index % second);
                return piece;
            }
            index -= blocks(first) * second;
        }
    }
    return {}; // not reached: the index is below the number of trees
}

bool is_interesting(const Block &program) {
    const bool sets = contains(program, [](PieceKind kind) { return kind == PieceKind::kSet; });
    const bool spins = contains(program, [](PieceKind kind) {
        return kind == PieceKind::kSpinYield || kind == PieceKind::kSpinSleep || kind == PieceKind::kSpinGuarded ||
               kind == PieceKind::kSpinJoin;
    });
    return sets == spins;
}

FamilyResult run_family(Family &family, const FamilyRun &run) {
    FamilyResult result;
    LineAssembler assembler;
    const Rules rules = rules_of(run.settings);
    for (std::uint64_t index = run.offset; index < family.size(run.pieces); index += run.stride) {
        const Block program = family.program(run.pieces, index);
        if (!is_interesting(program)) {
            continue;
        }
        const Independent independent = run_independently(program, run.threads, run.warps);
        Setup setup;
        const std::string text = text_of(program, run.threads);
        setup.program = assembler.assemble(text);
        setup.threads.assign(run.warps, run.threads);
        setup.sleep_steps = run.sleep_steps;
        setup.bru = rules.bru;
        setup.readings = rules.readings;
        Machine machine(std::move(setup));
        const ResultCheck check = [&](const Machine &at, const State &state) -> std::optional<std::string> {
            for (unsigned thread = 0; thread < independent.r1.size(); ++thread) {
                const std::uint32_t value = at.value(state, thread / run.threads, 1, thread % run.threads);
                if (value != independent.r1[thread]) {
                    return fmt::format("R1 of thread {} of warp {} is {}, expected {}", thread % run.threads,
                                       thread / run.threads, value, independent.r1[thread]);
                }
            }
            return std::nullopt;
        };
        const SearchResult searched = search(machine, check, {run.states});
        ++result.programs;
        result.complete += independent.end == Independent::End::kCompletes ? 1 : 0;
        result.deadlock += independent.end == Independent::End::kDeadlock ? 1 : 0;
        result.endless += independent.end == Independent::End::kEndless ? 1 : 0;
        result.states += searched.states;
        result.transitions += searched.transitions;
        if (const auto wrong = judge(independent, searched)) {
            if (++result.wrong <= kWrongKept) {
                result.wrong_programs.push_back(
                    fmt::format("program {} of {} pieces, {} warps of {} threads ({}):\n{}{}", index, run.pieces,
                                run.warps, run.threads, name_of(independent.end), text, *wrong));
            }
        }
    }
    return result;
}

} // namespace smsim::state_space
