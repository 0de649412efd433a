// What a control instruction must have done to the stack of its warp under simt_stack, checked on the states before
// and after it. Results alone do not show which path runs first. Written from engines.md, not from the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config/sections/bru.h"
#include "model/program/program.h"
#include "sm/execution_observer.h"

namespace smsim::fuzz {

class SimtRules {
  public:
    static constexpr std::string_view kEngine = "simt_stack";
    struct Entry {
        Pc rpc = 0;
        Pc pc = 0;
        LaneMask mask;
        friend bool operator==(const Entry &, const Entry &) = default;
    };
    struct State {
        Pc pc = 0;
        LaneMask active; ///< mask
        Pc rpc = 0;
        std::vector<Entry> stack; ///< the top is the last
        friend bool operator==(const State &, const State &) = default;
    };

    SimtRules(const Program &program, const BruConfig &config) : program_(program), config_(config.simt_stack) {}

    static State started(const WarpStart &start) { return {start.entry, start.valid, 0, {}}; }
    static State read(const ControlSnapshot &snapshot);
    static LaneMask valid(const WarpStart &start, const State & /*state*/) { return start.valid; }
    static std::string text(const State &state);
    static std::size_t room() { return ~std::size_t{0}; }
    static bool skips(const sm::ExecutedInstruction & /*instruction*/, const State & /*before*/) { return false; }
    /// As a sentence; empty: none.
    std::string broken(const sm::ExecutedInstruction &instruction, const State &before, const State &after) const;

  private:
    std::string broken_branch(const isa::Instruction &insn, const State &before, const State &after) const;
    std::string broken_jump(const sm::ExecutedInstruction &instruction, const State &before, const State &after) const;
    bool joins_at(Pc pc) const;

    const Program &program_;
    SimtStackConfig config_;
};

} // namespace smsim::fuzz
