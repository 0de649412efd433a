// Structured programs: text, and independent threads.
#include "tb/explore/structured_program.h"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace smsim::explore {
namespace {

constexpr std::uint32_t kFactor = 5;
constexpr unsigned kFirstCounter = 5; ///< R5.. count the rounds of nested loops

LaneMask chosen(Choice choice, unsigned threads) {
    switch (choice) {
    case Choice::kOdd:
        return LaneMask(0xaaaaaaaa) & LaneMask::first(threads);
    default:
        return LaneMask::first(threads / 2);
    }
}

unsigned rounds(Choice choice, unsigned lane, unsigned threads) {
    return choice == Choice::kByLane ? lane : threads - 1 - lane;
}

bool is_meeting(PieceKind kind) {
    return kind == PieceKind::kMeet || kind == PieceKind::kMeetByRegister || kind == PieceKind::kMeetAll ||
           kind == PieceKind::kMeetOdd;
}

/// The mask of a meeting to which `lanes` come.
LaneMask members_of(PieceKind kind, LaneMask lanes, unsigned threads) {
    switch (kind) {
    case PieceKind::kMeetAll:
        return LaneMask::first(threads);
    case PieceKind::kMeetOdd:
        return lanes & chosen(Choice::kOdd, threads);
    default:
        return lanes;
    }
}

bool is_spin(PieceKind kind) {
    return kind == PieceKind::kSpinYield || kind == PieceKind::kSpinSleep || kind == PieceKind::kSpinGuarded ||
           kind == PieceKind::kSpinJoin;
}

/// Lanes that come to a loop's body at least once.
LaneMask going_round(Choice choice, unsigned threads) {
    LaneMask lanes;
    for (unsigned lane = 0; lane < threads; ++lane) {
        lanes |= rounds(choice, lane, threads) > 0 ? LaneMask::lane(lane) : LaneMask();
    }
    return lanes;
}

/// Walks a program in the order of its text and numbers the pieces; both uses must agree on numbers and lane sets.
class Numbering {
  public:
    unsigned next() { return ++last_; }

  private:
    unsigned last_ = 0;
};

// --- text ------------------------------------------------------------------------------------------------------------

class Writer {
  public:
    explicit Writer(unsigned threads) : threads_(threads) {}

    std::string write(const Block &program) {
        line("S2R R0, SR_LANEID");
        line("MOV R3, {:#x}", kFactor);
        line("LOP3 R2, R0, 0x1, RZ, 0xc0");
        line("ISETP.NE.AND P0, PT, R2, RZ, PT");
        line("ISETP.LT.AND P1, PT, R0, {:#x}, PT", threads_ / 2);
        line("S2R R4, SR_WARPID");
        line("SHL R4, R4, 0x5"); // the meetings of a warp count in words of their own
        block(program, LaneMask::first(threads_), 0);
        line("EXIT");
        return std::move(text_);
    }

  private:
    template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
        text_ += "    ";
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += ";\n";
    }
    void label(const char *name, unsigned number) {
        fmt::format_to(std::back_inserter(text_), "{}{}:\n", name, number);
    }

    LaneMask block(const Block &pieces, LaneMask lanes, unsigned depth) {
        for (const Piece &piece : pieces) {
            const unsigned number = numbers_.next();
            lanes = one(piece, lanes, depth, number);
            line("IMAD R1, R1, R3, {:#x}", number);
        }
        return lanes;
    }

    LaneMask one(const Piece &piece, LaneMask lanes, unsigned depth, unsigned number) {
        switch (piece.kind) {
        case PieceKind::kYield:
            line("YIELD");
            break;
        case PieceKind::kSleep:
            line("NANOSLEEP 0x64");
            break;
        case PieceKind::kGuardedYield:
            line("@P0 YIELD");
            break;
        case PieceKind::kExitOdd:
            line("@P0 EXIT");
            return lanes & ~chosen(Choice::kOdd, threads_);
        case PieceKind::kSet:
            line("STS [0x0], R3");
            break;
        case PieceKind::kIf:
        case PieceKind::kIfElse:
            return branch(piece, lanes, depth, number);
        case PieceKind::kLoop:
            return loop(piece, lanes, depth, number);
        default:
            if (is_meeting(piece.kind)) {
                meeting(piece, lanes, number);
            } else {
                spin(piece, number);
            }
        }
        return lanes;
    }

    void meeting(const Piece &piece, LaneMask lanes, unsigned number) {
        const LaneMask members = members_of(piece.kind, lanes, threads_);
        const char *guard = piece.kind == PieceKind::kMeetOdd ? "@P0 " : "";
        line("MOV R2, 0x1");
        line("{}ATOMS.ADD R2, [R4+{:#x}], R2", guard, 4 * number);
        if (piece.kind == PieceKind::kMeetByRegister) {
            line("MOV R2, {:#x}", members.bits());
            line("WARPSYNC R2");
        } else {
            line("{}WARPSYNC {:#x}", guard, members.bits());
        }
        line("{}LDS R2, [R4+{:#x}]", guard, 4 * number);
        line("{}IMAD R1, R1, R3, R2", guard);
    }

    void spin(const Piece &piece, unsigned number) {
        label("spin", number);
        line("LDS R2, [0x0]");
        line("ISETP.NE.AND P2, PT, R2, RZ, PT");
        line("@P2 BRA set{}", number);
        switch (piece.kind) {
        case PieceKind::kSpinSleep:
            line("NANOSLEEP 0x64");
            break;
        case PieceKind::kSpinGuarded:
            line("@!P2 YIELD");
            break;
        case PieceKind::kSpinJoin:
            line("BSSY B1, inner{}", number);
            line("@P0 BRA odd{}", number);
            line("YIELD");
            line("BRA inner{}", number);
            label("odd", number);
            line("YIELD");
            label("inner", number);
            line("BSYNC B1");
            break;
        default:
            line("YIELD");
            break;
        }
        line("BRA spin{}", number);
        label("set", number);
    }

    LaneMask branch(const Piece &piece, LaneMask lanes, unsigned depth, unsigned number) {
        const LaneMask in = chosen(piece.choice, threads_);
        const char *predicate = piece.choice == Choice::kOdd ? "P0" : "P1";
        const bool has_else = piece.kind == PieceKind::kIfElse;
        enter(piece, number);
        line("@!{} BRA {}{}", predicate, has_else ? "else" : "join", number);
        const LaneMask first = block(piece.body, lanes & in, depth);
        LaneMask second = lanes & ~in;
        if (has_else) {
            line("BRA join{}", number);
            label("else", number);
            second = block(piece.other, second, depth);
        }
        leave(piece, number);
        return first | second;
    }

    LaneMask loop(const Piece &piece, LaneMask lanes, unsigned depth, unsigned number) {
        const unsigned counter = kFirstCounter + depth;
        if (piece.choice == Choice::kByLane) {
            line("MOV R{}, R0", counter);
        } else {
            line("IADD3 R{}, R0, {:#x}, RZ", counter, 1 - static_cast<int>(threads_));
            line("IABS R{}, R{}", counter, counter);
        }
        enter(piece, number);
        label("head", number);
        line("ISETP.EQ.AND P2, PT, R{}, RZ, PT", counter);
        line("@P2 BRA join{}", number);
        const LaneMask round = going_round(piece.choice, threads_);
        const LaneMask left = block(piece.body, lanes & round, depth + 1);
        line("IADD3 R{}, R{}, -1, RZ", counter, counter);
        line("BRA head{}", number);
        leave(piece, number);
        return left | (lanes & ~round);
    }

    void enter(const Piece &piece, unsigned number) {
        if (piece.barrier >= 0) {
            line("BSSY B{}, join{}", piece.barrier, number);
        }
    }
    void leave(const Piece &piece, unsigned number) {
        label("join", number);
        if (piece.barrier >= 0) {
            line("BSYNC B{}", piece.barrier);
        }
    }

    unsigned threads_;
    Numbering numbers_;
    std::string text_;
};

// --- independent threads ---------------------------------------------------------------------------------------------

struct Event {
    enum class Kind : std::uint8_t { kPass, kMeet, kSpin, kSet };
    Kind kind = Kind::kPass;
    unsigned number = 0;
    LaneMask members; ///< kMeet
};

/// The events of one thread, in order.
class Unroller {
  public:
    Unroller(unsigned lane, unsigned threads) : lane_(lane), threads_(threads) {}

    std::vector<Event> unroll(const Block &program) {
        block(program, LaneMask::first(threads_), true);
        return std::move(events_);
    }

  private:
    /// `here`: the thread comes here. Numbers and lane sets are followed in any case.
    LaneMask block(const Block &pieces, LaneMask lanes, bool here) {
        for (const Piece &piece : pieces) {
            const unsigned number = numbers_.next();
            lanes = one(piece, lanes, here, number);
            note(here, Event::Kind::kPass, number);
        }
        return lanes;
    }

    void note(bool here, Event::Kind kind, unsigned number, LaneMask members = {}) {
        if (here && !ended_) {
            events_.push_back({kind, number, members});
        }
    }

    LaneMask one(const Piece &piece, LaneMask lanes, bool here, unsigned number) {
        const LaneMask in = chosen(piece.choice, threads_);
        switch (piece.kind) {
        case PieceKind::kExitOdd:
            ended_ = ended_ || (here && lane_ % 2 == 1);
            return lanes & ~chosen(Choice::kOdd, threads_);
        case PieceKind::kSet:
            note(here, Event::Kind::kSet, number);
            return lanes;
        case PieceKind::kIf:
            return block(piece.body, lanes & in, here && in.test(lane_)) | (lanes & ~in);
        case PieceKind::kIfElse: {
            const LaneMask first = block(piece.body, lanes & in, here && in.test(lane_));
            return first | block(piece.other, lanes & ~in, here && !in.test(lane_));
        }
        case PieceKind::kLoop:
            return loop(piece, lanes, here);
        default:
            if (is_meeting(piece.kind)) {
                const bool takes_part = piece.kind != PieceKind::kMeetOdd || lane_ % 2 == 1;
                note(here && takes_part, Event::Kind::kMeet, number, members_of(piece.kind, lanes, threads_));
            } else if (is_spin(piece.kind)) {
                note(here, Event::Kind::kSpin, number);
            }
            return lanes;
        }
    }

    LaneMask loop(const Piece &piece, LaneMask lanes, bool here) {
        const LaneMask round = going_round(piece.choice, threads_);
        const unsigned count = here ? rounds(piece.choice, lane_, threads_) : 0;
        const Numbering before = numbers_;
        const LaneMask left = block(piece.body, lanes & round, count > 0);
        const Numbering behind = numbers_;
        for (unsigned i = 1; i < count; ++i) {
            numbers_ = before;
            block(piece.body, lanes & round, true);
        }
        numbers_ = behind;
        return left | (lanes & ~round);
    }

    unsigned lane_;
    unsigned threads_;
    bool ended_ = false;
    Numbering numbers_;
    std::vector<Event> events_;
};

class IndependentRun {
  public:
    IndependentRun(const Block &program, unsigned threads, unsigned warps)
        : threads_(threads), r1_(std::size_t{threads} * warps, 0), at_(r1_.size(), 0) {
        for (unsigned thread = 0; thread < r1_.size(); ++thread) {
            events_.push_back(Unroller(thread % threads, threads).unroll(program));
        }
    }

    Independent run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned thread = 0; thread < events_.size(); ++thread) {
                while (advance(thread)) {
                    moved = true;
                }
            }
        }
        return {end(), r1_};
    }

  private:
    // A warp whose threads all wait at meetings is reported, whatever the others do.
    Independent::End end() const {
        bool spins = false;
        for (unsigned first = 0; first < events_.size(); first += threads_) {
            bool waits_here = false;
            bool spins_here = false;
            for (unsigned thread = first; thread < first + threads_; ++thread) {
                const bool left = !ended(thread);
                spins_here = spins_here || (left && events_[thread][at_[thread]].kind == Event::Kind::kSpin);
                waits_here = waits_here || left;
            }
            if (waits_here && !spins_here) {
                return Independent::End::kDeadlock;
            }
            spins = spins || spins_here;
        }
        return spins ? Independent::End::kEndless : Independent::End::kCompletes;
    }

    bool ended(unsigned thread) const { return at_[thread] == events_[thread].size(); }

    bool waits_at(unsigned lane, unsigned number) const {
        return !ended(lane) && events_[lane][at_[lane]].kind == Event::Kind::kMeet &&
               events_[lane][at_[lane]].number == number;
    }

    bool advance(unsigned lane) {
        if (ended(lane)) {
            return false;
        }
        const Event &event = events_[lane][at_[lane]];
        switch (event.kind) {
        case Event::Kind::kPass:
            r1_[lane] = r1_[lane] * kFactor + event.number;
            break;
        case Event::Kind::kSet:
            set_ = true;
            break;
        case Event::Kind::kSpin:
            if (!set_) {
                return false;
            }
            break;
        case Event::Kind::kMeet:
            return meet(event, lane / threads_ * threads_);
        }
        ++at_[lane];
        return true;
    }

    // All living members in the warp that begins with thread `first` must wait here; they then go on together.
    bool meet(const Event &event, unsigned first) {
        std::vector<unsigned> group;
        for (unsigned lane = 0; lane < threads_; ++lane) {
            if (!event.members.test(lane) || ended(first + lane)) {
                continue;
            }
            if (!waits_at(first + lane, event.number)) {
                return false;
            }
            group.push_back(first + lane);
        }
        std::uint32_t &come = come_[{first, event.number}];
        come += static_cast<std::uint32_t>(group.size());
        for (const unsigned thread : group) {
            r1_[thread] = r1_[thread] * kFactor + come;
            ++at_[thread];
        }
        return true;
    }

    unsigned threads_;
    std::vector<std::vector<Event>> events_;
    std::vector<std::uint32_t> r1_;
    std::vector<std::size_t> at_;
    std::map<std::pair<unsigned, unsigned>, std::uint32_t> come_; ///< arrivals, by first thread of the warp and meeting
    bool set_ = false;
};

} // namespace

std::string text_of(const Block &program, unsigned threads) {
    return Writer(threads).write(program);
}

Independent run_independently(const Block &program, unsigned threads, unsigned warps) {
    return IndependentRun(program, threads, warps).run();
}

} // namespace smsim::explore
