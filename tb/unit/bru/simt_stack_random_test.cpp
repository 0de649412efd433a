// Random structured programs on the engine simt_stack: nested branches and loops with breaks and exits, whose branches
// reconverge at their immediate post-dominators. Every thread must compute what it computes alone, under every order
// of the sides, and on a stack of the depth documented for legal programs.
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "tb/unit/bru/simt_stack_support.h"

namespace smsim::bru::simt_stack::test {
namespace {

constexpr unsigned kLevels = 4; // of nesting

/// The data with which a thread computes.
struct Thread {
    std::uint32_t value = 0;
    std::array<std::uint32_t, kLevels> rounds{}; ///< left, by the level of the loop
    friend bool operator==(const Thread &, const Thread &) = default;
};

struct Statement {
    enum class Kind : std::uint8_t { kWork, kIf, kLoop, kBreak, kExit };
    Kind kind = Kind::kWork;
    std::uint32_t number = 0; ///< of work; for a condition the bit that it tests
    unsigned level = 0;       ///< of a loop
    std::vector<Statement> body;
    std::vector<Statement> otherwise;
};
using Kind = Statement::Kind;
using Block = std::vector<Statement>;

bool holds(const Statement &condition, const Thread &thread) {
    return ((thread.value >> condition.number % 32) & 1U) != 0;
}
void work(const Statement &statement, Thread &thread) {
    thread.value = thread.value * 0x19660d + statement.number;
}
void begin(const Statement &loop, Thread &thread) {
    thread.rounds[loop.level] = (thread.value >> 7) % 5;
}

// --- a thread alone

enum class Way : std::uint8_t { kOn, kBreak, kExit };

Way alone(const Block &block, Thread &thread) {
    for (const Statement &statement : block) {
        Way way = Way::kOn;
        switch (statement.kind) {
        case Kind::kWork:
            work(statement, thread);
            break;
        case Kind::kIf:
            way = alone(holds(statement, thread) ? statement.body : statement.otherwise, thread);
            break;
        case Kind::kLoop:
            for (begin(statement, thread); thread.rounds[statement.level] != 0 && way == Way::kOn;) {
                --thread.rounds[statement.level];
                way = alone(statement.body, thread);
            }
            way = way == Way::kBreak ? Way::kOn : way;
            break;
        case Kind::kBreak:
            way = holds(statement, thread) ? Way::kBreak : Way::kOn;
            break;
        case Kind::kExit:
            way = holds(statement, thread) ? Way::kExit : Way::kOn;
            break;
        }
        if (way != Way::kOn) {
            return way;
        }
    }
    return Way::kOn;
}

// --- programs

class Writer {
  public:
    explicit Writer(unsigned seed) : random_(seed) {}

    Block block(unsigned level, bool in_loop) {
        Block written;
        for (unsigned left = 1 + random_() % 3; left != 0; --left) {
            Statement one;
            one.number = static_cast<std::uint32_t>(random_());
            const unsigned choice = random_() % 10;
            if (choice < 3 && level < kLevels) {
                one.kind = Kind::kIf;
                one.body = block(level + 1, in_loop);
                one.otherwise = random_() % 2 == 0 ? block(level + 1, in_loop) : Block{};
            } else if (choice < 6 && level < kLevels) {
                one.kind = Kind::kLoop;
                one.level = level;
                one.body = block(level + 1, true);
            } else if (choice == 6 && in_loop) {
                one.kind = Kind::kBreak;
            } else if (choice == 7 && random_() % 3 == 0) {
                one.kind = Kind::kExit;
            }
            written.push_back(std::move(one));
        }
        return written;
    }

  private:
    std::mt19937 random_;
};

/// Whether threads may leave `block` by an exit, or by a break of the enclosing loop.
bool has(const Block &block, Kind kind) {
    for (const Statement &one : block) {
        const bool inside = one.kind == Kind::kLoop && kind == Kind::kBreak ? false : has(one.body, kind);
        if (one.kind == kind || inside || has(one.otherwise, kind)) {
            return true;
        }
    }
    return false;
}

// --- code

/// A program of control instructions, and of other work by address. Labels are numbers until the end.
class Code : public OneWarp {
  public:
    Code(const Block &block, LaneMask valid) : OneWarp(valid) {
        end_ = label();
        write(block, end_, false);
        place(end_);
        add(insn(Op::kEndprg, Form::kX, 0));
        finish();
    }

    /// Runs to the end; returns the exception that occurred, or nothing.
    std::optional<FaultReport> run(std::array<Thread, kLanes> &threads) {
        Pc pc = 0;
        for (unsigned steps = 0; steps < 100'000; ++steps) {
            Line &line = lines_.at(pc / kInstructionBytes);
            if (line.effect) {
                for_each_lane(state().mask, [&](unsigned lane) { line.effect(threads[lane]); });
                pc += kInstructionBytes;
                continue;
            }
            Values values;
            if (line.condition) {
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    values.vectors[0][lane] = line.condition(threads[lane]) ? 1 : 0;
                }
            }
            const StepResult result = step(program.code[pc / kInstructionBytes], values);
            if (result.fault || result.outcome == Outcome::kExited) {
                return result.fault;
            }
            pc = result.next_pc;
        }
        return FaultReport{Fault::kWatchdog, "does not end"};
    }

  private:
    struct Line {
        Instruction instruction;
        std::function<void(Thread &)> effect;
        std::function<bool(const Thread &)> condition;
        std::size_t target = 0; ///< label
    };

    std::size_t label() {
        places_.push_back(0);
        return places_.size() - 1;
    }
    void place(std::size_t label) {
        places_[label] = lines_.size();
        add(insn(Op::kJoin, Form::kX, 0));
    }
    void add(const Instruction &instruction, std::size_t target = 0) {
        lines_.push_back({instruction, {}, {}, target});
    }
    /// SETRPC and a branch of the threads for which `condition` holds.
    void branch(std::size_t target, std::size_t join, std::function<bool(const Thread &)> condition) {
        add(to(Op::kSetrpc, 0, 0), join);
        add(to(Op::kVbne, 0, 0), target);
        lines_.back().condition = std::move(condition);
    }
    void effect(std::function<void(Thread &)> what) {
        lines_.push_back({insn(Op::kNop, Form::kX, 0), std::move(what), {}, 0});
    }

    /// `out` is after the loop around the block, `exits` whether threads may exit from that loop.
    void write(const Block &block, std::size_t out, bool exits) {
        const std::size_t behind_loop = exits ? end_ : out; // where threads meet again of which some leave the loop
        for (const Statement &one : block) {
            switch (one.kind) {
            case Kind::kWork:
                effect([&one](Thread &thread) { work(one, thread); });
                break;
            case Kind::kIf: {
                const bool ends = has(one.body, Kind::kExit) || has(one.otherwise, Kind::kExit);
                const bool leaves = has(one.body, Kind::kBreak) || has(one.otherwise, Kind::kBreak);
                const std::size_t otherwise = label();
                const std::size_t behind = label();
                branch(otherwise,
                       ends     ? end_
                       : leaves ? behind_loop
                                : behind,
                       [&one](const Thread &thread) { return !holds(one, thread); });
                write(one.body, out, exits);
                add(to(Op::kBra, 0, 0), behind);
                place(otherwise); // its JOIN is no thread's rpc
                write(one.otherwise, out, exits);
                place(behind);
                break;
            }
            case Kind::kLoop: {
                const bool ends = has(one.body, Kind::kExit);
                const std::size_t head = label();
                const std::size_t behind = label();
                effect([&one](Thread &thread) { begin(one, thread); });
                place(head);
                branch(behind, ends ? end_ : behind,
                       [&one](const Thread &thread) { return thread.rounds[one.level] == 0; });
                effect([&one](Thread &thread) { --thread.rounds[one.level]; });
                write(one.body, behind, ends);
                add(to(Op::kBra, 0, 0), head);
                place(behind);
                break;
            }
            case Kind::kBreak:
                branch(out, behind_loop, [&one](const Thread &thread) { return holds(one, thread); });
                break;
            case Kind::kExit:
                branch(end_, end_, [&one](const Thread &thread) { return holds(one, thread); });
                break;
            }
        }
    }

    void finish() {
        program.code.clear();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            Instruction one = lines_[i].instruction;
            one.pc = i * kInstructionBytes;
            if (one.op == Op::kBra || one.op == Op::kSetrpc || one.op == Op::kVbne) {
                one.imm = static_cast<std::int64_t>(places_[lines_[i].target]) - static_cast<std::int64_t>(i) - 1;
            }
            program.code.push_back(one);
        }
        warp.code.bytes = program.size_bytes();
    }

    std::vector<Line> lines_;
    std::vector<std::size_t> places_; ///< by label
    std::size_t end_ = 0;
};

TEST(SimtStackPrograms, MatchIndependentThreadsUnderEveryOrderWithinTheDepthOfLegalPrograms) {
    std::uint64_t deepest = 0;
    std::uint64_t pushes = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        const Block block = Writer(seed).block(0, false);
        std::array<Thread, kLanes> input;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            input[lane].value = (seed * kLanes + lane) * 0x9e3779b1U;
        }
        std::array<Thread, kLanes> expected = input;
        const LaneMask valid = LaneMask::first(seed % 3 == 0 ? 32 : 1 + seed % 32);
        for_each_lane(valid, [&](unsigned lane) { alone(block, expected[lane]); });
        for (const SimtStackOrder order :
             {SimtStackOrder::kMinorityFirst, SimtStackOrder::kFallthroughFirst, SimtStackOrder::kTakenFirst}) {
            Code code(block, valid);
            code.config.simt_stack.order = order;
            std::array<Thread, kLanes> threads = input;
            const std::optional<FaultReport> fault = code.run(threads);
            ASSERT_FALSE(fault) << "seed " << seed << ": " << fault->detail;
            ASSERT_EQ(threads, expected) << "seed " << seed << ", order " << static_cast<int>(order);
            const unsigned count = valid.count();
            ASSERT_LE(code.counters.depth, order == SimtStackOrder::kMinorityFirst ? count : 2 * (count - 1))
                << "seed " << seed << ", order " << static_cast<int>(order);
            deepest = std::max(deepest, code.counters.depth);
            pushes += code.counters.pushes;
        }
    }
    EXPECT_GT(deepest, 8U);
    EXPECT_GT(pushes, 10'000U);
}

} // namespace
} // namespace smsim::bru::simt_stack::test
