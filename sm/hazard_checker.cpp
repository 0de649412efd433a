#include "sm/hazard_checker.h"

#include <algorithm>
#include <tuple>

namespace smsim::sm {
namespace {

constexpr std::size_t kPredicates = 255;
constexpr std::size_t kUniforms = kPredicates + 7;
constexpr std::size_t kCells = kUniforms + 63;

/// Calls `body(cell)` for all cells that `insn` writes.
template <typename Body> void for_each_written(const isa::Dependences &deps, Body &&body) {
    for (unsigned i = 0; i < deps.write.count; ++i) {
        body(std::size_t{deps.write.first} + i);
    }
    for (unsigned p = 0; p < 7; ++p) {
        if ((deps.predicate_writes >> p) & 1U) {
            body(kPredicates + p);
        }
    }
    for (unsigned i = 0; i < deps.uniform_write.count; ++i) {
        body(kUniforms + deps.uniform_write.first + i);
    }
}

} // namespace

HazardChecker::HazardChecker(const Config &config, unsigned warps) : model_(config), warps_(warps) {}

void HazardChecker::start(WarpSlot warp) { warps_[warp.value()].assign(kCells, Cell{}); }

void HazardChecker::note(Hazard::Kind kind, std::size_t cell, const isa::Instruction &first, const isa::Instruction &second, Cycle now, Cycle missing) {
    ++count_;
    const char space = cell < kPredicates ? 'R' : cell < kUniforms ? 'P' : 'U';
    const auto index = static_cast<std::uint8_t>(cell < kPredicates ? cell : cell < kUniforms ? cell - kPredicates : cell - kUniforms);
    for (Hazard &hazard : found_) {
        if (hazard.first == first.pc && hazard.second == second.pc && hazard.space == space && hazard.index == index && hazard.kind == kind) {
            ++hazard.count;
            latest_ = &hazard;
            return;
        }
    }
    found_.push_back({first.pc, second.pc, space, index, kind, 1, now, static_cast<std::uint32_t>(missing == kNever ? 0 : missing)});
    latest_ = &found_.back();
}

void HazardChecker::check_read(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes, timing::Carrier carrier, Cycle now) {
    const Flight &write = cells[cell].write;
    if (write.insn == nullptr || (write.lanes & lanes).none()) {
        return;
    }
    const Cycle ready = timing::needs_write_scoreboard(*write.insn)
                            ? write.done
                            : write.issued + timing::dependence_latency(model_, *write.insn, insn, carrier);
    if (now < ready) {
        note(Hazard::Kind::kReadAfterWrite, cell, *write.insn, insn, now, ready == kNever ? kNever : ready - now);
    }
}

void HazardChecker::check_write(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes, Cycle now) {
    const Flight &write = cells[cell].write;
    if (write.insn != nullptr && (write.lanes & lanes).any()) {
        const Cycle ready = timing::needs_write_scoreboard(*write.insn)
                                ? write.done
                                : write.issued + timing::overwrite_latency(model_, *write.insn, insn);
        if (now < ready) {
            note(Hazard::Kind::kWriteAfterWrite, cell, *write.insn, insn, now, ready == kNever ? kNever : ready - now);
        }
    }
    const Flight &read = cells[cell].read;
    if (read.insn != nullptr && (read.lanes & lanes).any() && now < read.done) {
        note(Hazard::Kind::kWriteAfterRead, cell, *read.insn, insn, now, read.done == kNever ? kNever : read.done - now);
    }
}

const Hazard *HazardChecker::issue(WarpSlot warp, const isa::Instruction &insn, LaneMask active, LaneMask executed, Cycle now) {
    Cells &cells = warps_[warp.value()];
    const isa::Dependences deps = isa::dependences_of(insn);
    latest_ = nullptr;
    for (unsigned i = 0; i < deps.read_count; ++i) {
        for (unsigned r = 0; r < deps.reads[i].count; ++r) {
            check_read(cells, std::size_t{deps.reads[i].first} + r, insn, executed, timing::Carrier::kRegister, now);
        }
    }
    for (unsigned p = 0; p < 7; ++p) {
        if ((deps.guard_reads >> p) & 1U) {
            check_read(cells, kPredicates + p, insn, active, timing::Carrier::kGuard, now);
        } else if ((deps.predicate_reads >> p) & 1U) {
            check_read(cells, kPredicates + p, insn, executed, timing::Carrier::kPredicateSource, now);
        }
    }
    for (unsigned i = 0; i < deps.uniform_read_count; ++i) {
        for (unsigned r = 0; r < deps.uniform_reads[i].count; ++r) {
            check_read(cells, kUniforms + deps.uniform_reads[i].first + r, insn, LaneMask::all(), timing::Carrier::kUniform, now);
        }
    }
    if (executed.none()) {
        return latest_;
    }
    const LaneMask written = deps.uniform_write.count != 0 ? LaneMask::all() : executed;
    for_each_written(deps, [&](std::size_t cell) {
        check_write(cells, cell, insn, written, now);
        cells[cell].write = {&insn, written, now, kNever};
    });
    if (timing::needs_read_scoreboard(insn)) {
        for (unsigned i = 0; i < deps.read_count; ++i) {
            for (unsigned r = 0; r < deps.reads[i].count; ++r) {
                cells[std::size_t{deps.reads[i].first} + r].read = {&insn, executed, now, kNever};
            }
        }
    }
    return latest_;
}

void HazardChecker::result(WarpSlot warp, const isa::Instruction &insn, Cycle at) {
    for_each_written(isa::dependences_of(insn), [&](std::size_t cell) {
        Flight &write = warps_[warp.value()][cell].write;
        if (write.insn == &insn && write.done == kNever) {
            write.done = at;
        }
    });
}

void HazardChecker::sources_read(WarpSlot warp, const isa::Instruction &insn, Cycle at) {
    const isa::Dependences deps = isa::dependences_of(insn);
    for (unsigned i = 0; i < deps.read_count; ++i) {
        for (unsigned r = 0; r < deps.reads[i].count; ++r) {
            Flight &read = warps_[warp.value()][std::size_t{deps.reads[i].first} + r].read;
            if (read.insn == &insn && read.done == kNever) {
                read.done = at;
            }
        }
    }
}

std::vector<Hazard> HazardChecker::hazards() const {
    std::vector<Hazard> sorted = found_;
    std::ranges::sort(sorted, {}, [](const Hazard &h) { return std::tuple(h.first, h.second, h.space, h.index, h.kind); });
    return sorted;
}

} // namespace smsim::sm
