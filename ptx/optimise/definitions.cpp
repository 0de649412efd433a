#include "ptx/optimise/definitions.h"

#include <algorithm>
#include <utility>

namespace smsim::ptx::optimise {

using namespace machine;

DominatorTree::DominatorTree(const FlowGraph &graph)
    : below_(graph.idom.size()), first_(graph.idom.size(), 1), last_(graph.idom.size(), 0) {
    for (const BlockIndex block : graph.order) {
        if (graph.idom[block] != block) {
            below_[graph.idom[block]].push_back(block);
        }
    }
    std::uint32_t number = 0;
    std::vector<std::pair<BlockIndex, std::size_t>> open = {{0, 0}};
    first_[0] = number++;
    order_.push_back(0);
    while (!open.empty()) {
        auto &[block, next] = open.back();
        if (next == below_[block].size()) {
            last_[block] = number++;
            open.pop_back();
            continue;
        }
        const BlockIndex child = below_[block][next++];
        first_[child] = number++;
        order_.push_back(child);
        open.emplace_back(child, 0);
    }
}

Definitions::Definitions(const Function &function, const FlowGraph &graph, const DominatorTree &tree,
                         const Units &units)
    : single_(units.count, true), places_(units.count), readers_(units.count, 0), writers_(units.count, 0) {
    const auto each_access = [&](auto visit) {
        for (const BlockIndex block : graph.order) {
            const auto &code = function.blocks[block].code;
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                if (code[i].mnemonic != kUndefined) {
                    visit(Place{block, i}, access_of(code[i], units));
                }
            }
            visit(Place{block, static_cast<std::uint32_t>(code.size())},
                  Access{.reads = reads_of_end(function.blocks[block].end, units)});
        }
    };
    each_access([&](const Place &place, const Access &access) {
        for (const std::uint32_t unit : access.writes) {
            single_[unit] = single_[unit] && writers_[unit] == 0 && !access.kills().empty();
            ++writers_[unit];
            places_[unit] = place;
        }
    });
    for (const BlockIndex block : graph.order) {
        if (const End &end = function.blocks[block].end; end.kind == EndKind::kTable) {
            ++writers_[units.first[end.index.reg] + end.index.first]; // the target is read into it
        }
    }
    for (std::uint32_t unit = 0; unit < units.count; ++unit) {
        single_[unit] = single_[unit] && writers_[unit] == 1 && function.registers[units.owner[unit]].fixed < 0;
    }
    each_access([&](const Place &place, const Access &access) {
        for (const std::uint32_t unit : access.reads) {
            ++readers_[unit];
            if (single_[unit] && !tree.dominates(places_[unit], place)) {
                single_[unit] = false;
            }
        }
    });
}

void insert(Function &function, std::vector<Insertion> insertions) {
    std::ranges::stable_sort(insertions, [](const Insertion &a, const Insertion &b) {
        return a.first.block != b.first.block ? a.first.block < b.first.block : a.first.index < b.first.index;
    });
    for (auto first = insertions.begin(); first != insertions.end();) {
        const BlockIndex block = first->first.block;
        auto &code = function.blocks[block].code;
        std::vector<Instruction> all;
        for (std::uint32_t i = 0; i <= code.size(); ++i) {
            for (; first != insertions.end() && first->first == Place{block, i}; ++first) {
                all.push_back(std::move(first->second));
            }
            if (i < code.size()) {
                all.push_back(std::move(code[i]));
            }
        }
        code = std::move(all);
    }
}

} // namespace smsim::ptx::optimise
