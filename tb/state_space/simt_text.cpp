// The assembly text of structured programs for simt_stack, as described in engines.md "Lowering": branches are written
// first, and the meeting points follow from the flow graph. The JOIN of a branch is at its immediate post-dominator.
#include "tb/state_space/stack_writer.h"

namespace smsim::state_space {
namespace {

class SimtWriter final : public StackWriter {
  public:
    using StackWriter::StackWriter;

  private:
    void body(const Block &program) override {
        out_ = label();
        block(program);
        place(out_);
        end("ENDPRG");
        reconverge(begin_);
    }

    void function(const Block &pieces) override {
        out_ = label();
        block(pieces);
        place(out_);
        end(fmt::format("RET.ABS R[{}:{}], 0x0", return_address(calls_ - 1), return_address(calls_ - 1) + 1));
        reconverge(begin_);
    }

    /// A branch taken by the threads that `choice` names, or by the others.
    void branch(Choice choice, bool taken, unsigned number, Label target) {
        static constexpr const char *kIn[] = {"VBNE {}, RZ, ", "VBGE {}, R6, ", "VBLT RZ, {}, ", "VBLTU RZ, {}, ",
                                              "VBGEU {}, R6, "};
        static constexpr const char *kOut[] = {"VBEQ {}, RZ, ", "VBLT {}, R6, ", "VBGE RZ, {}, ", "VBGEU RZ, {}, ",
                                               "VBLTU {}, R6, "};
        const char *format = (taken ? kIn : kOut)[number % 5];
        const char *reg = choice == Choice::kOdd ? "R4" : choice == Choice::kAll ? "R6" : "R5";
        to(Flow::kBranch, fmt::format(fmt::runtime(format), reg), target);
    }

    void one(const Piece &piece, unsigned number) override {
        switch (piece.kind) {
        case PieceKind::kSleep:
            line("NANOSLEEP 0x64");
            break;
        case PieceKind::kBarrier:
            barrier(number, "BARRIER");
            break;
        case PieceKind::kExit:
        case PieceKind::kReturn:
            branch(piece.choice, true, number, out_);
            break;
        case PieceKind::kBreak:
            branch(piece.choice, true, number, loops_.back().behind);
            break;
        case PieceKind::kBreakOuter:
            branch(piece.choice, true, number, loops_[loops_.size() - 2].behind);
            break;
        case PieceKind::kContinue:
            branch(piece.choice, true, number, loops_.back().next);
            break;
        case PieceKind::kIf:
        case PieceKind::kIfElse:
        case PieceKind::kCall:
            condition(piece, number);
            break;
        case PieceKind::kLoop:
        case PieceKind::kRepeat:
            loop(piece);
            break;
        default:
            break;
        }
    }

    void condition(const Piece &piece, unsigned number) {
        const Label otherwise = label();
        const Label behind = label();
        branch(piece.choice, false, number, otherwise);
        if (piece.kind == PieceKind::kCall) {
            const Label function = called(piece.body);
            const Label back = label();
            line("LEPC R[{}:{}], `(l{} - .)", return_address(calls_), return_address(calls_) + 1, back);
            to(Flow::kOn, "CALL.REL ", function);
            place(back);
        } else {
            block(piece.body);
        }
        if (piece.kind == PieceKind::kIfElse) {
            to(Flow::kJump, "BRA ", behind);
        }
        place(otherwise);
        block(piece.other);
        place(behind);
    }

    void loop(const Piece &piece) {
        const Label head = label();
        const Loop own{label(), label()};
        count(piece);
        loops_.push_back(own);
        place(head);
        if (piece.kind == PieceKind::kLoop) {
            to(Flow::kBranch, fmt::format("VBEQ R{}, RZ, ", counter()), own.behind);
            count_down();
        }
        ++depth_;
        block(piece.body);
        --depth_;
        place(own.next);
        if (piece.kind == PieceKind::kLoop) {
            to(Flow::kJump, "BRA ", head);
        } else {
            count_down();
            to(Flow::kBranch, fmt::format("VBGE R{}, RZ, ", counter()), head);
        }
        place(own.behind);
        loops_.pop_back();
    }

    struct Loop {
        Label next;
        Label behind;
    };
    Label out_ = 0; ///< where exits, or returns, meet
    std::vector<Loop> loops_;
};

} // namespace

std::string simt_text_of(const Block &program, unsigned threads) {
    return SimtWriter(threads).write(program);
}

} // namespace smsim::state_space
