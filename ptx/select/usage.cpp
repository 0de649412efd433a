#include "ptx/select/usage.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace smsim::ptx::select {

namespace {

/// Functions and variables of the module as nodes: functions by their index, then the variables. An edge is a name in
/// a body or in an initial value.
class Mentions {
  public:
    Mentions(const ptx::Module &source, const machine::Module &module) : module_(module) {
        names_.insert(module.function_index.begin(), module.function_index.end());
        edges_.resize(module.functions.size());
        shared_.resize(module.functions.size());
        for (const auto &item : source.items) {
            if (const auto *variable = std::get_if<Variable>(&item)) {
                names_[variable->name] = static_cast<std::uint32_t>(edges_.size());
                edges_.emplace_back();
                shared_.emplace_back();
                own(static_cast<std::uint32_t>(edges_.size() - 1), *variable);
            }
        }
        for (const auto &item : source.items) {
            if (const auto *variable = std::get_if<Variable>(&item); variable && variable->initialiser) {
                value(names_.at(variable->name), *variable->initialiser);
            } else if (const auto *function = std::get_if<Function>(&item); function && function->body) {
                block(names_.at(function->name), *function->body);
            }
        }
        for (auto &edges : edges_) {
            std::ranges::sort(edges);
            edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        }
    }

    /// The shared variables that can be reached from `start`.
    std::vector<bool> used(std::uint32_t start) const {
        std::vector<bool> found(module_.shared.size(), false);
        std::vector<bool> seen(edges_.size(), false);
        std::vector<std::uint32_t> open = {start};
        seen[start] = true;
        while (!open.empty()) {
            const std::uint32_t node = open.back();
            open.pop_back();
            for (const std::uint64_t variable : shared_[node]) {
                found[variable] = true;
            }
            for (const std::uint32_t to : edges_[node]) {
                if (!seen[to]) {
                    seen[to] = true;
                    open.push_back(to);
                }
            }
        }
        return found;
    }

  private:
    void own(std::uint32_t node, const Variable &variable) {
        if (variable.space == Space::kShared) {
            shared_[node].push_back(module_.places.at(&variable));
        }
    }

    void name(std::uint32_t node, const std::string &name) {
        if (const auto found = names_.find(name); found != names_.end()) {
            edges_[node].push_back(found->second);
        }
    }

    void operand(std::uint32_t node, const Operand &operand) {
        name(node, operand.name);
        for (const Operand &element : operand.elements) {
            this->operand(node, element);
        }
    }

    void value(std::uint32_t node, const Initialiser &value) {
        name(node, value.name);
        for (const Initialiser &element : value.elements) {
            this->value(node, element);
        }
    }

    void block(std::uint32_t node, const Block &block) {
        for (const Statement &statement : block.statements) {
            if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
                for (const Operand &each : instruction->operands) {
                    operand(node, each);
                }
            } else if (const auto *variable = std::get_if<Variable>(&statement.what)) {
                own(node, *variable);
                if (variable->initialiser) {
                    value(node, *variable->initialiser);
                }
            } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
                this->block(node, *inner);
            } else if (const auto *targets = std::get_if<TargetList>(&statement.what)) {
                for (const Label &target : targets->targets) {
                    name(node, target.name);
                }
            }
        }
    }

    const machine::Module &module_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::vector<std::vector<std::uint32_t>> edges_;
    std::vector<std::vector<std::uint64_t>> shared_; ///< by node, indices into Module::shared
};

} // namespace

std::vector<std::vector<bool>> used_shared(const ptx::Module &source, const machine::Module &module) {
    const Mentions mentions(source, module);
    std::vector<std::vector<bool>> used;
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
        if (module.functions[i].kernel) {
            used.push_back(mentions.used(i));
        }
    }
    return used;
}

} // namespace smsim::ptx::select
