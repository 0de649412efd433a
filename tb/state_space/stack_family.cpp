// The alphabets, and all their programs.
#include "tb/state_space/stack_family.h"

namespace smsim::state_space {
namespace {

Piece piece(PieceKind kind, Choice choice = Choice::kAll) {
    Piece one;
    one.kind = kind;
    one.choice = choice;
    return one;
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

StackFamilyResult run_stack_family(Family &family, Stack stack, const FamilyRun &run) {
    StackSearch search(stack, run);
    for (std::uint64_t index = run.offset; index < family.size(run.pieces); index += run.stride) {
        const Block program = family.program(run.pieces, index);
        if (is_lowered(program, stack)) {
            search.search_all_options(
                {index, text_of(program, stack, run.threads), results_of(program, run.threads, run.warps),
                 [&](const BruConfig &config) { return depth_bound(program, stack, run.threads, config); }});
        }
    }
    return search.result();
}

} // namespace smsim::state_space
