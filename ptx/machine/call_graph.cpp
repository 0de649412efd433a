#include "ptx/machine/call_graph.h"

#include <algorithm>
#include <utility>

namespace smsim::ptx::machine {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

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
    // Callees come first, but for those of a ring.
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

/// Strongly connected components; chains of calls may be long, so there is no recursion here.
void CallGraph::find_rings() {
    const std::size_t count = callees_.size();
    ring_of_.assign(count, kNone);
    std::vector<std::size_t> number(count, 0);
    std::vector<std::size_t> lowest(count, 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < count; ++i) {
        if (number[i] == 0) {
            visit(i, number, lowest, open);
        }
    }
}

void CallGraph::visit(std::size_t start, std::vector<std::size_t> &number, std::vector<std::size_t> &lowest,
                      std::vector<std::size_t> &open) {
    using Next = std::map<std::size_t, Callee>::const_iterator;
    std::vector<std::pair<std::size_t, Next>> path;
    const auto enter = [&](std::size_t function) {
        number[function] = lowest[function] = order_.size() + path.size() + 1;
        open.push_back(function);
        path.emplace_back(function, callees_[function].begin());
    };
    enter(start);
    while (!path.empty()) {
        const std::size_t function = path.back().first;
        if (path.back().second != callees_[function].end()) {
            const std::size_t target = (path.back().second++)->first;
            if (number[target] == 0) {
                enter(target);
            } else if (ring_of_[target] == kNone) {
                lowest[function] = std::min(lowest[function], lowest[target]);
            }
            continue;
        }
        path.pop_back();
        order_.push_back(function);
        if (!path.empty()) {
            std::size_t &above = lowest[path.back().first];
            above = std::min(above, lowest[function]);
        }
        if (lowest[function] == number[function]) {
            std::vector<std::size_t> &ring = rings_.emplace_back();
            std::size_t member = kNone;
            do {
                member = open.back();
                open.pop_back();
                ring_of_[member] = rings_.size() - 1;
                ring.push_back(member);
            } while (member != function);
        }
    }
}

std::optional<CallGraph::Recursion> CallGraph::recursion() const {
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    using Next = std::map<std::size_t, Callee>::const_iterator;
    std::vector<State> state(callees_.size(), State::kNew);
    for (std::size_t start = 0; start < callees_.size(); ++start) {
        std::vector<std::pair<std::size_t, Next>> path;
        if (state[start] == State::kNew) {
            state[start] = State::kOpen;
            path.emplace_back(start, callees_[start].begin());
        }
        while (!path.empty()) {
            auto &[function, next] = path.back();
            if (next == callees_[function].end()) {
                state[function] = State::kDone;
                path.pop_back();
                continue;
            }
            const auto &[target, callee] = *next++;
            if (callee.by_name && state[target] == State::kOpen) {
                return Recursion{target, callee.line};
            }
            if (callee.by_name && state[target] == State::kNew) {
                state[target] = State::kOpen;
                path.emplace_back(target, callees_[target].begin());
            }
        }
    }
    return std::nullopt;
}

} // namespace smsim::ptx::machine
