// Small control-flow graphs for tests of analysis and lowering: a block per call, and the results as lines of text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ptx/machine/operands.h"
#include "ptx/machine/regions.h"

namespace smsim::ptx::test {

using machine::BlockIndex;
using machine::Instruction;

/// A function whose blocks are numbered as they are added. Block 0 begins with code that makes a predicate that
/// differs between threads and one that does not; every block has an instruction, so that none counts as an empty end.
class Flow {
  public:
    explicit Flow(bool kernel = true) {
        function.kernel = kernel;
        const auto tid = function.add(machine::RegisterClass::kGeneral);
        target = function.add(machine::RegisterClass::kGeneral, 2);
        differs = function.add(machine::RegisterClass::kPredicate);
        same = function.add(machine::RegisterClass::kPredicate);
        front_ = {{.mnemonic = "S2R", .operands = {machine::define(tid), machine::text("SR_TID.X")}},
                  {.mnemonic = "IMAD.WIDE", .operands = {machine::define(target, 2), machine::use(tid)}},
                  {.mnemonic = "ISETP", .operands = {machine::define_predicate(differs), machine::use(tid)}},
                  {.mnemonic = "ISETP", .operands = {machine::define_predicate(same), machine::constant(0, 0x160)}}};
    }

    /// Continues at `next`.
    BlockIndex fall(BlockIndex next) { return add({.kind = machine::EndKind::kFall, .next = next}); }
    /// Threads take different paths.
    BlockIndex split(BlockIndex taken, BlockIndex next) { return branch(differs, taken, next); }
    /// All threads take the same path.
    BlockIndex uniform(BlockIndex taken, BlockIndex next) { return branch(same, taken, next); }
    BlockIndex table(std::vector<BlockIndex> targets) {
        return add({.kind = machine::EndKind::kTable, .index = machine::use(target), .table = std::move(targets)});
    }
    BlockIndex exit() { return add({.kind = machine::EndKind::kExit}); }
    BlockIndex returns() { return add({.kind = machine::EndKind::kReturn}); }
    /// Appends an instruction to the last block.
    void put(Instruction instruction) { function.blocks.back().code.push_back(std::move(instruction)); }

    machine::Regions regions() const {
        return machine::find_regions(function, machine::find_divergence(function, machine::analyse(function)));
    }

    machine::Function function;
    machine::Register target = 0; ///< a divergent address
    machine::Register differs = 0;
    machine::Register same = 0;

  private:
    BlockIndex branch(machine::Register predicate, BlockIndex taken, BlockIndex next) {
        return add({.kind = machine::EndKind::kBranch,
                    .predicate = machine::if_true(predicate),
                    .taken = taken,
                    .next = next});
    }
    BlockIndex add(machine::End end) {
        const BlockIndex index = function.add_block();
        function.blocks[index].code = index == 0 ? front_ : std::vector<Instruction>{{.mnemonic = "NOP"}};
        function.blocks[index].end = std::move(end);
        return index;
    }
    std::vector<Instruction> front_;
};

inline std::string number(std::uint32_t index) {
    return index == 0xffffffff ? "-" : std::to_string(index);
}

/// One line per branch.
inline std::string branches_text(const machine::Regions &found) {
    std::string text;
    for (const machine::Branch &branch : found.branches) {
        text += fmt::format("{} {}, meets {}, region {}\n", branch.block, branch.divergent ? "divergent" : "uniform",
                            number(branch.meeting), number(branch.region));
    }
    return text;
}

/// One line per region.
inline std::string regions_text(const machine::Regions &found) {
    std::string text;
    for (const machine::Region &region : found.regions) {
        text += fmt::format("{} to {}, holds {}, depth {}, in {}\n", fmt::join(region.entries, " "), region.meeting,
                            fmt::join(region.blocks, " "), region.depth, number(region.parent));
    }
    return text;
}

/// One line per loop.
inline std::string loops_text(const machine::Regions &found) {
    std::string text;
    for (std::size_t i = 0; i < found.loops.size(); ++i) {
        const machine::Loop &loop = found.graph.loops[i];
        const machine::LoopExits &exits = found.loops[i];
        text +=
            fmt::format("header {}, back from {}, in {}, {}{}, meets {}, region {}\n", loop.header,
                        fmt::join(loop.latches, " "), number(loop.parent), exits.divergent ? "divergent" : "uniform",
                        exits.waits ? ", waits" : "", number(exits.meeting), number(exits.region));
    }
    return text;
}

/// One line per edge that leaves regions.
inline std::string ways_out_text(const machine::Regions &found) {
    std::string text;
    for (const machine::WayOut &way : found.ways_out) {
        text += fmt::format("{}->{} leaves {}\n", way.from, way.to, fmt::join(way.regions, " "));
    }
    return text;
}

} // namespace smsim::ptx::test
