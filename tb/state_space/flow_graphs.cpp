// Numbering, text and meaning of flow graphs.
#include "tb/state_space/flow_graphs.h"

#include "tb/state_space/listing.h"

namespace smsim::state_space {
namespace {

constexpr std::uint32_t kFactor = 5; ///< R1 is multiplied by it before the number of a node is added
constexpr unsigned kFirstCounter = 8;

struct Node {
    bool loops = false; ///< goes back to `first` a few times, then to `second`; otherwise to either of them
    unsigned first = 0; ///< nodes; the number of nodes means the end
    unsigned second = 0;
};

std::uint64_t choices(unsigned node, unsigned nodes) {
    const std::uint64_t behind = nodes - node;
    return behind * behind + (node + 1) * behind;
}

std::vector<Node> graph(unsigned nodes, std::uint64_t index) {
    std::vector<Node> all;
    for (unsigned node = 0; node < nodes; ++node) {
        const unsigned behind = nodes - node;
        const auto choice = static_cast<unsigned>(index % choices(node, nodes));
        index /= choices(node, nodes);
        const unsigned first = choice / behind;
        const unsigned second = node + 1 + choice % behind;
        all.push_back(first < behind ? Node{false, node + 1 + first, second} : Node{true, first - behind, second});
    }
    return all;
}

bool jumps(unsigned node, unsigned lane) {
    return (lane >> node % 2 & 1U) != 0;
}
unsigned rounds(unsigned node, unsigned lane) {
    return (lane + node) % 3;
}

std::uint32_t result_of(const std::vector<Node> &nodes, unsigned lane) {
    std::vector<unsigned> left;
    for (unsigned node = 0; node < nodes.size(); ++node) {
        left.push_back(rounds(node, lane));
    }
    std::uint32_t r1 = 0;
    for (unsigned at = 0; at < nodes.size();) {
        r1 = r1 * kFactor + at + 1;
        const Node &node = nodes[at];
        bool first = jumps(at, lane);
        if (node.loops) {
            first = left[at] != 0;
            left[at] -= first ? 1 : 0;
        }
        at = first ? node.first : node.second;
    }
    return r1;
}

/// R0 is the lane, R4 and R5 its two lowest bits; R8.. count rounds, by node.
std::string text_of(const std::vector<Node> &nodes) {
    using Flow = Listing::Flow;
    Listing listing;
    std::vector<Listing::Label> labels;
    for (std::size_t node = 0; node <= nodes.size(); ++node) {
        labels.push_back(listing.label());
    }
    listing.line("S2R R0, SR_LANEID");
    listing.line("MOV R3, {:#x}", kFactor);
    listing.line("LOP3 R4, R0, 0x1, RZ, 0xc0");
    listing.line("SHR R5, R0, 0x1");
    listing.line("LOP3 R5, R5, 0x1, RZ, 0xc0");
    for (unsigned node = 0; node < nodes.size(); ++node) {
        if (nodes[node].loops) { // rounds: (lane + node) mod 3, for less than six
            listing.line("IADD3 R{}, R0, {:#x}, RZ", kFirstCounter + node, node % 3);
            for (unsigned round = 0; round < 3; ++round) {
                listing.line("ISETP.GE.AND P0, PT, R{}, 0x3, PT", kFirstCounter + node);
                listing.line("@P0 IADD3 R{}, R{}, -3, RZ", kFirstCounter + node, kFirstCounter + node);
            }
        }
    }
    for (unsigned at = 0; at < nodes.size(); ++at) {
        const Node &node = nodes[at];
        listing.place(labels[at]);
        listing.line("IMAD R1, R1, R3, {:#x}", at + 1);
        if (node.loops) {
            listing.line("IADD3 R{}, R{}, -1, RZ", kFirstCounter + at, kFirstCounter + at);
            listing.to(Flow::kBranch, fmt::format("VBGE R{}, RZ, ", kFirstCounter + at), labels[node.first]);
        } else {
            listing.to(Flow::kBranch, fmt::format("VBNE R{}, RZ, ", 4 + at % 2), labels[node.first]);
        }
        if (node.second != at + 1) {
            listing.to(Flow::kJump, "BRA ", labels[node.second]);
        }
    }
    listing.place(labels[nodes.size()]);
    listing.end("ENDPRG");
    listing.reconverge(0);
    return ".engine simt_stack\n" + listing.text();
}

} // namespace

std::uint64_t flow_graphs(unsigned nodes) {
    std::uint64_t all = 1;
    for (unsigned node = 0; node < nodes; ++node) {
        all *= choices(node, nodes);
    }
    return all;
}

StackFamilyResult run_flow_graphs(const FamilyRun &run) {
    StackSearch search(Stack::kSimt, run);
    for (std::uint64_t index = run.offset; index < flow_graphs(run.pieces); index += run.stride) {
        const std::vector<Node> nodes = graph(run.pieces, index);
        std::vector<std::uint32_t> expected;
        for (unsigned lane = 0; lane < run.threads; ++lane) {
            expected.push_back(result_of(nodes, lane));
        }
        search.search_all_options({index, text_of(nodes), std::move(expected), [&](const BruConfig &config) {
                                       return depth_bound({}, Stack::kSimt, run.threads, config);
                                   }});
    }
    return search.result();
}

} // namespace smsim::state_space
