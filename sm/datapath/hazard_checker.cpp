#include "sm/datapath/hazard_checker.h"

#include <algorithm>
#include <tuple>

namespace smsim::sm {
namespace {

constexpr std::size_t kPredicates = 255;
constexpr std::size_t kFlags = kPredicates + 7; // where PT would be
constexpr std::size_t kUniforms = kFlags + 1;
constexpr std::size_t kCells = kUniforms + 63;

/// Calls `body(cell)` for all registers, general and uniform, that `insn` reads.
template <typename Body> void for_each_source(const isa::Dependences &deps, Body &&body) {
    for (unsigned i = 0; i < deps.read_count; ++i) {
        for (unsigned r = 0; r < deps.reads[i].count; ++r) {
            body(std::size_t{deps.reads[i].first} + r);
        }
    }
    for (unsigned i = 0; i < deps.uniform_read_count; ++i) {
        for (unsigned r = 0; r < deps.uniform_reads[i].count; ++r) {
            body(kUniforms + deps.uniform_reads[i].first + r);
        }
    }
}

/// Calls `body(cell)` for all cells that `insn` writes.
template <typename Body> void for_each_written(const isa::Dependences &deps, Body &&body) {
    for (unsigned i = 0; i < deps.write.count; ++i) {
        body(std::size_t{deps.write.first} + i);
    }
    for (unsigned p = 0; p < 8; ++p) {
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

void HazardChecker::start(WarpSlot warp) {
    warps_[warp.value()].assign(kCells, Cell{});
}

void HazardChecker::note(Hazard::Kind kind, std::size_t cell, const isa::Instruction &first,
                         const isa::Instruction &second, Cycle now, Cycle ready) {
    ++count_;
    const char space = cell < kPredicates ? 'R' : cell < kFlags ? 'P' : cell == kFlags ? 'C' : 'U';
    const std::size_t first_of = space == 'R' ? 0 : space == 'P' ? kPredicates : space == 'C' ? kFlags : kUniforms;
    const std::size_t index = cell - first_of;
    // Where a scoreboard protects the value, no number of stall cycles would have been right.
    const bool by_scoreboard = kind == Hazard::Kind::kWriteAfterRead || timing::needs_write_scoreboard(first);
    const auto missing = by_scoreboard ? 0U : static_cast<std::uint32_t>(ready - now);
    const auto same = std::ranges::find_if(found_, [&](const Hazard &h) {
        return h.first == first.pc && h.second == second.pc && h.space == space && h.index == index && h.kind == kind;
    });
    if (!first_) {
        first_ = static_cast<std::size_t>(same - found_.begin());
    }
    if (same != found_.end()) {
        ++same->count;
        same->missing = std::max(same->missing, missing);
    } else {
        found_.push_back({first.pc, second.pc, space, static_cast<std::uint8_t>(index), kind, 1, now, missing, 0});
    }
}

void HazardChecker::other_bits(const isa::Instruction &insn, const BarrierOperand &operand, Cycle now) {
    const auto kind = operand.kind == BarrierOperand::Kind::kBarrier ? Hazard::Kind::kBarrierBits
                      : operand.kind == BarrierOperand::Kind::kCount ? Hazard::Kind::kCountBits
                                                                     : Hazard::Kind::kJointBits;
    ++count_;
    auto same = std::ranges::find_if(
        found_, [&](const Hazard &h) { return h.first == insn.pc && h.index == operand.reg && h.kind == kind; });
    if (same == found_.end()) {
        same = found_.insert(same, {insn.pc, insn.pc, 'R', operand.reg, kind, 0, now, 0, operand.value});
    }
    ++same->count;
}

void HazardChecker::check_read(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes,
                               timing::Carrier carrier, Cycle now) {
    for (const Flight &write : cells[cell].writes) {
        if ((write.lanes & lanes).none()) {
            continue;
        }
        const Cycle ready = timing::needs_write_scoreboard(*write.insn)
                                ? write.done
                                : write.issued + timing::dependence_latency(model_, *write.insn, insn, carrier);
        if (now < ready) {
            note(Hazard::Kind::kReadAfterWrite, cell, *write.insn, insn, now, ready);
        }
    }
}

void HazardChecker::check_write(Cells &cells, std::size_t cell, const isa::Instruction &insn, LaneMask lanes,
                                Cycle now) {
    for (const Flight &write : cells[cell].writes) {
        if ((write.lanes & lanes).none()) {
            continue;
        }
        const Cycle ready = timing::needs_write_scoreboard(*write.insn)
                                ? write.done
                                : write.issued + timing::overwrite_latency(model_, *write.insn, insn);
        if (now < ready) {
            note(Hazard::Kind::kWriteAfterWrite, cell, *write.insn, insn, now, ready);
        }
    }
    for (const Flight &read : cells[cell].reads) {
        if ((read.lanes & lanes).any() && now < read.done) {
            note(Hazard::Kind::kWriteAfterRead, cell, *read.insn, insn, now, read.done);
        }
    }
}

/// Drops the lanes that are overwritten, and flights for which no reader can be too early any more.
void HazardChecker::keep_flying(std::vector<Flight> &flights, LaneMask overwritten, Cycle now) {
    std::erase_if(flights, [&](Flight &flight) {
        flight.lanes &= ~overwritten;
        return flight.lanes.none() || flight.done <= now;
    });
}

const Hazard *HazardChecker::issue(WarpSlot warp, const isa::Instruction &insn, LaneMask active, LaneMask executed,
                                   Cycle now) {
    Cells &cells = warps_[warp.value()];
    const isa::Dependences deps = isa::dependences_of(insn);
    first_.reset();
    for (unsigned i = 0; i < deps.read_count; ++i) {
        for (unsigned r = 0; r < deps.reads[i].count; ++r) {
            check_read(cells, std::size_t{deps.reads[i].first} + r, insn, executed, timing::Carrier::kRegister, now);
        }
    }
    for (unsigned p = 0; p < 8; ++p) {
        if ((deps.guard_reads >> p) & 1U) {
            check_read(cells, kPredicates + p, insn, active, timing::Carrier::kGuard, now);
        } else if ((deps.predicate_reads >> p) & 1U) {
            check_read(cells, kPredicates + p, insn, executed, timing::Carrier::kPredicateSource, now);
        }
    }
    // Control instructions read their uniform operand whatever the guard.
    const LaneMask uniform_readers = executed.any() || insn.unit == isa::Unit::kBranch ? LaneMask::all() : LaneMask{};
    for (unsigned i = 0; i < deps.uniform_read_count; ++i) {
        for (unsigned r = 0; r < deps.uniform_reads[i].count; ++r) {
            check_read(cells, kUniforms + deps.uniform_reads[i].first + r, insn, uniform_readers,
                       timing::Carrier::kUniform, now);
        }
    }
    if (executed.any()) {
        take_off(cells, deps, insn, executed, now);
    }
    return first_ ? &found_[*first_] : nullptr;
}

void HazardChecker::take_off(Cells &cells, const isa::Dependences &deps, const isa::Instruction &insn,
                             LaneMask executed, Cycle now) {
    const LaneMask written = deps.uniform_write.count != 0 ? LaneMask::all() : executed;
    // A fixed-latency result is finished when even the slowest consumer may read it.
    const Cycle done = timing::needs_write_scoreboard(insn) ? kNever : now + timing::settle_latency(model_, insn);
    for_each_written(deps, [&](std::size_t cell) {
        check_write(cells, cell, insn, written, now);
        keep_flying(cells[cell].writes, written, now);
        cells[cell].writes.push_back({&insn, written, now, done});
    });
    if (timing::needs_read_scoreboard(insn)) {
        for_each_source(deps, [&](std::size_t cell) {
            keep_flying(cells[cell].reads, LaneMask{}, now);
            cells[cell].reads.push_back({&insn, executed, now, kNever});
        });
    }
}

void HazardChecker::land(std::vector<Flight> &flights, const isa::Instruction &insn, LaneMask lanes, Cycle at) {
    for (Flight &flight : flights) {
        if (flight.insn == &insn && flight.done == kNever && (flight.lanes & lanes).any()) {
            flight.done = at;
            return;
        }
    }
}

void HazardChecker::result(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, Cycle at) {
    for_each_written(isa::dependences_of(insn),
                     [&](std::size_t cell) { land(warps_[warp.value()][cell].writes, insn, lanes, at); });
}

void HazardChecker::sources_read(WarpSlot warp, const isa::Instruction &insn, LaneMask lanes, Cycle at) {
    for_each_source(isa::dependences_of(insn),
                    [&](std::size_t cell) { land(warps_[warp.value()][cell].reads, insn, lanes, at); });
}

void HazardChecker::clear() {
    found_.clear();
    count_ = 0;
    first_.reset();
}

std::vector<Hazard> HazardChecker::hazards() const {
    std::vector<Hazard> sorted = found_;
    std::ranges::sort(sorted, {},
                      [](const Hazard &h) { return std::tuple(h.first, h.second, h.space, h.index, h.kind); });
    return sorted;
}

} // namespace smsim::sm
