#include "ptx/machine/call_graph.h"

#include <algorithm>
#include <utility>

namespace smsim::ptx::machine {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

using Edges = std::vector<std::vector<std::size_t>>;

/// Strongly connected components of a graph; without recursion, because call chains may be long.
class Components {
  public:
    explicit Components(const Edges &edges)
        : edges_(edges), number_(edges.size(), 0), lowest_(edges.size(), 0), component_(edges.size(), kNone) {
        for (std::size_t node = 0; node < edges.size(); ++node) {
            if (number_[node] == 0) {
                visit(node);
            }
        }
    }

    std::vector<std::size_t> order() { return std::move(order_); } ///< targets first, as far as cycles allow
    std::vector<std::size_t> of_nodes() { return std::move(component_); }
    std::vector<std::vector<std::size_t>> members() { return std::move(members_); }

  private:
    void enter(std::size_t node) {
        number_[node] = lowest_[node] = order_.size() + path_.size() + 1;
        open_.push_back(node);
        path_.emplace_back(node, 0);
    }

    void visit(std::size_t start) {
        enter(start);
        while (!path_.empty()) {
            auto &[node, next] = path_.back();
            if (next < edges_[node].size()) {
                const std::size_t target = edges_[node][next++];
                if (number_[target] == 0) {
                    enter(target);
                } else if (component_[target] == kNone) {
                    lowest_[node] = std::min(lowest_[node], lowest_[target]);
                }
                continue;
            }
            leave(node);
        }
    }

    void leave(std::size_t node) {
        path_.pop_back();
        order_.push_back(node);
        if (!path_.empty()) {
            std::size_t &above = lowest_[path_.back().first];
            above = std::min(above, lowest_[node]);
        }
        if (lowest_[node] == number_[node]) {
            std::vector<std::size_t> &all = members_.emplace_back();
            while (all.empty() || all.back() != node) {
                all.push_back(open_.back());
                open_.pop_back();
                component_[all.back()] = members_.size() - 1;
            }
        }
    }

    const Edges &edges_;
    std::vector<std::size_t> number_;
    std::vector<std::size_t> lowest_;
    std::vector<std::size_t> component_;
    std::vector<std::size_t> open_;
    std::vector<std::pair<std::size_t, std::size_t>> path_; ///< node and its next edge
    std::vector<std::size_t> order_;
    std::vector<std::vector<std::size_t>> members_;
};

} // namespace

CallGraph::CallGraph(const Module &module, const std::vector<CallWords> &words)
    : words_(words), prototypes_(module.prototypes) {
    for (const Function &function : module.functions) {
        for (const std::int32_t index : function.address_of) {
            addressed_.insert(static_cast<std::size_t>(index));
        }
    }
    for (const Data *data : {&module.global, &module.constant}) {
        for (const FunctionAddress &address : data->functions) {
            addressed_.insert(address.function);
        }
    }
    for (const Function &function : module.functions) {
        std::map<std::size_t, Callee> &found = callees_.emplace_back();
        std::set<std::uint32_t> prototypes; // calls with the same one reach the same functions
        for (const Block &block : function.blocks) {
            for (const Instruction &instruction : block.code) {
                if (instruction.mnemonic != "CALL") {
                    continue;
                }
                has_calls_ = true;
                const bool by_name = instruction.callee >= 0;
                if (!by_name && !prototypes.insert(instruction.prototype).second) {
                    continue;
                }
                for (const std::size_t target : targets(instruction)) {
                    Callee &callee = found.try_emplace(target, Callee{instruction.line, false}).first->second;
                    callee.by_name = callee.by_name || by_name;
                }
            }
        }
    }
    find_rings();
    find_recursion();
}

void CallGraph::find_rings() {
    Edges edges;
    for (const auto &callees : callees_) {
        std::vector<std::size_t> &targets = edges.emplace_back();
        for (const auto &[target, callee] : callees) {
            targets.push_back(target);
        }
    }
    Components all(edges);
    order_ = all.order();
    ring_of_ = all.of_nodes();
    rings_ = all.members();
}

void CallGraph::find_recursion() {
    Edges edges;
    for (const auto &callees : callees_) {
        std::vector<std::size_t> &targets = edges.emplace_back();
        for (const auto &[target, callee] : callees) {
            if (callee.by_name) {
                targets.push_back(target);
            }
        }
    }
    recursive_.assign(callees_.size(), false);
    for (const std::vector<std::size_t> &circle : Components(edges).members()) {
        for (const std::size_t function : circle) {
            recursive_[function] = circle.size() > 1 || std::ranges::count(edges[function], function) != 0;
        }
    }
}

bool CallGraph::in_circle(std::size_t function) const {
    return ring(function).size() > 1 || callees_[function].contains(function);
}

std::vector<std::size_t> CallGraph::targets(const Instruction &call) const {
    if (call.callee >= 0) {
        return {static_cast<std::size_t>(call.callee)};
    }
    std::vector<std::size_t> found;
    for (const std::size_t function : addressed_) {
        if (words_[function] == prototypes_[call.prototype]) {
            found.push_back(function);
        }
    }
    return found;
}

std::vector<bool> CallGraph::reaching(std::vector<bool> marked) const {
    // Callees precede callers, except within a ring.
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t function : order_) {
            const bool reaches =
                std::ranges::any_of(callees_[function], [&](const auto &callee) { return marked[callee.first]; });
            changed = changed || (reaches && !marked[function]);
            marked[function] = marked[function] || reaches;
        }
    }
    return marked;
}

bool CallGraph::within_ring(std::size_t caller, std::size_t target) const {
    return ring_of_[caller] == ring_of_[target];
}

} // namespace smsim::ptx::machine
