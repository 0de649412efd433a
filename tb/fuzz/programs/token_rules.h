// What a control instruction must have done to masks and tokens of its warp under token_stack, checked on the states
// before and after it. Written from engines.md, not from the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "sm/execution_observer.h"

namespace smsim::fuzz {

class TokenRules {
  public:
    static constexpr std::string_view kEngine = "token_stack";
    enum class Kind : std::uint8_t { kSync, kDiv, kRet, kBrk, kCont };
    struct Token {
        Kind kind = Kind::kSync;
        LaneMask mask; ///< those of them that have not ended
        Pc pc = 0;
        friend bool operator==(const Token &, const Token &) = default;
    };
    struct State {
        Pc pc = 0;
        LaneMask active;
        LaneMask valid;
        bool lmt = false;
        std::vector<Token> stack; ///< the top is the last
        friend bool operator==(const State &, const State &) = default;
    };

    TokenRules(const Program &program, const BruConfig &config) : program_(program), config_(config.token_stack) {}

    static State started(const WarpStart &start) { return {start.entry, start.valid, start.valid, false, {}}; }
    static State read(const ControlSnapshot &snapshot);
    static LaneMask valid(const WarpStart & /*start*/, const State &state) { return state.valid; }
    static std::string text(const State &state);
    std::size_t room() const { return config_.depth; }
    bool skips(const sm::ExecutedInstruction &instruction, const State &before) const {
        const isa::Op op = instruction.insn.op;
        return (op == isa::Op::kCal || op == isa::Op::kPret) && instruction.executed.any() && at_call_limit(before);
    }
    /// As a sentence; empty: none.
    std::string broken(const sm::ExecutedInstruction &instruction, const State &before, const State &after) const;

  private:
    std::string broken_jump(const sm::ExecutedInstruction &instruction, const State &before, const State &after) const;
    std::string broken_groups(const sm::ExecutedInstruction &instruction, const State &before,
                              const State &after) const;
    bool at_call_limit(const State &state) const;

    const Program &program_;
    TokenStackConfig config_;
};

} // namespace smsim::fuzz
