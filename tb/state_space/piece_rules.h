// What the text and the independent threads must agree on: which threads go where and meet whom, and the numbers of
// pieces.
#pragma once

#include "tb/state_space/structured_program.h"

namespace smsim::state_space {

/// R1 is multiplied by this before something is added.
inline constexpr std::uint32_t kFactor = 5;

/// Lanes that go into a branch.
inline LaneMask chosen(Choice choice, unsigned threads) {
    switch (choice) {
    case Choice::kOdd:
        return LaneMask(0xaaaaaaaa) & LaneMask::first(threads);
    case Choice::kAll:
        return LaneMask::first(threads);
    default:
        return LaneMask::first(threads / 2);
    }
}

/// The number of times a lane goes round a loop.
inline unsigned rounds(Choice choice, unsigned lane, unsigned threads) {
    return choice == Choice::kByLane ? lane : threads - 1 - lane;
}

/// Whether a piece is a WARPSYNC.
inline bool is_meeting(PieceKind kind) {
    return kind == PieceKind::kMeet || kind == PieceKind::kMeetByRegister || kind == PieceKind::kMeetAll ||
           kind == PieceKind::kMeetOdd;
}

/// The mask of a meeting at which `lanes` arrive.
inline LaneMask members_of(PieceKind kind, LaneMask lanes, unsigned threads) {
    switch (kind) {
    case PieceKind::kMeetAll:
        return LaneMask::first(threads);
    case PieceKind::kMeetOdd:
        return lanes & chosen(Choice::kOdd, threads);
    default:
        return lanes;
    }
}

/// Whether a piece waits for the flag.
inline bool is_spin(PieceKind kind) {
    return kind == PieceKind::kSpinYield || kind == PieceKind::kSpinSleep || kind == PieceKind::kSpinGuarded ||
           kind == PieceKind::kSpinJoin;
}

/// Lanes that reach a loop's body at least once.
inline LaneMask going_round(Choice choice, unsigned threads) {
    LaneMask lanes;
    for (unsigned lane = 0; lane < threads; ++lane) {
        lanes |= rounds(choice, lane, threads) > 0 ? LaneMask::lane(lane) : LaneMask();
    }
    return lanes;
}

/// Walks a program in text order and numbers the pieces; both uses must agree on numbers and lane sets.
class Numbering {
  public:
    /// The number of the next piece, from 1.
    unsigned next() { return ++last_; }

  private:
    unsigned last_ = 0;
};

} // namespace smsim::state_space
