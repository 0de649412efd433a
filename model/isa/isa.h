// The instruction set as data: which operations exist, in which operand forms, with which modifiers, and where each
// field is in the word. Encoder, decoder, assembler, disassembler, scheduler pass and the documentation all read the
// one table used by `spec_of`; nothing else in the model knows a bit position.
//
// Bit positions given by encoding.md are kept; what that page leaves open (operation numbers, compute operands and
// modifiers) is chosen here and documented in docs/instruction-set.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace smsim::isa {

/// Operations; the value is the `optype` field <0,8>. 0 is not an operation, so that a zeroed word is rejected.
enum class Op : std::uint8_t {
    // Branch unit (bru.md)
    kBra = 0x01,
    kBrx = 0x02,
    kCall = 0x03,
    kRet = 0x04,
    kLepc = 0x05,
    kExit = 0x06,
    kBmov = 0x07,
    kBssy = 0x08,
    kBsync = 0x09,
    kYield = 0x0a,
    kBreak = 0x0b,
    kWarpsync = 0x0c,
    kNanosleep = 0x0d,
    kRtt = 0x0e,
    kTrap = 0x0f,
    kSyscall = 0x10,
    // Barrier unit (bcu.md)
    kBar = 0x20,
    kBarRed = 0x21,
    kB2r = 0x22,
    kB2rResult = 0x23,
    kR2b = 0x24,
    // Control without a unit
    kNop = 0x30,
    kMembar = 0x31,
    // Moves and special registers
    kMov = 0x40,
    kS2r = 0x41,
    kCs2r = 0x42,
    kUmov = 0x43,
    kR2ur = 0x44,
    kS2ur = 0x45,
    kSel = 0x46,
    kP2r = 0x47,
    kR2p = 0x48,
    // Integer and logic
    kIadd3 = 0x50,
    kImad = 0x51,
    kLea = 0x52,
    kIabs = 0x53,
    kImnmx = 0x54,
    kLop3 = 0x55,
    kShf = 0x56,
    kShl = 0x57,
    kShr = 0x58,
    kPrmt = 0x59,
    kPopc = 0x5a,
    kFlo = 0x5b,
    kBrev = 0x5c,
    kIsetp = 0x5d,
    kPsetp = 0x5e,
    kPlop3 = 0x5f,
    // Float
    kFadd = 0x70,
    kFmul = 0x71,
    kFfma = 0x72,
    kFmnmx = 0x73,
    kFsetp = 0x74,
    kMufu = 0x75,
    kF2i = 0x76,
    kI2f = 0x77,
    kF2f = 0x78,
    kDadd = 0x79,
    kDmul = 0x7a,
    kDfma = 0x7b,
    kDsetp = 0x7c,
    kHadd2 = 0x7d,
    kHmul2 = 0x7e,
    kHfma2 = 0x7f,
    // Products of matrices and the conversions to and from their formats (tensor.md 1)
    kHmma = 0x80,
    kImma = 0x81,
    kBmma = 0x82,
    kDmma = 0x83,
    kF2fp = 0x84,
    // Between the lanes of a warp
    kVote = 0x90,
    kMatch = 0x91,
    kRedux = 0x92,
    kShfl = 0x93,
    kMovm = 0x94,
    // Memory
    kLdc = 0xa0,
    kLds = 0xa1,
    kSts = 0xa2,
    kLdg = 0xa3,
    kStg = 0xa4,
    kLdl = 0xa5,
    kStl = 0xa6,
    kAtoms = 0xa7,
    kAtomsCas = 0xa8,
    kAtomg = 0xa9,
    kAtomgCas = 0xaa,
    kRed = 0xab,
    kLdsm = 0xac,
    kStsm = 0xad,
    // Only of the engine simt_stack (engines.md simt_stack)
    kVbeq = 0xc0,
    kVbne = 0xc1,
    kVblt = 0xc2,
    kVbge = 0xc3,
    kVbltu = 0xc4,
    kVbgeu = 0xc5,
    kSetrpc = 0xc6,
    kJoin = 0xc7,
    kBarrier = 0xc8,
    kEndprg = 0xc9,
    // Only of the engine token_stack; its BRA, BRX and RET differ from those above
    kTokenBra = 0xd0,
    kTokenBrx = 0xd1,
    kJmp = 0xd2,
    kJmx = 0xd3,
    kSsy = 0xd4,
    kPbk = 0xd5,
    kPcnt = 0xd6,
    kPret = 0xd7,
    kSync = 0xd8,
    kBrk = 0xd9,
    kCont = 0xda,
    kTokenRet = 0xdb,
    kCal = 0xdc,
};

/// Operand forms; the value is the `stype` field <8,4>. RR* forms have their third source in other bits.
enum class Form : std::uint8_t {
    kX = 0,   ///< no register, immediate or constant operand besides those fixed by the operation
    kR = 1,   ///< register(s)
    kI = 2,   ///< immediate
    kU = 3,   ///< uniform register; of a memory access: the address is in one
    kC = 4,   ///< constant memory
    kRi = 5,  ///< register and immediate (R2B)
    kRri = 6, ///< register b, immediate c
    kRir = 7, ///< immediate b, register c
    kRrc = 8, ///< register b, constant c
    kRru = 9, ///< register b, uniform register c
};

/// The unit that executes an operation; execution pipes, BRU and BCU are dispatched by it.
enum class Unit : std::uint8_t {
    kNone,      ///< NOP, MEMBAR: no unit; the issue stage decides their timing
    kAlu,       ///< integer and logic, fixed latency
    kFma,       ///< single-precision float and integer multiply, fixed latency
    kXu,        ///< special functions, conversions, shuffles: variable latency
    kFp64,      ///< double precision: variable latency
    kHalf,      ///< pairs of 16-bit floats, fixed latency
    kTensor,    ///< products of matrices, fixed latency
    kUniform,   ///< uniform datapath
    kLoadStore, ///< load/store unit
    kBranch,    ///< BRU
    kBarrier,   ///< BCU
};
inline constexpr unsigned kUnits = static_cast<unsigned>(Unit::kBarrier) + 1;

/// Where an operand or field of an instruction is: names a member of `Instruction` and a bit field of the word.
enum class Place : std::uint8_t {
    kRd,       ///< <16,8> rd
    kUrd,      ///< <16,6> rd (uniform destination)
    kRa,       ///< <24,8> ra
    kUra,      ///< <24,6> ur
    kRb,       ///< <32,8> rb
    kUrb,      ///< <32,6> ur
    kRcLow,    ///< <32,8> rc (forms RIR of BAR, BAR_RED)
    kRbHigh,   ///< <64,8> rb (forms RRI, RRC, RRU: bits 32.. hold source c)
    kRc,       ///< <64,8> rc
    kRe,       ///< <40,8> re
    kImm32,    ///< <32,32> imm
    kImm5,     ///< <32,5> imm (SHFL lane)
    kImm13,    ///< <40,13> imm2 (SHFL clamp)
    kLut,      ///< <72,8> imm2 (LOP3, PLOP3 truth table)
    kLut2,     ///< <40,8> imm (PLOP3 second truth table)
    kShift,    ///< <72,5> imm2 (LEA)
    kSreg,     ///< <72,8> imm2 (special register number)
    kOffset,   ///< <32,50> imm, signed, unit 16 bytes
    kSync,     ///< <32,32> imm, signed, unit 16 bytes (BSSY, SETRPC)
    kHigh,     ///< <64,32> imm, signed, unit 16 bytes (VBEQ and its like, which read two registers)
    kConst,    ///< <32,22> const_bank, const_offset
    kAddress,  ///< ra <24,8> plus signed byte offset imm <40,24>
    kUaddress, ///< ur <24,6> plus signed byte offset imm <40,24>
    kIndexed,  ///< c[bank][ra + offset]: ra <24,8>, const_bank, const_offset <32,22>
    kBarId,    ///< <40,4> barid
    kCount,    ///< <44,12> imm2
    kBreg,     ///< <84,4> breg
    kPp,       ///< <98,3> pp, <101,1> pp_not
    kPa,       ///< <32,3> pa, <35,1> pa_not
    kPb,       ///< <36,3> pb, <39,1> pb_not
    kPu,       ///< <106,3> pu
    kPv,       ///< <103,3> pv
    kTest,     ///< <72,5> condition
    kBytes24,  ///< <32,24> imm, signed, bytes (BRA, SSY, CAL and their like of token_stack)
    kBase24,   ///< ra <24,8> plus imm <32,24>, signed, bytes (BRX of token_stack)
    kBase32,   ///< ra <24,8> plus imm <32,32>, signed, bytes (JMX)
    kPr,       ///< the whole predicate file, written PR; occupies no bits
};

/// How an operand is written and what it denotes.
enum class Kind : std::uint8_t {
    kReg,      ///< R0..R254, RZ; pairs R[4:5]
    kUreg,     ///< UR0..UR62, URZ; pairs UR[4:5]
    kPredDst,  ///< P0..P6, PT: written
    kPredSrc,  ///< {!}P0..P6, {!}PT: read
    kBreg,     ///< B0..B15
    kUint,     ///< unsigned integer that fits the place
    kInt,      ///< 32-bit integer, signed or unsigned text
    kFloat,    ///< 32-bit float bits; text 1.5 or 0f3fc00000
    kFloat64,  ///< upper 32 bits of a double; text 1.5 or 0d3ff8000000000000
    kTarget,   ///< label or absolute byte address, encoded relative to the next instruction (BRA, BSSY, SETRPC, VBEQ)
    kByteOff,  ///< byte offset, multiple of 16 (BRX, LEPC); a label of CALL/RET is that label's address
    kConst,    ///< c[bank][offset]
    kAddress,  ///< [Ra+offset]
    kUaddress, ///< [URa+offset]
    kIndexed,  ///< c[bank][Ra+offset]
    kSreg,     ///< SR_TID.X ...
    kPredFile, ///< PR
    kTest,     ///< CC.GE
    kRelative, ///< label, absolute byte address or REL: and a distance in bytes; encoded relative to the next
               ///< instruction
    kPlace,    ///< label or absolute byte address, also after ABS:; encoded as it is (JMP)
    kBase,     ///< Ra+offset: a code address or a distance in bytes (BRX, JMX of token_stack)
};

/// How many 32-bit registers an operand spans.
enum class Width : std::uint8_t {
    k1,      ///< one
    k2,      ///< an even-aligned pair
    kAccess, ///< by the access size of modifier 0: 1, 2 (64) or 4 (128)
    kAtomic, ///< by the type of modifier "type": 1, or 2 for 64-bit types
    kMod0,   ///< 2 when modifier 0 names a 64-bit type, else 1
    kMod1,   ///< 2 when modifier 1 names a 64-bit type, else 1
    kMatrix, ///< by shape and types of a product of matrices: those of its D, A, B or C
    kMoved,  ///< one for each matrix that LDSM or STSM moves
};

/// Flags of an operand.
enum OperandFlag : std::uint8_t {
    kOptional = 1, ///< may be left out in text: registers RZ, predicates PT, numbers 0 (or `default_value`)
    kNegate = 2,   ///< accepts a leading '-'
    kAbsolute = 4, ///< accepts |x|
    kInvert = 8,   ///< accepts a leading '~' (bitnot)
    kWritten = 16, ///< destination
    kReadToo = 32, ///< destination that is also read
};

struct OperandSpec {
    Place place;
    Kind kind;
    Width width = Width::k1;
    std::uint8_t flags = 0;
    std::int64_t default_value = 0;

    constexpr bool has(OperandFlag flag) const { return (flags & flag) != 0; }
};

/// A modifier field of an operation: one of `names` after a dot. An empty name is not written.
struct ModifierSpec {
    std::uint8_t lsb;
    std::uint8_t width;
    std::span<const std::string_view> names; ///< index = field value; values beyond are decoding errors
    std::uint8_t default_value = 0;          ///< taken when no name of this modifier is written
    bool required = false;                   ///< must be written; no default
    bool always_printed = false;             ///< the disassembler prints the default too
};

struct FormSpec {
    Form form;
    std::span<const OperandSpec> operands; ///< in the order of the text
};

/// Flags of an operation.
enum OpFlag : std::uint32_t {
    kGuardPp = 1,        ///< has the second guard predicate pp (encoding.md Forms, "second predicate")
    kVariable = 2,       ///< result latency is not fixed: needs a scoreboard
    kReadsMemory = 4,    ///< returns data from memory through the load/store unit
    kWritesMemory = 8,   ///< changes memory
    kMayJump = 16,       ///< can change ActivePC or ActiveMask: the warp does not run ahead of it
    kShared = 64,        ///< addresses shared memory
    kGlobal = 128,       ///< addresses global memory (64-bit addresses)
    kLocal = 256,        ///< addresses local memory
    kConstant = 512,     ///< addresses constant memory
    kAtomic = 1024,      ///< reads and writes memory in one step
    kCompareSwap = 2048, ///< an atomic that compares; other atomics name their operation in modifier 0
    kFence = 4096,       ///< issued once earlier memory operations of the warp are performed; then holds the warp for a
                         ///< time that depends on the scope in modifier 0
    kArrives = 8192,     ///< arrives at a CTA barrier and waits for it
    kMayRunOn = 16384,   ///< unless modifier 0, a BarMode, says that the warp runs on
    kSpecialRegister = 32768, ///< reads a special register
    kNoGuard = 65536,         ///< takes no guard: it acts for the warp as a whole
    kConditionTest = 131072,  ///< has a condition test instead of a second guard
    kConditionCodes = 262144, ///< sets condition flags when its last modifier, `.CC`, is written
    kFp32 = 524288,           ///< among those of Unit::kFma: may run on a second FP32 pipe, if there is one
    kMatrixRows = 1048576 ///< accesses rows of matrices for the warp as a whole (tensor.md 1): threads 8 j to 8 j + 7
                          ///< have the addresses of the rows of matrix j
};

/// Which value of the configuration is the result latency of an operation.
enum class LatencyClass : std::uint8_t {
    kUnit,            ///< that of the unit
    kSpecialRegister, ///< of reads through the special-function pipe
    kShuffle,         ///< of exchanges between lanes
    kDoubleFma,       ///< of double-precision multiply-add
    kVote,            ///< of votes
    kMatch,           ///< of comparisons of all lanes
    kRedux,           ///< of reductions over lanes
    kProduct,         ///< of integer multiply-add: that of the unit, unless it takes the upper half
    kMatrix,          ///< of products of matrices, by shape and types
};

/// Number of modifier slots of an instruction.
inline constexpr unsigned kMaxModifiers = 6;

struct OpSpec {
    Op op;
    std::string_view name; ///< mnemonic without modifiers; may hold dots ("BAR.RED")
    Unit unit;
    std::uint32_t flags;
    std::span<const ModifierSpec> modifiers;
    std::span<const FormSpec> forms;
    std::string_view summary; ///< one line for the documentation
    LatencyClass latency = LatencyClass::kUnit;

    constexpr bool has(OpFlag flag) const { return (flags & flag) != 0; }
    /// Whether it is a load, a store or an atomic: it has a place in the order of memory. Other instructions of the
    /// load/store unit only pass through its queue.
    constexpr bool accesses_memory() const { return (flags & (kShared | kGlobal | kLocal)) != 0; }
};

/// All operations in ascending order of their number.
std::span<const OpSpec> all_operations();

/// The specification of an operation; null when the number names none.
const OpSpec *find_op(std::uint8_t optype);
/// The specifications by the numbers of their operations; null if there is none.
extern const std::array<const OpSpec *, 256> kSpecsByNumber;
/// The specification of a known operation.
inline const OpSpec &spec_of(Op op) {
    return *kSpecsByNumber[static_cast<std::uint8_t>(op)];
}
/// The form of an operation; null when the operation lacks it.
const FormSpec *find_form(const OpSpec &spec, Form form);
/// Name of a form as in encoding.md Forms ("RRI").
std::string_view form_name(Form form);

/// Special registers of S2R, CS2R and S2UR; the value is the field <72,8>.
enum class SpecialRegister : std::uint8_t {
    kLaneId,
    kWarpId, ///< warp number inside the CTA
    kTidX,
    kTidY,
    kTidZ,
    kCtaIdX,
    kCtaIdY,
    kCtaIdZ,
    kNtidX,
    kNtidY,
    kNtidZ,
    kNctaIdX,
    kNctaIdY,
    kNctaIdZ,
    kSmId,
    kEqMask,
    kLtMask,
    kLeMask,
    kGtMask,
    kGeMask,
    kClockLo,
    kClockHi,
    kGlobalTimerLo, ///< simulated time in ns, low half
    kGlobalTimerHi,
};
/// Names in text, index = value ("SR_TID.X").
std::span<const std::string_view> special_register_names();

// --- values of modifier fields that the execution cores switch on ------------------------------------------------

/// BRA condition <82,2>.
enum class BraCondition : std::uint8_t { kNone = 0, kUniform = 1, kDivergent = 2, kConvergent = 3 };
/// Comparison of ISETP, FSETP, DSETP; the integer compare has the first eight only.
enum class Compare : std::uint8_t {
    kF,
    kLt,
    kEq,
    kLe,
    kGt,
    kNe,
    kGe,
    kT,
    kNum,
    kNan,
    kLtu,
    kEqu,
    kLeu,
    kGtu,
    kNeu,
    kGeu
};
/// Boolean combination of the SETP family.
enum class Combine : std::uint8_t { kAnd, kOr, kXor };
/// IEEE rounding modes: nearest even, toward minus infinity, toward plus infinity, toward zero.
enum class Rounding : std::uint8_t { kRn, kRm, kRp, kRz };
/// Access size of loads and stores.
enum class Access : std::uint8_t { kU8, kS8, kU16, kS16, k32, k64, k128 };
/// Atomic operation <72,4>; CAS is an operation of its own.
enum class AtomicOp : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };
/// Atomic operand type <76,3>.
enum class AtomicType : std::uint8_t { kU32, kS32, kU64, kS64, kF32, kF64 };
/// MUFU function.
enum class Mufu : std::uint8_t { kRcp, kRsq, kSqrt, kEx2, kLg2, kSin, kCos };
/// Integer types of F2I and I2F.
enum class IntType : std::uint8_t { kS32, kU32, kS64, kU64, kS16, kU16, kS8, kU8 };
/// Float types of F2I, I2F and F2F; kBf16 of F2F only.
enum class FloatType : std::uint8_t { kF32, kF64, kF16, kBf16 };
/// Contents of the two halves in HADD2, HMUL2, HFMA2; modifier 0.
enum class HalfFormat : std::uint8_t { kF16, kBf16 };
/// Their final limit of a result; modifier 2.
enum class HalfLimit : std::uint8_t { kNone, kSat, kRelu };
/// Which half of a source both results take: each its own, both the lower, both the upper; modifiers 3, 4, 5 for a, b,
/// c.
enum class HalfSource : std::uint8_t { kOwn, kLow, kHigh };
/// What F2FP makes of what; modifier 0: two F32 become a pair of 8-bit floats, a pair of F16 becomes one of 8-bit
/// floats or the other way, an F32 becomes a TF32.
enum class TensorConversion : std::uint8_t {
    kE4m3FromF32,
    kE5m2FromF32,
    kE4m3FromF16,
    kE5m2FromF16,
    kF16FromE4m3,
    kF16FromE5m2,
    kTf32FromF32
};
/// Rounding to an integer: F2I, and F2F's rounding to an integral value (where 0 means "none").
enum class IntRounding : std::uint8_t { kNone, kNearest, kFloor, kCeil, kTrunc };
/// BAR mode: wait for the barrier, or run on.
enum class BarMode : std::uint8_t { kSync, kArv };
/// BAR_RED reduction <80,2>.
enum class RedOp : std::uint8_t { kAnd = 0, kOr = 1, kPopc = 2 };
/// SHFL mode.
enum class Shuffle : std::uint8_t { kIdx, kUp, kDown, kBfly };
/// REDUX operation.
enum class Redux : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };
/// VOTE mode.
enum class Vote : std::uint8_t { kAll, kAny, kEq };
/// MEMBAR scope.
enum class Scope : std::uint8_t { kCta, kGpu, kSys };

/// Whether `op` is VBEQ, VBNE, VBLT, VBGE, VBLTU or VBGEU: branches that compare two registers of each thread.
constexpr bool is_vector_branch(Op op) {
    return op >= Op::kVbeq && op <= Op::kVbgeu;
}

/// Whether `op` is SSY, PBK, PCNT or PRET: they push a token with the address that they name.
constexpr bool opens_region(Op op) {
    return op >= Op::kSsy && op <= Op::kPret;
}
/// Whether `op` is SYNC, BRK, CONT or the RET of token_stack: they take threads to the address in a token.
constexpr bool leaves_region(Op op) {
    return op >= Op::kSync && op <= Op::kTokenRet;
}
/// Whether `op` is a jump of token_stack: BRA, BRX, JMP, JMX, CAL.
constexpr bool is_token_jump(Op op) {
    return (op >= Op::kTokenBra && op <= Op::kJmx) || op == Op::kCal;
}

/// Bytes per thread of an access size.
constexpr unsigned access_bytes(Access access) {
    switch (access) {
    case Access::kU8:
    case Access::kS8:
        return 1;
    case Access::kU16:
    case Access::kS16:
        return 2;
    case Access::k32:
        return 4;
    case Access::k64:
        return 8;
    case Access::k128:
        return 16;
    }
    return 4;
}

/// Bytes per thread of an atomic type.
constexpr unsigned atomic_bytes(AtomicType type) {
    return type == AtomicType::kU64 || type == AtomicType::kS64 || type == AtomicType::kF64 ? 8 : 4;
}

} // namespace smsim::isa
