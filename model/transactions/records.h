// The traffic on the links of branch unit, barrier unit, sleep timer and shared memory, as plain data: one record for
// each transaction with its answer, and one for each event without an answer (docs/transactions.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/isa/operands.h"
#include "model/state/warp_life.h"
#include "model/stats/release_kind.h"
#include "model/types.h"

namespace smsim::transactions {

/// The parts whose links are recorded.
enum class Part : std::uint8_t { kBru, kBcu, kTimer, kShared };
inline constexpr std::size_t kParts = 4;
/// Name of its section of the configuration: "bru".
const char *part_name(Part part);

/// A message without an answer.
struct Event {
    enum class Kind : std::uint8_t {
        kExit,    ///< to the barrier unit: the warp has exited
        kExpiry,  ///< from the timer, to the branch unit: the timer of the warp has expired
        kStop,    ///< to the timer: the warp ends, or another one starts
        kRequest, ///< from the branch unit, to the timer: expire in `cycles`
        kWake,    ///< from branch and barrier unit: the warp continues
    };
    Cycle at = 0; ///< cycle in which it takes effect
    Kind kind = Kind::kExit;
    WarpSlot warp;
    Cycle cycles = 0; ///< kRequest

    friend bool operator==(const Event &, const Event &) = default;
};

/// A warp starts, reported to branch and barrier unit.
struct Start {
    Cycle at = 0; ///< cycle in which it takes effect
    WarpSlot warp;
    Pc entry = 0;
    Pc code_bytes = 0;
    LaneMask valid;
    CtaSlot cta;
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    std::uint32_t warps_in_cta = 0;

    friend bool operator==(const Start &, const Start &) = default;
};

/// What a branch unit reports to observers of an instruction, besides its answer.
struct BranchDetail {
    LaneMask active; ///< before the instruction
    LaneMask jumped;
    bool split = false;
    std::uint8_t sync = 0; ///< 0 none, 1 passed, 2 another path continues
    std::optional<ReleaseKind> release;

    friend bool operator==(const BranchDetail &, const BranchDetail &) = default;
};

/// With an exception, `detail` is its message, and the rest is meaningless.
struct BranchAnswer {
    Cycle at = 0; ///< cycle in which it takes effect
    std::optional<Fault> fault;
    std::string detail;
    Outcome outcome = Outcome::kContinue;
    Pc next_pc = 0;
    LaneMask next_active;
    LaneMask write_lanes;
    std::uint64_t value = 0;
    std::optional<BranchDetail> told; ///< if the part reports it

    friend bool operator==(const BranchAnswer &, const BranchAnswer &) = default;
};

/// A control instruction. Operands that it does not read are 0.
struct Branch {
    Cycle at = 0; ///< cycle of the request
    WarpSlot warp;
    isa::Instruction insn;
    LaneMask guard;
    LaneMask guard_pp;
    isa::VectorOperands vectors{};
    std::uint64_t scalar = 0;
    std::optional<BranchAnswer> answer; ///< none: the recording ended before

    friend bool operator==(const Branch &, const Branch &) = default;
};

/// As BranchAnswer.
struct BarrierAnswer {
    Cycle at = 0;
    std::optional<Fault> fault;
    std::string detail;
    Outcome outcome = Outcome::kContinue;
    bool writes = false; ///< `value` and `predicate` must be written
    std::uint32_t value = 0;
    bool predicate = false;

    friend bool operator==(const BarrierAnswer &, const BarrierAnswer &) = default;
};

/// A barrier operation. Operands that it does not read are 0.
struct Barrier {
    Cycle at = 0;
    WarpSlot warp;
    isa::Instruction insn;
    LaneMask pmask;
    LaneMask contribution;
    isa::NarrowVectorOperands vectors{};
    std::optional<BarrierAnswer> answer;

    friend bool operator==(const Barrier &, const Barrier &) = default;
};

struct AccessAnswer {
    Cycle at = 0;
    std::int8_t status = 0;          ///< as tlm::tlm_response_status: 1 is OK
    bool performed = false;          ///< atomic
    std::vector<std::uint8_t> bytes; ///< read: those not enabled are 0; atomic: the old value

    friend bool operator==(const AccessAnswer &, const AccessAnswer &) = default;
};

/// A transaction of shared memory. Those of one warp access have one group and follow one another.
struct Access {
    enum class Kind : std::uint8_t { kRead, kWrite, kAtomic, kNothing };
    Cycle at = 0;
    Kind kind = Kind::kRead;
    std::optional<std::uint64_t> group;
    std::uint64_t address = 0;
    std::uint32_t length = 0;         ///< bytes
    std::uint32_t width = 0;          ///< bytes of memory that it touches, at most `length`; then it wraps to its
                                      ///< address
    std::vector<bool> enabled{};      ///< by byte; empty: all
    std::vector<std::uint8_t> data{}; ///< write: `length` bytes; those not enabled are 0
    std::uint8_t op = 0;              ///< atomic: isa::AtomicOp
    std::uint8_t type = 0;            ///< atomic: isa::AtomicType
    std::uint64_t operand = 0;        ///< atomic
    std::uint64_t compare = 0;        ///< atomic
    std::optional<AccessAnswer> answer{};

    friend bool operator==(const Access &, const Access &) = default;
};

using Record = std::variant<Event, Start, Branch, Barrier, Access>;

/// The cycle of a record.
Cycle cycle_of(const Record &record);
/// The order of events of one cycle: exits, expiries, stops, starts, requests to the timer, wakes, requests with an
/// answer.
unsigned rank_of(const Record &record);
/// The warp slot of a record; 0 for an access.
WarpSlot warp_of(const Record &record);

/// The operands that an instruction of branch or barrier unit reads.
struct OperandUse {
    std::size_t vectors = 0; ///< the number of vectors, from the first on
    bool scalar = false;
};
OperandUse operands_read(const isa::Instruction &insn);

} // namespace smsim::transactions
