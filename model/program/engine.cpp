#include "model/program/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/schema.h"

namespace smsim {

namespace {

const ConfigKey &engine_key() {
    return *find_config_key("bru.engine");
}

} // namespace

std::span<const std::string_view> engine_names() {
    return enum_names(engine_key());
}

bool is_engine_name(std::string_view name) {
    return std::ranges::find(engine_names(), name) != engine_names().end();
}

std::string engine_mismatch(const Program &program, const Config &config) {
    const auto own = std::get<std::string_view>(value_of(config, engine_key()));
    if (program.engine == own) {
        return {};
    }
    const std::string name = program.files.empty() ? std::string() : fmt::format(" '{}'", program.files.front());
    return fmt::format("its program{} is for the reconvergence engine {}; this SM has {} (bru.engine)", name,
                       program.engine, own);
}

std::string barrier_shortage(const Program &program, const Kernel &kernel, const Config &config) {
    const std::uint32_t there = config.bru.convergence_barriers;
    if (there == kConvergenceBarriers || config.bru.engine != ReconvergenceEngineKind::kConvergenceBarrier) {
        return {};
    }
    const isa::Instruction *most = nullptr;
    for (const isa::Instruction &insn : program.code) {
        if (insn.unit == isa::Unit::kBranch && insn.breg >= there && !program.is_of_another(kernel, insn.pc)) {
            most = most == nullptr || insn.breg > most->breg ? &insn : most;
        }
    }
    return most == nullptr ? std::string()
                           : fmt::format("it needs {} convergence barriers, as for B{} at {}; this SM has {} "
                                         "(bru.convergence_barriers)",
                                         most->breg + 1, most->breg, program.place_of(*most), there);
}

} // namespace smsim
