#include "tb/fuzz/programs/reconvergence_points.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace smsim::fuzz {
namespace {

/// Labels and transfers in text order; labels of one instruction are one node. The last node is followed by the end of
/// everything.
class Graph {
  public:
    Graph(const Writer &text, const std::vector<ControlTransfer> &transfers) {
        std::size_t transfer = 0;
        const auto add_transfers = [&](std::size_t before) {
            for (; transfer < transfers.size() && transfers[transfer].instruction < before; ++transfer) {
                nodes_.push_back({transfers[transfer].instruction, "", &transfers[transfer], {}});
            }
        };
        for (const auto &[label, instruction] : text.places()) {
            add_transfers(instruction);
            if (nodes_.empty() || nodes_.back().label.empty() || nodes_.back().instruction != instruction) {
                nodes_.push_back({instruction, label, nullptr, {}});
            }
            by_label_[label] = nodes_.size() - 1;
        }
        add_transfers(~std::size_t{0});
        connect();
        find_post_dominators();
    }

    struct Node {
        std::size_t instruction;
        std::string label; ///< empty: a transfer
        const ControlTransfer *transfer;
        std::vector<std::size_t> next;
    };

    const std::vector<Node> &nodes() const { return nodes_; }
    /// Number of the immediate post-dominator.
    std::size_t meets_at(std::size_t node) const { return post_dominator_[node]; }

  private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    void connect() {
        before_.resize(nodes_.size() + 1);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            Node &node = nodes_[i];
            if (node.transfer == nullptr || node.transfer->falls) {
                node.next.push_back(i + 1);
            }
            if (node.transfer != nullptr) {
                for (const std::string &target : node.transfer->targets) {
                    node.next.push_back(by_label_.at(target));
                }
            }
            if (node.next.empty()) {
                node.next.push_back(nodes_.size());
            }
            for (const std::size_t next : node.next) {
                before_[next].push_back(i);
            }
        }
    }

    /// Numbers nodes so that on the way to the end a node precedes those that it leads to, except for loops.
    void number_from_end() {
        const std::size_t end = nodes_.size();
        std::vector<std::pair<std::size_t, std::size_t>> path{{end, 0}};
        std::vector<bool> seen(end + 1);
        seen[end] = true;
        order_.assign(end + 1, kNone);
        while (!path.empty()) {
            auto &[node, child] = path.back();
            if (child == before_[node].size()) {
                order_[node] = backwards_.size();
                backwards_.push_back(node);
                path.pop_back();
                continue;
            }
            const std::size_t to = before_[node][child++];
            if (!seen[to]) {
                seen[to] = true;
                path.emplace_back(to, 0);
            }
        }
        std::ranges::reverse(backwards_);
    }

    void find_post_dominators() {
        number_from_end();
        const std::size_t end = nodes_.size();
        post_dominator_.assign(end + 1, kNone);
        post_dominator_[end] = end;
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t node : backwards_) {
                if (node == end) {
                    continue;
                }
                std::size_t found = kNone;
                for (const std::size_t next : nodes_[node].next) {
                    if (post_dominator_[next] != kNone) {
                        found = found == kNone ? next : common(found, next);
                    }
                }
                changed = changed || found != post_dominator_[node];
                post_dominator_[node] = found;
            }
        }
    }

    std::size_t common(std::size_t a, std::size_t b) const {
        while (a != b) {
            (order_[a] < order_[b] ? a : b) = post_dominator_[order_[a] < order_[b] ? a : b];
        }
        return a;
    }

    std::vector<Node> nodes_;
    std::unordered_map<std::string, std::size_t> by_label_;
    std::vector<std::vector<std::size_t>> before_;
    std::vector<std::size_t> order_;     ///< higher: nearer to the end
    std::vector<std::size_t> backwards_; ///< nodes starting from the end
    std::vector<std::size_t> post_dominator_;
};

} // namespace

std::string with_reconvergence(const Writer &text, const std::vector<ControlTransfer> &transfers) {
    const Graph graph(text, transfers);
    // What is inserted before an instruction: a JOIN precedes a SETRPC.
    std::map<std::size_t, std::pair<bool, std::string>> additions;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        const Graph::Node &node = graph.nodes()[i];
        if (node.transfer == nullptr || !node.transfer->parts) {
            continue;
        }
        const std::size_t at = graph.meets_at(i);
        if (at >= graph.nodes().size() || graph.nodes()[at].label.empty()) {
            throw std::logic_error("a branch of a generated program meets nowhere again");
        }
        additions[graph.nodes()[at].instruction].first = true;
        additions[node.instruction].second = "    SETRPC " + graph.nodes()[at].label + ";\n";
    }
    std::string result;
    std::size_t done = 0;
    for (const auto &[instruction, added] : additions) {
        const std::size_t at = text.starts().at(instruction);
        result += text.code().substr(done, at - done) + (added.first ? "    JOIN;\n" : "") + added.second;
        done = at;
    }
    return result + text.code().substr(done);
}

} // namespace smsim::fuzz
