#include "ptx/machine/convergence.h"

#include <algorithm>
#include <optional>

namespace smsim::ptx::machine {

namespace {

/// Whether the mask of a WARPSYNC is the whole warp.
bool is_whole_warp(const Instruction &instruction) {
    return instruction.mnemonic == "WARPSYNC" && !instruction.guarded() &&
           instruction.operands[0].kind == OperandKind::kInteger && instruction.operands[0].value == 0xffffffff;
}

/// True for instructions at which threads may wait for others, or be overtaken by them.
bool may_part(const Instruction &instruction) {
    return is_sync(instruction) || instruction.mnemonic == "NANOSLEEP" || instruction.mnemonic == "YIELD" ||
           instruction.mnemonic == "CALL" || instruction.mnemonic == "BMOV";
}

/// True for instructions after which threads may be in YieldMask; those of the whole warp put none there.
bool may_yield(const Instruction &instruction, bool together) {
    const bool yields = instruction.mnemonic == "NANOSLEEP" || instruction.mnemonic == "YIELD";
    return instruction.mnemonic == "CALL" || (yields && !(together && !instruction.guarded()));
}

/// Nested barriers for which a kernel has registers.
constexpr unsigned kSafeDepth = 16;

/// By block: whether it gets a YIELD at its end.
std::vector<bool> yielding_latches(const Function &function, const Regions &regions) {
    std::vector<bool> yields(function.blocks.size(), false);
    for (LoopIndex loop = 0; loop < regions.loops.size(); ++loop) {
        if (regions.loops[loop].waits) {
            for (const BlockIndex latch : regions.graph.loops[loop].latches) {
                yields[latch] = true;
            }
        }
    }
    return yields;
}

/// By block: whether it certainly begins with a BSYNC.
std::vector<bool> synchronising(const Function &function, const Regions &regions) {
    std::vector<bool> found(function.blocks.size(), false);
    for (const Region &region : regions.regions) {
        if (region.meeting != kNoBlock && function.kernel && region.depth < kSafeDepth) {
            found[region.meeting] = true;
        }
    }
    return found;
}

/// By block: the one at whose end the warp must have been together to be together again here; kNoBlock: the regions do
/// not tell.
std::vector<BlockIndex> meetings_of(const Function &function, const Regions &regions) {
    std::vector<BlockIndex> entry_of(function.blocks.size(), kNoBlock);
    if (!function.kernel) {
        return entry_of;
    }
    std::vector<bool> parts = yielding_latches(function, regions);
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) {
        parts[block] = parts[block] || std::ranges::any_of(function.blocks[block].code, may_part);
    }
    std::vector<bool> left(regions.regions.size(), false);
    for (const WayOut &way : regions.ways_out) {
        for (const RegionIndex region : way.regions) {
            left[region] = true;
        }
    }
    for (RegionIndex index = 0; index < regions.regions.size(); ++index) {
        const Region &region = regions.regions[index];
        if (left[index] || region.entries.size() != 1 || region.depth >= kSafeDepth || region.meeting == kNoBlock) {
            continue;
        }
        // Code in the block of the entry is before the region.
        const bool whole = std::ranges::all_of(
            region.blocks, [&](BlockIndex block) { return block == region.entries[0] || !parts[block]; });
        count_steps(region.blocks.size());
        if (whole) {
            entry_of[region.meeting] = region.entries[0];
        }
    }
    return entry_of;
}

/// What is certain at the end of a block.
struct Behind {
    bool together = true;     ///< the warp is together
    bool synchronised = true; ///< no thread has yielded without passing a BSYNC since
    friend bool operator==(const Behind &, const Behind &) = default;
};

} // namespace

bool together_behind(const Instruction &instruction, bool together) {
    if (is_whole_warp(instruction)) {
        return true;
    }
    // A guarded meeting or sleep parks the threads whose guard holds; threads may return from calls diverged.
    const bool parts = (instruction.mnemonic == "WARPSYNC" || instruction.mnemonic == "NANOSLEEP" ||
                        instruction.mnemonic == "YIELD") &&
                       instruction.guarded();
    return together && !parts && instruction.mnemonic != "CALL";
}

std::vector<bool> find_converged(const Function &function, const Regions &regions, const Divergence &divergence,
                                 bool entry) {
    const std::vector<BlockIndex> entry_of = meetings_of(function, regions);
    std::vector<const Region *> region_of(function.blocks.size(), nullptr);
    for (const Region &region : regions.regions) {
        if (region.meeting != kNoBlock && region.entries.size() == 1 && entry_of[region.meeting] == region.entries[0]) {
            region_of[region.meeting] = &region;
        }
    }
    const FlowGraph &graph = regions.graph;
    const std::vector<bool> latches = yielding_latches(function, regions);
    const std::vector<bool> syncs = synchronising(function, regions);
    std::vector<bool> converged(function.blocks.size(), true);
    std::vector<Behind> behind(function.blocks.size());
    converged[0] = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (const BlockIndex block : graph.order) {
            Behind now{.together = block != 0 || entry};
            for (const BlockIndex from : graph.predecessors[block]) {
                const Region *region = region_of[block];
                const bool inside = region != nullptr && region->blocks.has(from);
                const bool meet =
                    inside && behind[region->entries[0]].together && behind[region->entries[0]].synchronised;
                now.together = now.together && (inside ? meet : behind[from].together && !divergence.branches[from]);
                now.synchronised = now.synchronised && behind[from].synchronised;
            }
            now.synchronised = now.synchronised || syncs[block];
            changed = changed || converged[block] != now.together;
            converged[block] = now.together;
            for (const Instruction &instruction : function.blocks[block].code) {
                now.synchronised = now.synchronised && !may_yield(instruction, now.together);
                now.together = together_behind(instruction, now.together);
            }
            now.synchronised = now.synchronised && (!latches[block] || now.together);
            changed = changed || behind[block] != now;
            behind[block] = now;
        }
    }
    return converged;
}

WholeMasks::WholeMasks(const Function &function) : all_(function.registers.size(), false) {
    std::vector<bool> defined(function.registers.size(), false);
    for (const Block &block : function.blocks) {
        for (const Instruction &instruction : block.code) {
            const bool whole = instruction.mnemonic == "MOV" && !instruction.guarded() &&
                               instruction.operands[1].kind == OperandKind::kInteger &&
                               instruction.operands[1].value == 0xffffffff;
            for (const Operand &operand : instruction.operands) {
                if (operand.defined && operand.has_register()) {
                    all_[operand.reg] = whole && !defined[operand.reg] && function.registers[operand.reg].words == 1;
                    defined[operand.reg] = true;
                }
            }
            for (const Register reg : instruction.defines) {
                defined[reg] = true;
                all_[reg] = false;
            }
        }
    }
}

bool WholeMasks::names_all(const Instruction &meeting) const {
    const Operand &mask = meeting.operands[0];
    return mask.has_register() ? mask.reg < all_.size() && all_[mask.reg]
                               : mask.kind == OperandKind::kInteger && mask.value == 0xffffffff;
}

bool remove_meetings(Function &function, const std::vector<bool> &converged) {
    const WholeMasks masks(function);
    std::size_t removed = 0;
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) {
        bool together = converged[block];
        std::optional<Operand> met; // the mask of the last meeting, while its threads stay together
        removed += std::erase_if(function.blocks[block].code, [&](const Instruction &instruction) {
            const bool meeting = instruction.mnemonic == "WARPSYNC";
            const bool known = met && meeting && instruction.operands[0] == *met;
            if (meeting && instruction.removable && !instruction.guarded() &&
                (known || (together && masks.names_all(instruction)))) {
                return true;
            }
            together = together_behind(instruction, together);
            if (meeting) {
                met = instruction.guarded() ? std::nullopt : std::optional(instruction.operands[0]);
            } else if (instruction.mnemonic == "CALL" || instruction.mnemonic == "NANOSLEEP") {
                met.reset(); // others may return with these threads
            }
            const bool writes_mask =
                met && met->has_register() && std::ranges::any_of(instruction.operands, [&](const Operand &operand) {
                    return operand.defined && operand.reg == met->reg;
                });
            met = writes_mask ? std::nullopt : met;
            return false;
        });
    }
    return removed != 0;
}

} // namespace smsim::ptx::machine
