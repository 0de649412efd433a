// Random structured programs on the rules of token_stack: branches, switches, loops with breaks and continues, calls
// with returns, exits. Every thread must compute what it computes alone, whichever group runs first, without an
// exception and on a stack of the depth documented for legal programs.
#include <algorithm>
#include <array>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "tb/unit/bru/token_stack_support.h"

namespace smsim::bru::token_stack::test {
namespace {

constexpr unsigned kFunctions = 3; // the first is the kernel; each calls only later ones
constexpr unsigned kLevels = 3;    // of nesting in a function
constexpr unsigned kCases = 3;     // of a switch

struct Thread {
    std::uint32_t value = 0;
    std::array<std::uint32_t, kFunctions *(kLevels + 1)> rounds{}; ///< left, by the number of the loop
    friend bool operator==(const Thread &, const Thread &) = default;
};

struct Statement {
    enum class Kind : std::uint8_t { kWork, kIf, kSwitch, kLoop, kDoLoop, kBreak, kContinue, kCall, kReturn, kExit };
    Kind kind = Kind::kWork;
    std::uint32_t number = 0; ///< of work; for a condition what it tests
    unsigned target = 0;      ///< number of a loop, or function that is called
    std::vector<std::vector<Statement>> blocks{};
};
using Kind = Statement::Kind;
using Block = std::vector<Statement>;
using Functions = std::array<Block, kFunctions>;

bool holds(const Statement &one, const Thread &thread) {
    return ((thread.value >> one.number % 32) & 1U) != 0;
}
unsigned case_of(const Statement &one, const Thread &thread) {
    return (thread.value >> one.number % 28) % kCases;
}
void work(const Statement &one, Thread &thread) {
    thread.value = thread.value * 0x19660d + one.number;
}
void begin(const Statement &loop, Thread &thread) {
    thread.rounds[loop.target] = (thread.value >> 7) % 4 + (loop.kind == Kind::kDoLoop ? 1 : 0);
}

// --- a thread alone

enum class Way : std::uint8_t { kOn, kBreak, kContinue, kReturn, kExit };

Way alone(const Functions &functions, const Block &block, Thread &thread);

Way round_alone(const Functions &functions, const Statement &loop, Thread &thread) {
    --thread.rounds[loop.target];
    const Way way = alone(functions, loop.blocks[0], thread);
    return way == Way::kContinue ? Way::kOn : way;
}

Way one_alone(const Functions &functions, const Statement &one, Thread &thread) {
    Way way = Way::kOn;
    switch (one.kind) {
    case Kind::kWork:
        work(one, thread);
        return Way::kOn;
    case Kind::kIf:
        return alone(functions, one.blocks[holds(one, thread) ? 0 : 1], thread);
    case Kind::kSwitch:
        return alone(functions, one.blocks[case_of(one, thread)], thread);
    case Kind::kLoop:
        for (begin(one, thread); thread.rounds[one.target] != 0 && way == Way::kOn;) {
            way = round_alone(functions, one, thread);
        }
        return way == Way::kBreak ? Way::kOn : way;
    case Kind::kDoLoop:
        begin(one, thread);
        do {
            way = round_alone(functions, one, thread);
        } while (thread.rounds[one.target] != 0 && way == Way::kOn);
        return way;
    case Kind::kCall:
        way = holds(one, thread) ? alone(functions, functions[one.target], thread) : Way::kOn;
        return way == Way::kReturn ? Way::kOn : way;
    case Kind::kBreak:
        return holds(one, thread) ? Way::kBreak : Way::kOn;
    case Kind::kContinue:
        return holds(one, thread) ? Way::kContinue : Way::kOn;
    case Kind::kReturn:
        return holds(one, thread) ? Way::kReturn : Way::kOn;
    case Kind::kExit:
        return holds(one, thread) ? Way::kExit : Way::kOn;
    }
    return Way::kOn;
}

Way alone(const Functions &functions, const Block &block, Thread &thread) {
    for (const Statement &one : block) {
        if (const Way way = one_alone(functions, one, thread); way != Way::kOn) {
            return way;
        }
    }
    return Way::kOn;
}

// --- programs

class Writer {
  public:
    explicit Writer(unsigned seed) : random_(seed) {}

    Functions write() {
        Functions functions;
        for (function_ = 0; function_ < kFunctions; ++function_) {
            functions[function_] = block(0, false);
        }
        return functions;
    }

  private:
    Block block(unsigned level, bool in_loop) {
        Block written;
        for (unsigned left = 1 + random_() % 3; left != 0; --left) {
            written.push_back(statement(level, in_loop));
        }
        return written;
    }

    Statement statement(unsigned level, bool in_loop) {
        Statement one;
        one.number = static_cast<std::uint32_t>(random_());
        one.target = function_ * (kLevels + 1) + level;
        const unsigned choice = random_() % 16;
        const auto nested = [&](Kind kind, unsigned blocks, bool loop) {
            one.kind = kind;
            for (unsigned i = 0; i < blocks; ++i) {
                one.blocks.push_back(i == 1 && kind == Kind::kIf && random_() % 2 == 0 ? Block{}
                                                                                       : block(level + 1, loop));
            }
        };
        if (level < kLevels && choice < 4) {
            nested(Kind::kIf, 2, in_loop);
        } else if (level < kLevels && choice == 4) {
            nested(Kind::kSwitch, kCases, in_loop);
        } else if (level < kLevels && choice < 8) {
            nested(Kind::kLoop, 1, true);
        } else if (level < kLevels && choice == 8) {
            nested(Kind::kDoLoop, 1, false); // it has no token that a break could reach
        } else if (choice < 11 && in_loop) {
            one.kind = choice == 9 ? Kind::kBreak : Kind::kContinue;
        } else if (choice == 11 && function_ + 1 < kFunctions) {
            one.kind = Kind::kCall;
            one.target = function_ + 1 + random_() % (kFunctions - function_ - 1);
        } else if (choice == 12 && function_ != 0) {
            one.kind = Kind::kReturn;
        } else if (choice == 13 && random_() % 4 == 0) {
            one.kind = Kind::kExit;
        }
        return one;
    }

    std::mt19937 random_;
    unsigned function_ = 0;
};

/// Tokens that `block` needs besides those on the stack when it begins (docs/reconvergence.md).
std::size_t needed(const Functions &functions, const Block &block, const TokenStackConfig &config) {
    std::size_t most = 0;
    for (const Statement &one : block) {
        std::size_t inside = 0;
        for (const Block &nested : one.blocks) {
            inside = std::max(inside, needed(functions, nested, config));
        }
        switch (one.kind) {
        case Kind::kIf:
            inside += 1 + 1;
            break;
        case Kind::kSwitch:
            inside += 1 + kCases - 1;
            break;
        case Kind::kLoop:
            inside += 2;
            break;
        case Kind::kDoLoop:
            inside += 1 + (config.order == TokenStackOrder::kTakenFirst ? kLanes - 1 : 1);
            break;
        case Kind::kCall:
            inside = 1 + needed(functions, functions[one.target], config);
            break;
        default:
            break;
        }
        most = std::max(most, inside);
    }
    return most;
}

// --- code

/// What an instruction does with the threads that execute it.
using Rule = std::function<Effect(ControlState &state, LaneMask executing)>;

class Code {
  public:
    Code(const Functions &functions, TokenStackConfig config) : config_(config) {
        for (unsigned i = 0; i < kFunctions; ++i) {
            entries_[i] = label();
        }
        for (unsigned i = 0; i < kFunctions; ++i) {
            place(entries_[i]);
            write(functions[i]);
            leave(i == 0 ? Rule(exit_threads) : leaves(TokenKind::kRet), {});
        }
    }

    /// Runs to the end; returns the exception that occurred, or nothing.
    std::optional<Violation> run(LaneMask valid, std::array<Thread, kLanes> &threads) {
        ControlState state = started(0, valid);
        for (unsigned steps = 0; steps < 100'000; ++steps) {
            const Line &line = lines_.at(state.pc / kInstructionBytes);
            if (line.effect) {
                for_each_lane(state.active, [&](unsigned lane) { line.effect(threads[lane]); });
                next_instruction(state);
                continue;
            }
            LaneMask executing = state.active;
            for_each_lane(state.active, [&](unsigned lane) {
                if (line.guard && !line.guard(threads[lane])) {
                    executing &= ~LaneMask::lane(lane);
                }
                if (line.way) {
                    targets_[lane] = address(line.way(threads[lane]));
                }
            });
            const Effect effect = line.rule(state, executing);
            depth = std::max(depth, state.stack.size());
            if (effect.violation || effect.outcome == Outcome::kExited) {
                return effect.violation;
            }
        }
        return Violation{Fault::kWatchdog, "does not end"};
    }

    std::size_t depth = 0; ///< most tokens so far

  private:
    using Guard = std::function<bool(const Thread &)>;
    using Label = std::size_t;
    struct Line {
        std::function<void(Thread &)> effect{};
        Guard guard{};
        Rule rule{};
        std::function<Label(const Thread &)> way{}; ///< of jumps: the destination of a thread
    };

    Label label() {
        places_.push_back(0);
        return places_.size() - 1;
    }
    void place(Label label) { places_[label] = lines_.size(); }
    std::int64_t address(Label label) const { return static_cast<std::int64_t>(places_[label] * kInstructionBytes); }
    Pc bytes() const { return lines_.size() * kInstructionBytes; }

    void compute(std::function<void(Thread &)> effect) { lines_.push_back({.effect = std::move(effect)}); }
    void open(TokenKind kind, Label end) {
        lines_.push_back({.rule = [this, kind, end](ControlState &state, LaneMask) {
            return open_region(state, kind, address(end), bytes(), config_);
        }});
    }
    void leave(Rule rule, Guard guard) { lines_.push_back({.guard = std::move(guard), .rule = std::move(rule)}); }
    static Rule leaves(TokenKind kind) {
        return [kind](ControlState &state, LaneMask executing) { return leave_region(state, kind, executing); };
    }
    void jump(std::function<Label(const Thread &)> way, Guard guard = {}) {
        lines_.push_back(
            {.guard = std::move(guard),
             .rule = [this](ControlState &state,
                            LaneMask executing) { return branch(state, executing, targets_, bytes(), config_); },
             .way = std::move(way)});
    }

    void write(const Block &block) {
        for (const Statement &one : block) {
            write(one);
        }
    }

    void write(const Statement &one) {
        const Guard condition = [&one](const Thread &thread) { return holds(one, thread); };
        switch (one.kind) {
        case Kind::kWork:
            compute([&one](Thread &thread) { work(one, thread); });
            break;
        case Kind::kIf:
            write_if(one);
            break;
        case Kind::kSwitch:
            write_switch(one);
            break;
        case Kind::kLoop:
            write_loop(one);
            break;
        case Kind::kDoLoop:
            write_do_loop(one);
            break;
        case Kind::kCall:
            lines_.push_back(
                {.guard = condition,
                 .rule = [this](ControlState &state,
                                LaneMask executing) { return call(state, executing, targets_, bytes(), config_); },
                 .way = [this, &one](const Thread &) { return entries_[one.target]; }});
            break;
        case Kind::kBreak:
            leave(leaves(TokenKind::kBrk), condition);
            break;
        case Kind::kContinue:
            leave(leaves(TokenKind::kCont), condition);
            break;
        case Kind::kReturn:
            leave(leaves(TokenKind::kRet), condition);
            break;
        case Kind::kExit:
            leave(exit_threads, condition);
            break;
        }
    }

    void write_if(const Statement &one) {
        const Label otherwise = label();
        const Label join = label();
        open(TokenKind::kSync, join);
        jump([otherwise](const Thread &) { return otherwise; },
             [&one](const Thread &thread) { return !holds(one, thread); });
        write(one.blocks[0]);
        if (!one.blocks[1].empty()) {
            leave(sync, {});
        }
        place(otherwise);
        write(one.blocks[1]);
        leave(sync, {});
        place(join);
    }

    void write_switch(const Statement &one) {
        const Label join = label();
        std::array<Label, kCases> cases{};
        for (Label &one_case : cases) {
            one_case = label();
        }
        open(TokenKind::kSync, join);
        jump([&one, cases](const Thread &thread) { return cases[case_of(one, thread)]; });
        for (unsigned i = 0; i < kCases; ++i) {
            place(cases[i]);
            write(one.blocks[i]);
            leave(sync, {});
        }
        place(join);
    }

    /// PBK x; h: PCNT n; @done BRK; body; CONT; n: BRA h; x:
    void write_loop(const Statement &one) {
        const Label head = label();
        const Label next = label();
        const Label behind = label();
        compute([&one](Thread &thread) { begin(one, thread); });
        open(TokenKind::kBrk, behind);
        place(head);
        open(TokenKind::kCont, next);
        leave(leaves(TokenKind::kBrk), [&one](const Thread &thread) { return thread.rounds[one.target] == 0; });
        compute([&one](Thread &thread) { --thread.rounds[one.target]; });
        write(one.blocks[0]);
        leave(leaves(TokenKind::kCont), {});
        place(next);
        jump([head](const Thread &) { return head; });
        place(behind);
    }

    /// SSY x; h: body; @again BRA h; SYNC; x:
    void write_do_loop(const Statement &one) {
        const Label head = label();
        const Label behind = label();
        compute([&one](Thread &thread) { begin(one, thread); });
        open(TokenKind::kSync, behind);
        place(head);
        compute([&one](Thread &thread) { --thread.rounds[one.target]; });
        write(one.blocks[0]);
        jump([head](const Thread &) { return head; },
             [&one](const Thread &thread) { return thread.rounds[one.target] != 0; });
        leave(sync, {});
        place(behind);
    }

    TokenStackConfig config_;
    std::vector<Line> lines_;
    std::vector<std::size_t> places_; ///< by label
    std::array<Label, kFunctions> entries_{};
    Targets targets_{}; ///< of the threads that execute a jump
};

TEST(TokenPrograms, MatchIndependentThreadsWithinTheDepthOfLegalPrograms) {
    std::size_t deepest = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        const Functions functions = Writer(seed).write();
        std::array<Thread, kLanes> input;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            input[lane].value = (seed * kLanes + lane) * 0x9e3779b1U;
        }
        const LaneMask valid = LaneMask::first(seed % 3 == 0 ? 32 : 1 + seed % 32);
        std::array<Thread, kLanes> expected = input;
        for_each_lane(valid, [&](unsigned lane) { alone(functions, functions[0], expected[lane]); });
        for (const TokenStackOrder order : {TokenStackOrder::kFallthroughFirst, TokenStackOrder::kTakenFirst}) {
            const TokenStackConfig config{.order = order};
            Code code(functions, config);
            std::array<Thread, kLanes> threads = input;
            const std::optional<Violation> violation = code.run(valid, threads);
            ASSERT_FALSE(violation) << "seed " << seed << ": " << violation->detail;
            ASSERT_EQ(threads, expected) << "seed " << seed << ", order " << static_cast<int>(order);
            ASSERT_LE(code.depth, needed(functions, functions[0], config)) << "seed " << seed;
            deepest = std::max(deepest, code.depth);
        }
    }
    EXPECT_GT(deepest, 12U);
}

} // namespace
} // namespace smsim::bru::token_stack::test
