#include "sm/load_store/shared_transfer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sm/load_store/memory_operation.h"

namespace smsim::sm {
namespace {

/// Whether every thread of `lanes` has the address of the thread whose number differs in the bit `distance` (1 or 2),
/// if that is in `lanes` too.
bool share_addresses(const MemoryRequest &request, LaneMask lanes, unsigned distance) {
    const std::uint32_t lower = distance == 1 ? 0x5555'5555U : 0x3333'3333U;
    for (std::uint32_t rest = lanes.bits() & lanes.bits() >> distance & lower; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (request.address[lane] != request.address[lane + distance]) {
            return false;
        }
    }
    return true;
}

/// The threads of each phase: `width` consecutive threads.
using Phases = std::array<LaneMask, 4>;
Phases phases_of(const MemoryRequest &request, unsigned width) {
    Phases phases{};
    for (unsigned phase = 0; phase < kLanes / width; ++phase) {
        phases[phase] = request.lanes & LaneMask(((1U << width) - 1) << (phase * width));
    }
    return phases;
}

std::uint32_t count(const Phases &phases) {
    return static_cast<std::uint32_t>(std::ranges::count_if(phases, &LaneMask::any));
}

/// Merges two neighbouring phases of a load if threads share their addresses in pairs, so that a row holds what both
/// need. Each matrix of LDSM keeps its phase (tensor.md 3).
Phases merged(Phases phases, const MemoryRequest &request, unsigned width) {
    if ((request.insn->spec().flags & (isa::kWritesMemory | isa::kMatrixRows)) != 0) {
        return phases;
    }
    for (unsigned phase = 0; phase < kLanes / width; phase += 2) {
        const LaneMask both = phases[phase] | phases[phase + 1];
        if (phases[phase].any() && phases[phase + 1].any() &&
            (share_addresses(request, both, 1) || share_addresses(request, both, 2))) {
            phases[phase] = both;
            phases[phase + 1] = LaneMask();
        }
    }
    return phases;
}

} // namespace

std::optional<FaultReport> SharedTransfer::check(const MemoryRequest &request, Checked &checked) const {
    return check_addresses(request, false, checked);
}

Transfer::Started SharedTransfer::start(TransferState &state, const Checked &checked, ChunkSink &chunks) {
    const MemoryRequest &request = *state.request;
    if (const unsigned bytes = phases_ ? bytes_per_thread(*request.insn) : 0; bytes > 4 && !is_atomic(*request.insn)) {
        const unsigned width = kRowBytes / bytes;
        const Phases wanted = phases_of(request, width);
        const Phases phases = merged(wanted, request, width);
        const std::uint32_t path_cycles = count(wanted); // each thread's data is sent there, even if threads share
                                                         // words
        const bool full = request.insn->spec().has(isa::kMatrixRows);
        if (start_row(state, checked, request.window_base, chunks, {0, count(phases), path_cycles, full})) {
            return {.shared = 1}; // the words of a row are in 32 different banks of 4 bytes
        }
        std::size_t chunks_sent = 0;
        for (std::uint32_t phase = 0; phase < phases.size(); ++phase) {
            make_pieces(state, request.window_base, phases[phase]);
            chunks_sent += start_pieces(state, chunks, Phased{phase, 1, path_cycles, full});
        }
        return {.shared = chunks_sent};
    }
    if (start_row(state, checked, request.window_base, chunks)) {
        return {.shared = 1};
    }
    make_pieces(state, request.window_base, request.lanes);
    return {.shared = is_atomic(*request.insn) ? start_atomics(state, chunks) : start_pieces(state, chunks)};
}

} // namespace smsim::sm
