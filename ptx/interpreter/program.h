// A PTX module prepared for interpretation: names are slots, addresses and indices, labels are positions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/ast.h"
#include "ptx/interpreter/operation.h"
#include "ptx/matrix_form.h"

namespace smsim::ptx::interpreter {

/// The space of a generic address, by its upper 32 bits; everything else is global memory.
inline constexpr std::uint64_t kSharedWindow = 0x0000'7f01;
inline constexpr std::uint64_t kLocalWindow = 0x0000'7f02;
inline constexpr std::uint64_t kParameterWindow = 0x0000'7f03;
inline constexpr std::uint64_t kConstWindow = 0x0000'7f04;
/// Variables of the module in .global start here; functions have addresses from the second one on.
inline constexpr std::uint64_t kModuleGlobals = 0x0000'0010'0000'0000;
inline constexpr std::uint64_t kFunctionAddresses = 0x0000'000f'0000'0000;
inline constexpr std::uint64_t kFunctionStep = 16;

enum class Memory : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParameter };

enum class Special : std::uint8_t {
    kTid,
    kNtid,
    kCtaid,
    kNctaid,
    kLaneid,
    kWarpid,
    kNwarpid,
    kLanemaskEq,
    kLanemaskLe,
    kLanemaskLt,
    kLanemaskGe,
    kLanemaskGt,
    kClock,
    kClockHigh,
    kTotalShared,
    kDynamicShared,
    kNsmid,
    kZero
};

/// A value that is read.
struct Source {
    enum class Mode : std::uint8_t { kRegister, kImmediate, kFrame, kSpecial };
    Mode mode = Mode::kImmediate;
    bool negated = false;
    Special special = Special::kZero;
    unsigned component = 0;  ///< of a special register: 0 x, 1 y, 2 z, 3 w
    unsigned bits = 64;      ///< of the type it is read as
    unsigned slot = 0;       ///< kRegister
    std::uint64_t value = 0; ///< kImmediate; kFrame: offset in the frame's local memory
};

/// A register that is written.
struct Target {
    bool sink = true;
    bool extends = false;    ///< by sign, when the register is wider
    unsigned from_bits = 64; ///< of the value
    unsigned bits = 64;      ///< of the register
    unsigned slot = 0;
};

/// A parameter or result of a function, or the argument or destination that a call gives for it.
struct Parameter {
    bool in_register = false;
    bool kernel = false;      ///< bytes of a parameter of the kernel (arguments only)
    Source source;            ///< of an argument that is a value
    Target target;            ///< register of a formal parameter, or of the caller that takes a result
    std::uint64_t offset = 0; ///< in the frame's local memory
    std::uint64_t bytes = 0;
};

enum class Kind : std::uint8_t {
    kCompute,
    kMove,
    kLoad,
    kStore,
    kAtomic,
    kToGeneric,
    kFromGeneric,
    kIsSpace,
    kBranch,
    kTable,
    kCall,
    kReturn,
    kExit,
    kBarrier,
    kMeet,
    kMatrix,
    kActive,
    kTrap,
    kNothing,
    kAllocate,
    kStackSave,
    kStackRestore
};

struct Step {
    Kind kind = Kind::kNothing;
    bool guarded = false;
    bool guard_negated = false;
    unsigned guard = 0; ///< slot
    Operation operation;
    std::vector<Target> targets;
    std::vector<Source> sources; ///< of memory instructions: the address, then what is stored
    Target second;               ///< the predicate after '|'
    Memory memory = Memory::kGeneric;
    unsigned bytes = 0;               ///< of one element in memory
    std::int64_t offset = 0;          ///< added to the address
    unsigned address_bits = 64;       ///< in which the addition wraps
    std::vector<unsigned> positions;  ///< of branches
    std::vector<Parameter> arguments; ///< of a call
    std::vector<Parameter> results;
    /// Of kMatrix. Its sources are those of the products in the order of the operands, or as of memory instructions.
    std::shared_ptr<const ptx::MatrixForm> matrix;
    const ptx::Instruction *instruction = nullptr;
};

struct CompiledFunction {
    std::string name;
    bool entry = false;
    bool defined = false;
    std::vector<Step> steps;
    unsigned slots = 0;
    std::uint64_t frame_bytes = 0; ///< of local memory
    std::vector<Parameter> parameters;
    std::vector<Parameter> returns;
    std::uint64_t parameter_bytes = 0; ///< of a kernel
};

struct CompiledModule {
    std::vector<CompiledFunction> functions;
    std::map<std::string, unsigned, std::less<>> by_name;
    std::vector<std::uint8_t> global; ///< initial, from kModuleGlobals on
    std::vector<std::uint8_t> constant;
    std::uint64_t static_shared = 0; ///< bytes; dynamic shared memory starts there
};

/// Prepares a checked module, which must outlive the result. Throws InputError for what the interpreter does not
/// cover.
CompiledModule prepare(const ptx::Module &module);

} // namespace smsim::ptx::interpreter
