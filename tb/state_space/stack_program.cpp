// Legality of a program, the behaviour of each thread alone, and the stack depth it needs.
#include "tb/state_space/stack_program.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tb/state_space/piece_rules.h"
#include "tb/state_space/stack_writer.h"

namespace smsim::state_space {
namespace {

// --- what is lowered -------------------------------------------------------------------------------------------------

/// The context of a piece.
struct Around {
    unsigned loops = 0; ///< that a break can leave, in this function
    bool repeat = false;
    bool function = false;
    bool container = false;
};

bool has(const Block &program, PieceKind kind) {
    return std::ranges::any_of(program, [&](const Piece &piece) {
        return piece.kind == kind || has(piece.body, kind) || has(piece.other, kind);
    });
}

bool fits(const Block &block, Stack stack, bool barriers, const Around &around) {
    return std::ranges::all_of(block, [&](const Piece &piece) {
        Around inside = around;
        inside.container = true;
        switch (piece.kind) {
        case PieceKind::kBarrier:
            return !around.container;
        case PieceKind::kExit:
            return stack == Stack::kToken || (!around.function && !(barriers && around.container));
        case PieceKind::kBreak:
        case PieceKind::kContinue:
            return around.loops > 0;
        case PieceKind::kBreakOuter:
            return around.loops > 1;
        case PieceKind::kReturn:
            return around.function;
        case PieceKind::kLoop:
            ++inside.loops;
            break;
        case PieceKind::kRepeat:
            inside.loops = 0; // a break would have to account for leaving this loop
            break;
        case PieceKind::kCall:
            inside = Around{.function = true, .container = true};
            break;
        default:
            break;
        }
        return fits(piece.body, stack, barriers, inside) && fits(piece.other, stack, barriers, inside);
    });
}

// --- a thread alone --------------------------------------------------------------------------------------------------

enum class Way : std::uint8_t { kOn, kBreak, kBreakOuter, kContinue, kReturn, kExit };

class Alone {
  public:
    Alone(unsigned lane, unsigned threads) : lane_(lane), threads_(threads) {}

    /// Numbers of the pieces that the thread has completed, in order; those of barriers twice: also on arrival.
    std::vector<unsigned> run(const Block &program) {
        block(program, 1);
        return std::move(passed_);
    }
    static unsigned size_of(const Block &block) {
        unsigned size = 0;
        for (const Piece &piece : block) {
            size += 1 + size_of(piece.body) + size_of(piece.other);
        }
        return size;
    }

  private:
    /// `number` is that of the first piece.
    Way block(const Block &pieces, unsigned number) {
        for (const Piece &piece : pieces) {
            if (const Way way = one(piece, number); way != Way::kOn) {
                return way;
            }
            passed_.push_back(number);
            number += size_of({piece});
        }
        return Way::kOn;
    }

    Way one(const Piece &piece, unsigned number) {
        const bool in = chosen(piece.choice, threads_).test(lane_);
        switch (piece.kind) {
        case PieceKind::kBarrier:
            passed_.push_back(number);
            return Way::kOn;
        case PieceKind::kExit:
            return in ? Way::kExit : Way::kOn;
        case PieceKind::kBreak:
            return in ? Way::kBreak : Way::kOn;
        case PieceKind::kBreakOuter:
            return in ? Way::kBreakOuter : Way::kOn;
        case PieceKind::kContinue:
            return in ? Way::kContinue : Way::kOn;
        case PieceKind::kReturn:
            return in ? Way::kReturn : Way::kOn;
        case PieceKind::kIf:
            return in ? block(piece.body, number + 1) : Way::kOn;
        case PieceKind::kIfElse:
            return in ? block(piece.body, number + 1) : block(piece.other, number + 1 + size_of(piece.body));
        case PieceKind::kCall: {
            const Way way = in ? block(piece.body, number + 1) : Way::kOn;
            return way == Way::kReturn ? Way::kOn : way;
        }
        case PieceKind::kLoop:
        case PieceKind::kRepeat:
            return loop(piece, number);
        default:
            return Way::kOn;
        }
    }

    Way loop(const Piece &piece, unsigned number) {
        unsigned left = rounds(piece.choice, lane_, threads_) + (piece.kind == PieceKind::kRepeat ? 1 : 0);
        for (; left != 0; --left) {
            switch (const Way way = block(piece.body, number + 1)) {
            case Way::kOn:
            case Way::kContinue:
                break;
            case Way::kBreak:
                return Way::kOn;
            case Way::kBreakOuter:
                return Way::kBreak;
            default:
                return way;
            }
        }
        return Way::kOn;
    }

    unsigned lane_;
    unsigned threads_;
    std::vector<unsigned> passed_;
};

// --- what it needs ---------------------------------------------------------------------------------------------------

std::size_t tokens(const Block &block, unsigned threads, bool taken_first) {
    std::size_t most = 0;
    for (const Piece &piece : block) {
        const std::size_t inside =
            std::max(tokens(piece.body, threads, taken_first), tokens(piece.other, threads, taken_first));
        switch (piece.kind) {
        case PieceKind::kIf: // SSY, and DIV for the other side while one side runs
        case PieceKind::kIfElse:
            most = std::max(most, 2 + inside);
            break;
        case PieceKind::kLoop: // PBK, and PCNT if some thread continues
            most = std::max(most, (has(piece.body, PieceKind::kContinue) ? 2 : 1) + inside);
            break;
        case PieceKind::kRepeat: // SSY, and DIV for threads that have left or that go round
            most = std::max(most, taken_first ? threads + inside : std::max<std::size_t>(2, 1 + inside));
            break;
        case PieceKind::kCall:
            most = std::max(most, 1 + inside);
            break;
        default:
            break;
        }
    }
    return most;
}

} // namespace

const char *engine_of(Stack stack) {
    return stack == Stack::kSimt ? "simt_stack" : "token_stack";
}

bool is_lowered(const Block &program, Stack stack) {
    return fits(program, stack, has(program, PieceKind::kBarrier), {});
}

std::string text_of(const Block &program, Stack stack, unsigned threads) {
    return fmt::format(".engine {}\n{}", engine_of(stack),
                       stack == Stack::kSimt ? simt_text_of(program, threads) : token_text_of(program, threads));
}

std::vector<std::uint32_t> results_of(const Block &program, unsigned threads, unsigned warps) {
    std::vector<std::vector<unsigned>> passed;
    std::map<unsigned, std::uint32_t> come; // arrivals at a barrier, of all warps
    for (unsigned lane = 0; lane < threads; ++lane) {
        passed.push_back(Alone(lane, threads).run(program));
    }
    unsigned number = 1;
    for (const Piece &piece : program) {
        for (const std::vector<unsigned> &way : passed) {
            const bool comes = piece.kind == PieceKind::kBarrier && std::ranges::find(way, number) != way.end();
            come[number] += comes ? warps : 0;
        }
        number += Alone::size_of({piece});
    }
    std::vector<std::uint32_t> results;
    for (unsigned thread = 0; thread < threads * warps; ++thread) {
        std::uint32_t r1 = 0;
        unsigned last = 0;
        for (const unsigned passing : passed[thread % threads]) {
            const auto barrier = come.find(passing);
            const bool arrives = barrier != come.end() && barrier->second != 0 && passing != last;
            r1 = r1 * kFactor + (arrives ? barrier->second : passing);
            last = passing;
        }
        results.push_back(r1);
    }
    return results;
}

std::size_t depth_bound(const Block &program, Stack stack, unsigned threads, const BruConfig &config) {
    if (stack == Stack::kToken) {
        return tokens(program, threads, config.token_stack.order == TokenStackOrder::kTakenFirst);
    }
    return config.simt_stack.order == SimtStackOrder::kMinorityFirst ? threads : 2 * (threads - 1);
}

} // namespace smsim::state_space
