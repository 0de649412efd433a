// Structured programs as independent threads: what each of them does alone, and how that ends.
#include <map>
#include <utility>

#include "tb/state_space/piece_rules.h"

namespace smsim::state_space {
namespace {

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
    /// `here`: the thread reaches this place. Numbers and lane sets are tracked in any case.
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

    // All living members in the warp that begins with thread `first` must wait here; then they continue together.
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

Independent run_independently(const Block &program, unsigned threads, unsigned warps) {
    return IndependentRun(program, threads, warps).run();
}

} // namespace smsim::state_space
