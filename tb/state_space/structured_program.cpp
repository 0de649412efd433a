// The assembly text of structured programs.
#include "tb/state_space/structured_program.h"

#include <utility>

#include <fmt/format.h>

#include "tb/state_space/piece_rules.h"

namespace smsim::state_space {
namespace {

constexpr unsigned kFirstCounter = 5; ///< R5.. count the rounds of nested loops

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
        line("SHL R4, R4, 0x5"); // the meetings of each warp count in separate words
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

} // namespace

std::string text_of(const Block &program, unsigned threads) {
    return Writer(threads).write(program);
}

} // namespace smsim::state_space
