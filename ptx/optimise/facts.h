// What the passes know of single instructions: which operation a mnemonic is, which kinds of operands it takes, and
// whether its results depend on its operands alone. All of it comes from the instruction-set table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/isa/isa.h"
#include "ptx/machine/code.h"

namespace smsim::ptx::optimise {

/// The operation of a mnemonic with its modifiers; null where its name has a dot of its own, or is none.
const isa::OpSpec *operation_of(std::string_view mnemonic);

/// True when `mnemonic` is `name`, with whatever modifiers.
bool is_operation(std::string_view mnemonic, std::string_view name);

/// True when `mnemonic` has the modifier `word` (".X", with its dot).
bool has_modifier(std::string_view mnemonic, std::string_view word);

/// True when the instruction does nothing but compute its results, each time the same ones of the same operands, for
/// each thread alone.
bool is_pure(const machine::Instruction &instruction);

/// True for instructions of variable latency, which take a slow unit's time.
bool is_slow(const machine::Instruction &instruction);

/// True when the instruction has a form with operands of these kinds, in this order, with these signs.
bool has_form(const machine::Instruction &instruction);

/// True for ISETP, FSETP and DSETP.
bool is_comparison(std::string_view mnemonic);
/// The comparison that holds where this one does not, NaNs included; nothing for those that always or never hold.
std::optional<std::string> opposite_comparison(const std::string &mnemonic);

/// How an instruction understands a number that it takes, and with it the sign of an operand.
enum class Numbers : std::uint8_t {
    kBits,    ///< as it stands; there are no signs
    kInteger, ///< -x is the two's complement
    kSingle,  ///< -x and |x| change the topmost bit
    kDouble,  ///< the upper word of a double
    kHalves,  ///< -x and |x| change the topmost bit of both halves
};
Numbers numbers_of(std::string_view mnemonic);

} // namespace smsim::ptx::optimise
