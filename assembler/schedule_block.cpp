// A block ends where control flow diverges or meets.
#include "assembler/schedule_block.h"

namespace smsim::assembler {

std::vector<ScheduleBlock> find_blocks(std::vector<ScheduleNode> &nodes) {
    std::vector<ScheduleBlock> blocks;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const bool goes_on = i != 0 && nodes[i - 1].successors.size() == 1 && nodes[i - 1].successors.front() == i &&
                             nodes[i].predecessors.size() == 1;
        if (!goes_on) {
            blocks.emplace_back().first = i;
        }
        blocks.back().last = i;
        nodes[i].block = static_cast<std::uint32_t>(blocks.size() - 1);
    }
    return blocks;
}

} // namespace smsim::assembler
