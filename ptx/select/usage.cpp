#include "ptx/select/usage.h"

#include <set>
#include <string>
#include <unordered_map>

namespace smsim::ptx::select {

namespace {

/// All names in a function's body, and the variables declared there.
struct Mentions {
    std::set<std::string> names;
    std::vector<const Variable *> own;

    void operand(const Operand &operand) {
        if (!operand.name.empty()) {
            names.insert(operand.name);
        }
        for (const Operand &element : operand.elements) {
            this->operand(element);
        }
    }

    void value(const Initialiser &value) {
        if (!value.name.empty()) {
            names.insert(value.name);
        }
        for (const Initialiser &element : value.elements) {
            this->value(element);
        }
    }

    void block(const Block &block) {
        for (const Statement &statement : block.statements) {
            if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
                for (const Operand &each : instruction->operands) {
                    operand(each);
                }
            } else if (const auto *variable = std::get_if<Variable>(&statement.what)) {
                own.push_back(variable);
                if (variable->initialiser) {
                    value(*variable->initialiser);
                }
            } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
                this->block(*inner);
            } else if (const auto *targets = std::get_if<TargetList>(&statement.what)) {
                for (const Label &target : targets->targets) {
                    names.insert(target.name);
                }
            }
        }
    }
};

} // namespace

std::vector<std::vector<bool>> used_shared(const ptx::Module &source, const machine::Module &module) {
    std::unordered_map<std::string, const Variable *> variables;
    std::vector<Mentions> mentions(module.functions.size());
    for (const auto &item : source.items) {
        if (const auto *variable = std::get_if<Variable>(&item)) {
            variables[variable->name] = variable;
        } else if (const auto *function = std::get_if<Function>(&item); function && function->body) {
            mentions[module.function_index.at(function->name)].block(*function->body);
        }
    }
    std::vector<std::vector<bool>> used(module.functions.size(), std::vector<bool>(module.shared.size(), false));
    for (std::size_t start = 0; start < mentions.size(); ++start) {
        std::set<std::string> seen;
        std::vector<std::string> open(mentions[start].names.begin(), mentions[start].names.end());
        const auto own = [&](const Mentions &function) {
            for (const Variable *variable : function.own) {
                if (variable->space == Space::kShared) {
                    used[start][module.places.at(variable)] = true;
                }
            }
        };
        own(mentions[start]);
        while (!open.empty()) {
            const std::string name = std::move(open.back());
            open.pop_back();
            if (!seen.insert(name).second) {
                continue;
            }
            if (const auto function = module.function_index.find(name); function != module.function_index.end()) {
                own(mentions[function->second]);
                open.insert(open.end(), mentions[function->second].names.begin(),
                            mentions[function->second].names.end());
            } else if (const auto variable = variables.find(name); variable != variables.end()) {
                if (variable->second->space == Space::kShared) {
                    used[start][module.places.at(variable->second)] = true;
                } else if (variable->second->initialiser) {
                    Mentions table;
                    table.value(*variable->second->initialiser);
                    open.insert(open.end(), table.names.begin(), table.names.end());
                }
            }
        }
    }
    return used;
}

} // namespace smsim::ptx::select
