// The assembly text of structured programs for token_stack, as described in engines.md "Lowering".
#include "tb/state_space/stack_writer.h"

namespace smsim::state_space {
namespace {

bool contains(const Block &pieces, PieceKind kind, bool in_loops) {
    for (const Piece &piece : pieces) {
        const bool inside = in_loops || (piece.kind != PieceKind::kLoop && piece.kind != PieceKind::kRepeat);
        if (piece.kind == kind ||
            (inside && (contains(piece.body, kind, in_loops) || contains(piece.other, kind, in_loops)))) {
            return true;
        }
    }
    return false;
}

class TokenWriter final : public StackWriter {
  public:
    using StackWriter::StackWriter;

  private:
    void body(const Block &program) override {
        block(program);
        line("EXIT");
    }
    void function(const Block &pieces) override {
        block(pieces);
        line("RET");
    }

    static const char *guard(Choice choice) {
        return choice == Choice::kOdd ? "@P0 " : choice == Choice::kAll ? "" : "@P1 ";
    }

    void one(const Piece &piece, unsigned number) override {
        const char *who = guard(piece.choice);
        switch (piece.kind) {
        case PieceKind::kSleep:
            line("NANOSLEEP 0x64");
            break;
        case PieceKind::kBarrier:
            barrier(number, "BAR.SYNC 0x0, 0x0");
            break;
        case PieceKind::kExit:
            line("{}EXIT", who);
            break;
        case PieceKind::kReturn:
            line("{}RET", who);
            break;
        case PieceKind::kBreakOuter:
            line("{}MOV R{}, R6", who, flag());
            line("{}BRK", who);
            break;
        case PieceKind::kBreak:
            line("{}BRK", who);
            break;
        case PieceKind::kContinue:
            line("{}CONT", who);
            break;
        case PieceKind::kCall:
            to(Flow::kOn, fmt::format("{}CAL ", who), called(piece.body));
            break;
        case PieceKind::kIf:
        case PieceKind::kIfElse:
            condition(piece, number);
            break;
        case PieceKind::kLoop:
            loop(piece);
            break;
        case PieceKind::kRepeat:
            repeat(piece);
            break;
        default:
            break;
        }
    }

    void condition(const Piece &piece, unsigned number) {
        const Label otherwise = label();
        const Label behind = label();
        to(Flow::kOn, "SSY ", behind);
        if (number % 2 == 0) { // by predicate, or by condition flags
            to(Flow::kOn, fmt::format("@!{} BRA ", piece.choice == Choice::kOdd ? "P0" : "P1"), otherwise);
        } else {
            line("LOP3.CC R2, R{}, 0x1, RZ, 0xc0", piece.choice == Choice::kOdd ? 4 : 5);
            to(Flow::kOn, "BRA CC.EQ, ", otherwise);
        }
        block(piece.body);
        if (piece.kind == PieceKind::kIfElse) {
            line("SYNC");
        }
        place(otherwise);
        block(piece.other);
        line("SYNC");
        place(behind);
    }

    void loop(const Piece &piece) {
        const Label head = label();
        const Label next = label();
        const Label behind = label();
        const bool continues = contains(piece.body, PieceKind::kContinue, false);
        count(piece);
        ++depth_;
        const bool leaves_two = contains(piece.body, PieceKind::kBreakOuter, false);
        const unsigned own_flag = flag();
        if (leaves_two) {
            line("MOV R{}, RZ", own_flag);
        }
        --depth_;
        to(Flow::kOn, "PBK ", behind);
        place(head);
        if (continues) {
            to(Flow::kOn, "PCNT ", next);
        }
        line("ISETP.EQ.AND P2, PT, R{}, RZ, PT", counter());
        line("@P2 BRK");
        count_down();
        ++depth_;
        block(piece.body);
        --depth_;
        if (continues) {
            line("CONT");
        }
        place(next);
        to(Flow::kOn, "BRA ", head);
        place(behind);
        if (leaves_two) {
            line("ISETP.NE.AND P2, PT, R{}, RZ, PT", own_flag);
            line("@P2 BRK");
        }
    }

    void repeat(const Piece &piece) {
        const Label head = label();
        const Label behind = label();
        count(piece);
        to(Flow::kOn, "SSY ", behind);
        place(head);
        ++depth_;
        block(piece.body);
        --depth_;
        count_down();
        line("ISETP.GE.AND P2, PT, R{}, RZ, PT", counter());
        to(Flow::kOn, "@P2 BRA ", head);
        line("SYNC");
        place(behind);
    }
};

} // namespace

std::string token_text_of(const Block &program, unsigned threads) {
    return TokenWriter(threads).write(program);
}

} // namespace smsim::state_space
