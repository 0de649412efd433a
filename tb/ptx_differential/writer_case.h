// One instruction while it is being written into a kernel.
#pragma once

#include <string>
#include <vector>

#include "tb/ptx_differential/kernel_writer.h"

namespace smsim::ptx_differential {

/// How an instruction is tested.
enum class Manner : std::uint8_t { kCompute, kMemory, kAtomic, kAddress, kHint, kSynchronise, kByHand };

Manner manner_of(std::string_view opcode);

struct KernelWriter::Case {
    struct Target {
        std::string name;
        ptx::Type type;
        unsigned bits = 0; ///< of the register
    };

    Case(const Variant &written, unsigned chosen);

    Manner manner() const { return manner_of(variant.form->opcode); }
    ptx::Type type_of(char letter) const;
    bool is_target(char letter) const { return std::string_view("dDwePxvzZ").find(letter) != std::string_view::npos; }
    /// The selector (".b2", ".h31", or empty) of an operand of a video instruction. `position` of the operand.
    std::string selector(char letter, unsigned position) const;
    /// The set of values (values.h) of a source operand.
    std::string_view set_of(char letter, unsigned position) const;
    /// True for the mask of an instruction of a whole warp.
    bool is_mask(char letter, unsigned position) const;

    const Variant &variant;
    unsigned number;
    unsigned constant_at; ///< position of the constant source; past the end: none
    bool any_nan = false;
    bool flushed_or_not = false;
    bool computed = false;
    std::string text;
    std::vector<Input> inputs;
    std::vector<Target> targets;
    std::string after; ///< lines that load what was stored into registers
};

} // namespace smsim::ptx_differential
