// How the readings change the use of the barrier unit's rules.
#include "tb/independent_rules/barriers.h"

#include <algorithm>
#include <array>

#include "model/error.h"

namespace smsim::independent_rules {
namespace {

constexpr std::uint32_t kCount = 0xfff; ///< bits of a count, to which b4 cuts the joint operand
constexpr std::uint8_t kModeWarp = 0;   ///< of B2R

// Under b6 all warps have arrived when 32 threads for each equal the threads of the CTA. With a partial warp that
// never happens, as if one more warp existed that never arrives; without one it is the rule of the model.
std::uint32_t warps_to_wait_for(const std::vector<unsigned> &threads, const RejectedReadings &readings) {
    const auto warps = static_cast<std::uint32_t>(threads.size());
    if (!readings.b6 || threads.empty()) {
        return warps;
    }
    if (std::any_of(threads.begin(), threads.end() - 1, [](unsigned count) { return count != kLanes; })) {
        throw InputError("reading b6: only the last warp of a CTA can be partial");
    }
    return threads.back() == kLanes ? warps : warps + 1;
}

} // namespace

Barriers::Barriers(const std::vector<unsigned> &threads, const RejectedReadings &readings)
    : rules_(warps_to_wait_for(threads, readings)), cuts_joint_operand_(readings.b4),
      last_reductions_(readings.b5 ? threads.size() : 0) {}

std::variant<bcu::Effect, FaultReport> Barriers::execute(std::uint32_t warp, const bcu::Operation &operation) {
    const isa::Instruction &insn = operation.insn;
    std::array<std::uint32_t, kLanes> cut{};
    std::span<const std::uint32_t, kLanes> id_lanes = operation.id_lanes;
    if (cuts_joint_operand_ && insn.op == isa::Op::kBarRed && insn.form == isa::Form::kR) {
        std::ranges::transform(id_lanes, cut.begin(), [](std::uint32_t value) { return value & kCount; });
        id_lanes = cut;
    }
    auto done = rules_.execute(warp, {insn, operation.pmask, operation.contribution, id_lanes, operation.count_lanes});
    auto *effect = std::get_if<bcu::Effect>(&done);
    if (effect == nullptr || last_reductions_.empty()) {
        return done;
    }
    if (insn.op == isa::Op::kBarRed && effect->arrived) {
        last_reductions_[warp] = *effect->arrived;
    } else if (insn.op == isa::Op::kB2r && insn.mod[0] == kModeWarp && effect->writes) {
        effect->value = bcu::pack(rules_.barrier(last_reductions_[warp]));
    }
    return done;
}

} // namespace smsim::independent_rules
