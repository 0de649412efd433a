// A PTX module as a tree. Every node has its source position; two trees are equal when they have the same meaning,
// wherever it is in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/text/diagnostics.h"
#include "ptx/type.h"

namespace smsim::ptx {

/// Line and column, from 1. Ignored in comparisons.
struct Position : assembler::Place {
    Position() = default;
    Position(assembler::Place place) : assembler::Place(place) {}
    friend bool operator==(const Position &, const Position &) { return true; }
};

enum class Space : std::uint8_t { kReg, kConst, kGlobal, kLocal, kParam, kShared };
enum class Linkage : std::uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

enum class OperandKind : std::uint8_t {
    kName,    ///< register, special register, variable, function or label; `value` is an offset ("mov %rd, table+8")
    kInteger, ///< `value`
    kSingle,  ///< the 32 bits of a float in `value` (0f3F800000)
    kDouble,  ///< the 64 bits of a double in `value` (0d..., 1.5)
    kAddress, ///< [name + value], [value] without a name; `elements`: coordinates after a comma
    kElement, ///< name[elements[0]]
    kVector,  ///< {elements}
    kPair,    ///< elements[0] | elements[1]
    kList,    ///< (elements), of a call
    kSink,    ///< _
};

struct Operand {
    OperandKind kind = OperandKind::kSink;
    Position place;
    std::string name;
    std::string component; ///< "x" of %tid.x
    bool negated = false;  ///< !p
    std::int64_t value = 0;
    std::vector<Operand> elements;
    friend bool operator==(const Operand &, const Operand &) = default;
};

/// One value of an initialiser.
struct Initialiser {
    enum class Kind : std::uint8_t { kInteger, kSingle, kDouble, kAddress, kList };
    Kind kind = Kind::kInteger;
    Position place;
    std::int64_t value = 0; ///< the integer, the bits of the float, or the offset of the address
    std::string name;       ///< kAddress: variable or function
    bool generic = false;   ///< kAddress: generic(name)
    std::uint64_t mask = 0; ///< kAddress: the byte mask of 0xFF00(name); 0 without
    std::vector<Initialiser> elements;
    friend bool operator==(const Initialiser &, const Initialiser &) = default;
};

/// A variable of any state space, a register, or a parameter.
struct Variable {
    Position place; ///< of the name
    Linkage linkage = Linkage::kNone;
    Space space = Space::kReg;
    std::uint64_t align = 0; ///< bytes; 0: not written
    unsigned vector = 1;     ///< elements of .v2, .v4
    Type type;
    bool pointer = false;                  ///< .ptr of a kernel parameter
    std::optional<Space> pointed;          ///< the state space after .ptr
    std::uint64_t pointed_align = 0;       ///< .align after .ptr
    std::string name;                      ///< "_" for a nameless parameter of a prototype
    std::optional<std::uint64_t> range;    ///< N of %r<N>
    std::vector<std::uint64_t> dimensions; ///< of an array; 0: [] without size, first or only one
    std::optional<Initialiser> initialiser;
    std::vector<std::string> attributes; ///< of .attribute: "managed", "unified(1, 2)"
    friend bool operator==(const Variable &, const Variable &) = default;
};

struct Guard {
    std::string name;
    bool negated = false;
    friend bool operator==(const Guard &, const Guard &) = default;
};

struct Instruction {
    Position place; ///< of the opcode
    std::optional<Guard> guard;
    std::string opcode;
    std::vector<std::string> modifiers; ///< without dots
    std::vector<Operand> operands;
    friend bool operator==(const Instruction &, const Instruction &) = default;
};

struct Label {
    Position place;
    std::string name;
    friend bool operator==(const Label &, const Label &) = default;
};

/// `name: .branchtargets a, b;` or `name: .calltargets f, g;`.
struct TargetList {
    Position place;
    std::string name;
    bool calls = false;
    std::vector<Label> targets;
    friend bool operator==(const TargetList &, const TargetList &) = default;
};

/// Returns and parameters of a function.
struct Signature {
    std::vector<Variable> returns;
    std::vector<Variable> parameters;
    bool noreturn = false;
    friend bool operator==(const Signature &, const Signature &) = default;
};

/// `name: .callprototype (returns) _ (parameters);`.
struct Prototype {
    Position place;
    std::string name;
    Signature signature;
    friend bool operator==(const Prototype &, const Prototype &) = default;
};

/// `.loc`, `.file`, `.pragma`, `.alias` and the performance directives: a name and its words as written.
struct Directive {
    Position place;
    std::string name;               ///< without dot
    std::vector<std::string> words; ///< tokens after it
    friend bool operator==(const Directive &, const Directive &) = default;
};

/// `.section name { ... }`: debugging data, kept as tokens and not interpreted.
struct Section {
    Position place;
    std::string name;
    std::vector<std::string> tokens;
    friend bool operator==(const Section &, const Section &) = default;
};

struct Statement;

/// { ... }: a nested scope.
struct Block {
    Position place;
    std::vector<Statement> statements;
    friend bool operator==(const Block &, const Block &);
};

struct Statement {
    std::variant<Instruction, Label, Variable, Block, TargetList, Prototype, Directive> what;
    friend bool operator==(const Statement &, const Statement &) = default;
};

inline bool operator==(const Block &a, const Block &b) {
    return a.statements == b.statements;
}

struct Function {
    Position place; ///< of the name
    Linkage linkage = Linkage::kNone;
    bool entry = false;
    std::string name;
    Signature signature;
    std::vector<std::string> attributes; ///< like those of a variable
    std::vector<Directive> directives;   ///< .maxntid and the like
    std::optional<Block> body;           ///< none: a declaration
    friend bool operator==(const Function &, const Function &) = default;
};

struct Module {
    unsigned major = 0; ///< .version
    unsigned minor = 0;
    std::vector<std::string> targets; ///< .target
    unsigned address_size = 32;       ///< bits
    std::vector<std::variant<Variable, Function, Directive, Section>> items;
    friend bool operator==(const Module &, const Module &) = default;
};

/// Bytes of a variable without its range; 0 for an array without size. Saturates at 2^64-1.
std::uint64_t size_in_bytes(const Variable &variable);

/// "ld.global.u32": opcode and modifiers as written.
std::string full_name(const Instruction &instruction);

/// True when the operand is a name and nothing else: no component, offset or '!'.
bool is_plain_name(const Operand &operand);

/// The keyword of a state space, without dot.
std::string_view space_name(Space space);

} // namespace smsim::ptx
