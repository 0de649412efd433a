// Compares an answer with the recorded one field by field, and defines the result of a replay. Plain C++.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/stats/lockstep.h"
#include "model/transactions/records.h"

namespace smsim::cosim::transactions {

using namespace smsim::transactions;

/// Each field that differs with both values, `whose` being the other side: "outcome: recorded sleeps, rules goes on".
/// Empty: none does. Cycles are not compared, nor fields without a meaning: of an exception only its name is, and
/// thread and target if the pins report them.
std::string differences(const BranchAnswer &recorded, const BranchAnswer &there, const char *whose);
std::string differences(const BarrierAnswer &recorded, const BarrierAnswer &there, const char *whose);
std::string differences(const AccessAnswer &recorded, const AccessAnswer &there, const char *whose);
/// One field: "wake: recorded none, rules in cycle 61".
std::string field_difference(const std::string &field, const std::string &recorded, const char *whose,
                             const std::string &there);

/// The name under which answers to a record are counted: the operation of an instruction, the kind of an access or
/// event.
std::string operation_of(const Record &record);

/// The first difference.
struct Difference {
    Part part = Part::kBru;
    std::uint64_t number = 0; ///< of the record within its part, from 0
    Cycle cycle = 0;          ///< in which the other side answered, or should have
    std::string text;
    std::string record; ///< the record that it is about, as text; may be empty
};

struct PartResult {
    Part part = Part::kBru;
    std::uint64_t records = 0;                       ///< processed
    std::map<std::string, std::uint64_t> answers;    ///< compared, by operation
    std::map<std::string, CyclesApart> cycles_apart; ///< how much later than recorded; empty without cycles
};

struct ReplayResult {
    std::vector<PartResult> parts;
    std::optional<Difference> difference;
};

} // namespace smsim::cosim::transactions
