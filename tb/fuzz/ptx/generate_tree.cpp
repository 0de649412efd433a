#include <utility>

#include "tb/fuzz/programs/random.h"
#include "tb/fuzz/ptx/tree.h"

namespace smsim::ptx_fuzz {

namespace {

using Weights = std::vector<std::pair<NodeKind, unsigned>>;

class Grower {
  public:
    explicit Grower(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {
        team_ = random_.chance(70);
        wild_ = random_.chance(50);
    }

    Tree run(std::uint64_t seed) {
        Tree tree;
        tree.seed = seed;
        tree.threads = random_.of({32, 32, 64, 96, 40, 7, 128});
        tree.ctas = random_.of({1, 1, 2, 3});
        for (unsigned i = random_.below(4); i > 0; --i) {
            budget_ = 12;
            in_function_ = true;
            tree.functions.push_back(sequence(1));
        }
        in_function_ = false;
        budget_ = 10 + random_.below(30);
        tree.kernel = sequence(0);
        return tree;
    }

  private:
    const Weights &weights() const {
        using enum NodeKind;
        static const Weights kAll = {{kArithmetic, 20}, {kMemory, 10},     {kIf, 14},           {kLaneIf, 8},
                                     {kLoop, 12},       {kUniformLoop, 6}, {kBreak, 6},         {kContinue, 4},
                                     {kSwitch, 6},      {kCall, 6},        {kTableCall, 4},     {kRecurse, 4},
                                     {kReturn, 3},      {kExit, 1},        {kWild, 6},          {kVote, 8},
                                     {kShuffle, 8},     {kMatch, 5},       {kReduce, 6},        {kWarpBarrier, 4},
                                     {kMatrix, 12},     {kExchange, 5},    {kBarrierReduce, 4}, {kSplitBarrier, 3},
                                     {kHandOver, 2},    {kAtomic, 6},      {kOwnAtomic, 4},     {kLock, 4},
                                     {kPeerWait, 4},    {kChain, 2},       {kSleep, 3},         {kPredicated, 8}};
        return kAll;
    }

    NodeKind kind() {
        unsigned total = 0;
        for (const auto &[kind, weight] : weights()) {
            total += weight;
        }
        unsigned at = random_.below(total);
        for (const auto &[kind, weight] : weights()) {
            if (at < weight) {
                return kind;
            }
            at -= weight;
        }
        return NodeKind::kArithmetic;
    }

    static unsigned children_of(NodeKind kind, fuzz::Random &random) {
        switch (kind) {
        case NodeKind::kIf:
        case NodeKind::kLaneIf:
            return random.between(1, 2);
        case NodeKind::kLoop:
        case NodeKind::kUniformLoop:
            return 1;
        case NodeKind::kSwitch:
            return random.between(2, 5);
        case NodeKind::kWild:
            return random.between(3, 6);
        default:
            return 0;
        }
    }

    bool left_out(NodeKind kind) const {
        const bool team = kind >= NodeKind::kVote && kind <= NodeKind::kHandOver;
        return (!wild_ && kind == NodeKind::kWild) || (!team_ && team) ||
               (in_function_ && kind == NodeKind::kExit && team_);
    }

    std::vector<Node> sequence(unsigned depth) {
        std::vector<Node> nodes;
        const unsigned length = depth == 0 ? 12 : random_.between(1, 4);
        for (unsigned i = 0; i < length && budget_ > 0; ++i) {
            Node node;
            node.kind = kind();
            if (left_out(node.kind)) {
                continue;
            }
            --budget_;
            for (std::uint32_t &number : node.random) {
                number = static_cast<std::uint32_t>(random_.next());
            }
            const unsigned children = depth < 5 ? children_of(node.kind, random_) : 0;
            for (unsigned child = 0; child < children; ++child) {
                node.children.push_back(sequence(depth + 1));
            }
            nodes.push_back(std::move(node));
        }
        return nodes;
    }

    fuzz::Random random_;
    unsigned budget_ = 0;
    bool team_ = false;
    bool wild_ = false;
    bool in_function_ = false;
};

std::size_t count(const std::vector<Node> &nodes) {
    std::size_t total = nodes.size();
    for (const Node &node : nodes) {
        for (const auto &child : node.children) {
            total += count(child);
        }
    }
    return total;
}

} // namespace

Tree grow(std::uint64_t seed) {
    return Grower(seed).run(seed);
}

std::size_t count_nodes(const Tree &tree) {
    std::size_t total = count(tree.kernel);
    for (const auto &function : tree.functions) {
        total += count(function);
    }
    return total;
}

} // namespace smsim::ptx_fuzz
