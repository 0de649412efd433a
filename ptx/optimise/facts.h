// Facts about single instructions for the passes: which operation a mnemonic is, which kinds of operands it takes, and
// whether its results depend only on its operands. All of it comes from the instruction-set table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/isa/isa.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The operation of a mnemonic with its modifiers; null if its name contains a dot itself, or is unknown.
const isa::OpSpec *operation_of(std::string_view mnemonic);

/// True when `mnemonic` is `name`, with whatever modifiers.
bool is_operation(std::string_view mnemonic, std::string_view name);

/// True when `mnemonic` has the modifier `word` (".X", with its dot).
bool has_modifier(std::string_view mnemonic, std::string_view word);

/// True when the instruction only computes its results, always the same from the same operands, for each thread alone.
bool is_pure(const machine::Instruction &instruction);

/// True for instructions of variable latency, which occupy a slow unit.
bool is_slow(const machine::Instruction &instruction);

/// True when the instruction has a form with operands of these kinds, in this order, with these signs.
bool has_form(const machine::Instruction &instruction);

/// True for ISETP, FSETP and DSETP.
bool is_comparison(std::string_view mnemonic);
/// The comparison that holds where this one does not, NaNs included; nothing for those that always or never hold.
std::optional<std::string> opposite_comparison(const std::string &mnemonic);

/// How an instruction interprets a number that it takes, and the sign of an operand.
enum class Numbers : std::uint8_t {
    kBits,    ///< unchanged; there are no signs
    kInteger, ///< -x is the two's complement
    kSingle,  ///< -x and |x| change the topmost bit
    kDouble,  ///< the upper word of a double
    kHalves,  ///< -x and |x| change the topmost bit of both halves
};
Numbers numbers_of(std::string_view mnemonic);

} // namespace smsim::ptx::optimise
