// Operands as written: the information in the text before the instruction form is known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/expression.h"

namespace smsim::assembler {

enum class OperandKind : std::uint8_t {
    kRegister,       ///< R5, RZ, R[4:5]
    kUniform,        ///< UR5, URZ, UR[4:5]
    kPredicate,      ///< P0, PT
    kConvergence,    ///< B0
    kPredicateFile,  ///< PR
    kSpecial,        ///< SR_TID.X
    kExpression,     ///< number, label, expression
    kFloat,          ///< 1.5, INF, NAN
    kBits32,         ///< 0f3f800000
    kBits64,         ///< 0d3ff8000000000000
    kConstant,       ///< c[bank][offset], c[bank][R5+offset]
    kAddress,        ///< [R5+offset]
    kUniformAddress, ///< [UR5+offset]
    kCondition,      ///< CC.GE
};

/// What precedes an address: nothing, REL: or ABS:.
enum class Anchor : std::uint8_t { kNone, kRelative, kAbsolute };

struct Operand {
    OperandKind kind = OperandKind::kExpression;
    Place place;
    std::uint8_t number = 0;       ///< number of the register, special register or test; base register of an address
    std::uint8_t count = 0;        ///< registers of a written group such as R[4:5]; 0 when written as one
    bool has_register = false;     ///< kConstant, kAddress, kUniformAddress: a base register is written
    bool negated = false;          ///< -x
    bool absolute = false;         ///< |x|
    bool inverted = false;         ///< ~x
    bool not_ = false;             ///< !p
    bool reuse = false;            ///< R5.reuse, R[4:5].reuse
    bool has_offset = false;       ///< kRegister: R5+0x10
    Anchor anchor = Anchor::kNone; ///< kExpression
    Expression expression;         ///< value, or byte offset
    Expression bank;               ///< kConstant
    double value = 0;              ///< kFloat
    float narrow = 0;              ///< kFloat, rounded once from the text
    std::uint64_t bits = 0;        ///< kBits32, kBits64
};

/// Names given by `.reg` to registers, predicates and barriers.
using Aliases = std::map<std::string, Operand, std::less<>>;

/// The name of an operand kind in messages.
std::string_view kind_name(OperandKind kind);

/// The register, predicate or special register of that name; false when there is none. `name` is one word without a
/// group bracket.
bool named_register(std::string_view name, Operand &operand);

/// What is wrong with a name that looks like a register but is none: "R255 does not exist: registers go from R0 to R254
/// and RZ". Empty for every other name.
std::string missing_register(std::string_view name);

/// The operands that can be written: in programs for token_stack also CC.GE, REL:x, ABS:x and R5+0x10.
enum class Dialect : std::uint8_t { kCommon, kTokenStack };

/// Parses one operand; throws SyntaxError.
Operand parse_operand(Cursor &cursor, const Aliases &aliases, Dialect dialect = Dialect::kCommon);

} // namespace smsim::assembler
