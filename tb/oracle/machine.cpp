#include "tb/oracle/machine.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "tb/oracle/flags.h"

namespace smsim::oracle {
namespace {

/// Threads in flight at once, and the bytes they may take (one CTA always fits); more would reveal nothing new.
constexpr std::uint64_t kMaxThreads = 16384;
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

void fill_random(Random &random, std::uint8_t *bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i += sizeof(std::uint64_t)) {
        const std::uint64_t value = random.next();
        std::memcpy(bytes + i, &value, std::min(sizeof(value), count - i));
    }
}

Engine engine_named(const std::string &name) {
    if (name == "simt_stack") {
        return Engine::kSimtStack;
    }
    return name == "token_stack" ? Engine::kTokenStack : Engine::kConvergenceBarrier;
}

} // namespace

Machine::Machine(const Launch &launch_in, std::uint64_t seed)
    : launch(launch_in), engine(engine_named(launch_in.program->engine)), program(prepare(launch_in)), random(seed),
      regions(launch_in.regions) {
    const auto volume = [](const std::array<std::uint32_t, 3> &size) {
        return std::uint64_t{size[0]} * size[1] * size[2];
    };
    threads_per_cta = static_cast<std::uint32_t>(volume(launch.block));
    warps_per_cta = (threads_per_cta + kLanes - 1) / kLanes;
    ctas_in_grid = volume(launch.grid);
    const std::uint64_t padded = std::uint64_t{warps_per_cta} * kLanes;
    const std::uint64_t bytes =
        padded * (std::uint64_t{program.row_words} * 4 + launch.local_bytes) + launch.shared_bytes;
    const std::uint64_t most = std::min({kMaxThreads / padded, kMaxBytes / bytes, ctas_in_grid});
    ctas.resize(1 + random.below(std::max(1U, static_cast<std::uint32_t>(most))));
    warps.resize(ctas.size() * warps_per_cta);
    threads.resize(warps.size() * kLanes);
    rows.resize(threads.size() * program.row_words);
    shared.resize(ctas.size() * launch.shared_bytes);
    local.resize(threads.size() * launch.local_bytes);
    queue.reserve(threads.size());
    sorted.resize(regions.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::ranges::sort(sorted, {}, [this](std::uint32_t i) { return regions[i].base; });
}

bool Machine::executes(std::uint32_t thread, const Step &step) const {
    const Thread &t = threads[thread];
    if (!step.executes(t.predicates)) {
        return false;
    }
    return !step.tested || (passes(step.insn->test, t.flags) && !(step.limited && t.limit_reached));
}

std::uint32_t Machine::index_of(std::uint32_t thread, std::int64_t address) {
    if (address < 0 || !launch.program->contains(static_cast<Pc>(address))) {
        fault(thread, Fault::kIllegalTarget, fmt::format("target {:#x}", address));
    }
    return static_cast<std::uint32_t>(address / kInstructionBytes);
}

void Machine::wake(std::uint32_t thread, std::uint32_t pc) {
    Thread &t = threads[thread];
    t.pc = pc;
    t.state = State::kReady;
    if (!t.queued) {
        t.queued = true;
        queue.push_back(thread);
    }
}

void Machine::let_go(std::uint32_t warp, std::uint32_t lanes) {
    for_each_lane(LaneMask(lanes), [&](unsigned lane) {
        const std::uint32_t thread = warp * kLanes + lane;
        wake(thread, threads[thread].pc + 1);
    });
}

void Machine::place(std::uint32_t slot, std::uint32_t number) {
    Cta &cta = ctas[slot];
    cta = Cta{.number = number, .living_warps = warps_per_cta};
    const std::uint32_t first = slot * warps_per_cta;
    const Program &code = *launch.program;
    const auto entry =
        static_cast<std::uint32_t>(code.contains(launch.entry) ? launch.entry / kInstructionBytes : code.code.size());
    for (std::uint32_t w = 0; w < warps_per_cta; ++w) {
        const std::uint32_t lanes = std::min<std::uint32_t>(kLanes, threads_per_cta - w * kLanes);
        Warp &warp = warps[first + w];
        warp = Warp{.living = LaneMask::first(lanes).bits(), .number = w, .cta = slot};
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const std::uint32_t id = (first + w) * kLanes + lane;
            const bool queued = threads[id].queued;
            threads[id] = Thread{.set = warp.living};
            threads[id].queued = queued;
            std::fill_n(row(id), program.row_words, 0);
            wake(id, entry);
        }
    }
    fill_random(random, shared.data() + std::size_t{slot} * launch.shared_bytes, launch.shared_bytes);
    const std::size_t local_per_cta = std::size_t{warps_per_cta} * kLanes * launch.local_bytes;
    fill_random(random, local.data() + slot * local_per_cta, local_per_cta);
}

std::string Machine::where(std::uint32_t thread) {
    const std::uint32_t pc = threads[thread].pc;
    const isa::Instruction *insn = step_at(pc).insn;
    return fmt::format("CTA {}, thread {} at {:#06x} ({})", cta_of(thread).number, number_of(thread),
                       pc * kInstructionBytes, insn == nullptr ? "end of the program" : insn->spec().name);
}

void Machine::fault(std::uint32_t thread, Fault fault, const std::string &what) {
    throw Stop{{Failure::Kind::kFault, fault, fmt::format("{}: {}: {}", where(thread), fault_name(fault), what)}};
}

void Machine::illegal(std::uint32_t thread, const std::string &what) {
    throw Stop{{Failure::Kind::kIllegal, Fault::kIllegalInstruction, fmt::format("{}: {}", where(thread), what)}};
}

void Machine::defect(std::uint32_t thread, const Step &step) {
    if (step.defect == Defect::kRegister) {
        fault(thread, Fault::kIllegalInstruction, fmt::format("names a register beyond R{}", program.registers - 1));
    }
    fault(thread, Fault::kIllegalAddress,
          fmt::format("c[{:#x}][{:#x}] is outside the bank of {} bytes", step.insn->const_bank, step.insn->const_offset,
                      program.banks[step.insn->const_bank]->size()));
}

} // namespace smsim::oracle
