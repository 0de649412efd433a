// Code between instruction selection and assembly text: the model's instructions on virtual registers, in a
// control-flow graph whose edges are part of the blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smsim::ptx::machine {

enum class RegisterClass : std::uint8_t { kGeneral, kPredicate };

/// A virtual register: index into Function::registers.
using Register = std::uint32_t;
inline constexpr Register kNoRegister = 0xffffffff;

/// A register's class and size. A general one has 1, 2, 4, 8 or 16 words of 32 bits; several need an
/// aligned place.
struct RegisterInfo {
    RegisterClass kind = RegisterClass::kGeneral;
    std::uint8_t words = 1;
    std::int16_t fixed = -1; ///< number of its first word if preassigned; -1 otherwise
    bool spilled = false;    ///< lives for one instruction only, so that it cannot be spilled again
    bool temporary = false;  ///< of one sequence of instructions, not a name of the program
};

enum class OperandKind : std::uint8_t {
    kZero,      ///< RZ; as predicate PT
    kRegister,  ///< `words` words of `reg` from `first` on
    kPredicate, ///< `reg`; kNoRegister is PT
    kInteger,   ///< `value`, 32 bits
    kAddress,   ///< [reg + value]; kNoRegister: [value]
    kConstant,  ///< c[bank][value], or with `reg` c[bank][reg + value]
    kBarrier,   ///< convergence barrier number `value`
    kLabel,     ///< block number `value` of the function
    kText,      ///< `text` unchanged: special registers, labels of functions and of data
};

struct Operand {
    OperandKind kind = OperandKind::kZero;
    bool defined = false;  ///< written, not read
    bool negated = false;  ///< -x, or !p
    bool absolute = false; ///< |x|
    std::uint8_t first = 0;
    std::uint8_t words = 1;
    std::uint8_t bank = 0;
    Register reg = kNoRegister;
    std::int64_t value = 0;
    std::string text{};
    friend bool operator==(const Operand &, const Operand &) = default;

    /// True when a register is read or written through this operand.
    bool has_register() const { return reg != kNoRegister; }
};

/// How an instruction takes part in a meeting of threads of a warp.
enum class Meeting : std::uint8_t {
    kNone,
    kAlone,   ///< a separate WARPSYNC: `bar.warp.sync`
    kArrival, ///< a WARPSYNC in front of an arrival at a barrier of the CTA
    kLanes,   ///< a WARPSYNC in front of an instruction over the lanes that meet
    kOfLanes, ///< that instruction: the next of them in the block
};

/// Mnemonic of a pseudo-instruction: its operand has an undefined value from here on.
inline constexpr std::string_view kUndefined = "UNDEFINED";

/// One instruction. A guarded one keeps the old value of what it defines where the guard is false, unless `kills`.
struct Instruction {
    std::string mnemonic; ///< with modifiers: "IADD3.X"
    std::vector<Operand> operands{};
    Operand guard{.kind = OperandKind::kPredicate};
    std::uint32_t line = 0; ///< of the PTX file; 0: none
    bool kills = false;     ///< guarded, but the old value is not read where the guard is false
    bool removable = false; ///< a WARPSYNC that may be removed where its threads are together already
    Meeting meeting = Meeting::kNone;
    bool warp_wide = false;          ///< of instructions over lanes: over all of the warp, with one result
    bool spins = false;              ///< reads memory that other threads write while this one waits, or calls code
                                     ///< that does
    bool moves_threads = false;      ///< of a mechanism of reconvergence: stays, and nothing is moved past it
    std::vector<Register> uses{};    ///< registers that a call or return reads beside its operands
    std::vector<Register> defines{}; ///< registers that a call leaves its results in
    std::int32_t callee = -1;        ///< CALL: index of the function, or -1 for an indirect one
    std::uint32_t prototype = 0;     ///< indirect CALL: index into Module::prototypes

    bool guarded() const { return guard.has_register() || guard.negated; }
};

/// How a block ends.
enum class EndKind : std::uint8_t {
    kFall,   ///< goes to `next`
    kBranch, ///< to `taken` where `predicate` holds, otherwise to `next`
    kTable,  ///< to table[index]; threads may differ
    kReturn, ///< back to the caller
    kExit,   ///< the threads end
    kStop,   ///< nowhere: the rest of a block that was merged into another one
};

using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNoBlock = 0xffffffff;

struct End {
    EndKind kind = EndKind::kFall;
    Operand predicate{.kind = OperandKind::kPredicate};
    BlockIndex taken = kNoBlock;
    BlockIndex next = kNoBlock;
    bool uniform = false;       ///< the program states that all threads go the same way
    bool rare = false;          ///< few threads go to `next`: the branch around it is kept
    bool taken_written = false; ///< the code of the block sends threads to `taken` itself
    bool next_written = false;  ///< likewise to `next`
    Operand index{};            ///< kTable: register, and below
    std::vector<BlockIndex> table{};
    std::uint32_t line = 0;
};

struct Block {
    std::vector<Instruction> code{};
    End end{};
};

/// Successors of a block, each once.
std::vector<BlockIndex> successors(const Block &block);

/// Calls `visit` with each edge of the block as a reference that may be changed.
template <typename Visit> void for_each_edge(Block &block, Visit visit) {
    if (block.end.kind == EndKind::kBranch) {
        visit(block.end.taken);
    }
    if (block.end.kind == EndKind::kBranch || block.end.kind == EndKind::kFall) {
        visit(block.end.next);
    }
    if (block.end.kind == EndKind::kTable) {
        for (BlockIndex &target : block.end.table) {
            visit(target);
        }
    }
}

/// A kernel or device function; blocks[0] is the entry.
struct Function {
    std::string name;  ///< as in PTX
    std::string label; ///< as in assembly
    bool kernel = false;
    std::vector<RegisterInfo> registers;
    std::vector<Block> blocks;
    std::uint32_t frame_bytes = 0;        ///< local memory of its variables and spilled registers
    bool moves_stack = false;             ///< has alloca
    std::vector<std::int32_t> address_of; ///< functions whose address it takes
    std::vector<std::uint32_t> shared;    ///< shared variables that it names: indices into Module::shared
    std::uint32_t parameter_bytes = 0;    ///< kernels: size of the argument block
    std::uint32_t most_threads = 0;       ///< kernels: of a CTA (.maxntid); 0: any
    std::array<std::uint32_t, 3> block{}; ///< kernels: extents of a CTA (.reqntid); zeros: any
    std::uint32_t register_limit = 255;   ///< kernels: maximum registers per thread that its directives allow
    std::uint32_t line = 0;

    Register add(RegisterClass kind, unsigned words = 1, int fixed = -1);
    BlockIndex add_block();
};

/// Calls `visit(operand)` with each register operand of the instruction, its guard included.
template <typename Code, typename Visit> void for_each_register(Code &instruction, Visit visit) {
    for (auto &operand : instruction.operands) {
        if (operand.has_register()) {
            visit(operand);
        }
    }
    if (instruction.guard.has_register()) {
        visit(instruction.guard);
    }
}

/// True when an instruction does more than write its registers, so that it must stay even if they are not read.
bool has_effect(const Instruction &instruction);

/// True where threads must be together: at arrivals at barriers of the CTA, and at meetings of a warp.
bool is_sync(const Instruction &instruction);

/// True for an unguarded MOV from register to register: it vanishes if both get the same place.
bool is_copy(const Instruction &instruction);

} // namespace smsim::ptx::machine
