// The assembly text of structured programs for the two stacks, as engines.md "Lowering" says. For simt_stack branches
// are written first and reconvergence follows from the flow graph: the JOIN of a branch stands at its immediate
// post-dominator.
#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tb/state_space/piece_rules.h"
#include "tb/state_space/stack_program.h"

namespace smsim::state_space {
namespace {

using Label = std::size_t;

struct Line {
    std::string text;
    std::optional<Label> target; ///< written behind the text
    enum class Flow : std::uint8_t { kOn, kBranch, kJump, kEnd } flow = Flow::kOn;
};
using Flow = Line::Flow;

/// What both have: R0 is the lane, R1 the result, R2 scratch, R3 the factor, R4 1 in odd lanes, R5 1 in the lower half,
/// R6 1; P0 and P1 are true as R4 and R5 are 1. By depth R8.. count rounds, R12.. hold return addresses, R24.. flags.
class Writer {
  public:
    explicit Writer(unsigned threads) : threads_(threads) {}
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    virtual ~Writer() = default;

    std::string write(const Block &program) {
        line("S2R R0, SR_LANEID");
        line("MOV R3, {:#x}", kFactor);
        line("MOV R6, 0x1");
        line("LOP3 R4, R0, 0x1, RZ, 0xc0");
        line("ISETP.NE.AND P0, PT, R4, RZ, PT");
        line("ISETP.LT.AND P1, PT, R0, {:#x}, PT", threads_ / 2);
        line("@P1 MOV R5, 0x1");
        body(program);
        for (std::size_t i = 0; i < functions_.size(); ++i) { // a function may add some
            const Function one = functions_[i];
            place(one.label);
            begin_ = lines_.size();
            numbers_ = one.number;
            depth_ = one.depth;
            calls_ = one.calls;
            function(*one.body);
        }
        return text();
    }

  protected:
    virtual void body(const Block &program) = 0;
    virtual void function(const Block &block) = 0;
    virtual void one(const Piece &piece, unsigned number) = 0;

    template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
        lines_.push_back({fmt::format(format, std::forward<Args>(args)...), {}, Flow::kOn});
    }
    void to(Flow flow, std::string text, Label target) { lines_.push_back({std::move(text), target, flow}); }
    void end(std::string text) { lines_.push_back({std::move(text), {}, Flow::kEnd}); }
    Label label() {
        places_.push_back(0);
        return places_.size() - 1;
    }
    void place(Label label) { places_[label] = lines_.size(); }

    void block(const Block &pieces) {
        for (const Piece &piece : pieces) {
            const unsigned number = ++numbers_;
            one(piece, number);
            line("IMAD R1, R1, R3, {:#x}", number);
        }
    }
    /// Pieces of a function are numbered where it is called, and written behind everything else.
    Label called(const Block &body) {
        functions_.push_back({label(), &body, numbers_, depth_, calls_ + 1});
        skip(body);
        return functions_.back().label;
    }
    void skip(const Block &pieces) {
        for (const Piece &piece : pieces) {
            ++numbers_;
            skip(piece.body);
            skip(piece.other);
        }
    }
    void barrier(unsigned number, const char *instruction) {
        line("ATOMS.ADD R2, [{:#x}], R6", 4 * number);
        line("{}", instruction);
        line("LDS R2, [{:#x}]", 4 * number);
        line("IMAD R1, R1, R3, R2");
    }
    /// Rounds of a loop in R8 + depth.
    void count(const Piece &piece) {
        if (piece.choice == Choice::kByLane) {
            line("MOV R{}, R0", counter());
        } else {
            line("IADD3 R{}, R0, {:#x}, RZ", counter(), 1 - static_cast<int>(threads_));
            line("IABS R{}, R{}", counter(), counter());
        }
    }
    void count_down() { line("IADD3 R{}, R{}, -1, RZ", counter(), counter()); }
    unsigned counter() const { return 8 + depth_; }
    unsigned return_address(unsigned calls) const { return 12 + 2 * calls; }

    std::string text() const {
        std::string written;
        for (std::size_t i = 0; i <= lines_.size(); ++i) {
            for (Label label = 0; label < places_.size(); ++label) {
                if (places_[label] == i) {
                    fmt::format_to(std::back_inserter(written), "l{}:\n", label);
                }
            }
            if (i < lines_.size()) {
                const Line &one = lines_[i];
                fmt::format_to(std::back_inserter(written), "    {}{};\n", one.text,
                               one.target ? fmt::format("l{}", *one.target) : "");
            }
        }
        return written;
    }

    unsigned threads_;
    unsigned depth_ = 0;    ///< of loops, those of callers included
    unsigned calls_ = 0;    ///< depth of calls
    std::size_t begin_ = 0; ///< first line of the function
    std::vector<Line> lines_;
    std::vector<std::size_t> places_; ///< by label

  private:
    struct Function {
        Label label;
        const Block *body;
        unsigned number; ///< of the piece before the first
        unsigned depth;
        unsigned calls;
    };
    unsigned numbers_ = 0;
    std::vector<Function> functions_;
};

// --- simt_stack ------------------------------------------------------------------------------------------------------

class SimtWriter final : public Writer {
  public:
    using Writer::Writer;

  private:
    void body(const Block &program) override {
        out_ = label();
        block(program);
        place(out_);
        end("ENDPRG");
        reconverge();
    }

    void function(const Block &pieces) override {
        out_ = label();
        block(pieces);
        place(out_);
        end(fmt::format("RET.ABS R[{}:{}], 0x0", return_address(calls_ - 1), return_address(calls_ - 1) + 1));
        reconverge();
    }

    /// A branch of those that `choice` means, or of the others.
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

    // --- where threads meet

    static constexpr std::size_t kMostLines = 256; // of a function
    using Lines = std::bitset<kMostLines>;

    /// For each line of the function those that every way from it passes, itself included; the last line ends it.
    std::vector<Lines> post_dominators() const {
        const std::size_t size = lines_.size() - begin_;
        std::vector<Lines> found(size, Lines().set());
        found.back() = Lines().set(size - 1);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = size - 1; i-- > 0;) {
                const Line &one = lines_[begin_ + i];
                Lines behind = one.flow == Flow::kJump ? Lines().set() : found[i + 1];
                if (one.flow == Flow::kBranch || one.flow == Flow::kJump) {
                    behind &= found[places_[*one.target] - begin_];
                }
                behind.set(i);
                changed = changed || behind != found[i];
                found[i] = behind;
            }
        }
        return found;
    }

    /// Puts a JOIN in front of each line that is the nearest of those that all ways from some branch pass, and SETRPC
    /// in front of the branch.
    void reconverge() {
        const std::vector<Lines> all = post_dominators();
        std::map<std::size_t, Label> joins; // by line
        std::vector<std::size_t> join_of(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (lines_[begin_ + i].flow == Flow::kBranch) {
                std::size_t nearest = i + 1;
                while (nearest == i || !all[i].test(nearest) || all[nearest].count() + 1 != all[i].count()) {
                    nearest = (nearest + 1) % all.size();
                }
                join_of[i] = nearest;
                if (!joins.contains(nearest)) {
                    joins.emplace(nearest, label());
                }
            }
        }
        const std::vector<Line> before(lines_.begin() + static_cast<std::ptrdiff_t>(begin_), lines_.end());
        lines_.resize(begin_);
        std::vector<std::size_t> moved;
        for (std::size_t i = 0; i < before.size(); ++i) {
            moved.push_back(lines_.size());
            if (joins.contains(i)) {
                line("JOIN");
            }
            if (before[i].flow == Flow::kBranch) {
                to(Flow::kOn, "SETRPC ", joins.at(join_of[i]));
            }
            lines_.push_back(before[i]);
        }
        for (std::size_t &place : places_) {
            place = place < begin_ ? place : moved[place - begin_];
        }
        for (const auto &[place, label] : joins) {
            places_[label] = moved[place];
        }
    }

    struct Loop {
        Label next;
        Label behind;
    };
    Label out_ = 0; ///< where exits, or returns, meet
    std::vector<Loop> loops_;
};

// --- token_stack -----------------------------------------------------------------------------------------------------

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

class TokenWriter final : public Writer {
  public:
    using Writer::Writer;

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
    unsigned flag() const { return 24 + depth_; }

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

std::string text_of(const Block &program, Stack stack, unsigned threads) {
    const std::string text =
        stack == Stack::kSimt ? SimtWriter(threads).write(program) : TokenWriter(threads).write(program);
    return fmt::format(".engine {}\n{}", engine_of(stack), text);
}

} // namespace smsim::state_space
