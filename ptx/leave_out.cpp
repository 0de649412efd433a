#include "ptx/leave_out.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"

namespace smsim::ptx {

namespace {

void names_of(const Operand &operand, std::set<std::string> &names) {
    names.insert(operand.name);
    for (const Operand &element : operand.elements) {
        names_of(element, names);
    }
}

void names_of(const Initialiser &initialiser, std::set<std::string> &names) {
    names.insert(initialiser.name);
    for (const Initialiser &element : initialiser.elements) {
        names_of(element, names);
    }
}

void names_of(const Block &block, std::set<std::string> &names) {
    for (const Statement &statement : block.statements) {
        if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
            for (const Operand &operand : instruction->operands) {
                names_of(operand, names);
            }
        } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
            names_of(*inner, names);
        } else if (const auto *targets = std::get_if<TargetList>(&statement.what)) {
            for (const Label &target : targets->targets) {
                names.insert(target.name);
            }
        }
    }
}

/// A function with a body, or a variable with a value: its name and what it names.
struct Item {
    std::string name;
    std::set<std::string> names;
};

std::vector<Item> items_of(const Module &module) {
    std::vector<Item> items;
    for (const auto &item : module.items) {
        if (const auto *function = std::get_if<Function>(&item); function != nullptr && function->body) {
            names_of(*function->body, items.emplace_back(Item{function->name, {}}).names);
        } else if (const auto *variable = std::get_if<Variable>(&item); variable != nullptr && variable->initialiser) {
            names_of(*variable->initialiser, items.emplace_back(Item{variable->name, {}}).names);
        }
    }
    return items;
}

} // namespace

std::vector<LeftOut> leave_out(Module &module, const std::vector<Refusal> &refusals, const std::vector<LeftOut> &also,
                               const std::string &file) {
    if (refusals.empty() && also.empty()) {
        return {};
    }
    std::vector<std::string> messages;
    std::map<std::string, std::string> refused; // by name: why
    for (const Refusal &refusal : refusals) {
        messages.push_back(
            fmt::format("{}:{}:{}: {}", file, refusal.place.line, refusal.place.column, refusal.message));
        refused.try_emplace(refusal.function, messages.back());
    }
    for (const LeftOut &one : also) {
        messages.push_back(one.message);
        refused.try_emplace(one.kernel, one.message);
    }
    const std::vector<Item> items = items_of(module);
    for (bool changed = true; changed;) {
        changed = false;
        for (const Item &item : items) {
            const auto named = std::ranges::find_if(
                item.names, [&](const std::string &name) { return name != item.name && refused.contains(name); });
            if (named != item.names.end() && !refused.contains(item.name)) {
                refused.emplace(item.name, refused.at(*named));
                changed = true;
            }
        }
    }
    std::vector<LeftOut> kernels;
    bool some_left = false;
    for (const auto &item : module.items) {
        const auto *function = std::get_if<Function>(&item);
        if (function != nullptr && function->entry && function->body) {
            const auto why = refused.find(function->name);
            if (why != refused.end()) {
                kernels.push_back({function->name, why->second});
            }
            some_left = some_left || why == refused.end();
        }
    }
    if (!some_left) {
        throw InputError(fmt::format("{}", fmt::join(messages, "\n")));
    }
    std::erase_if(module.items, [&](const auto &item) {
        const auto *function = std::get_if<Function>(&item);
        const auto *variable = std::get_if<Variable>(&item);
        return (function != nullptr && refused.contains(function->name)) ||
               (variable != nullptr && refused.contains(variable->name));
    });
    return kernels;
}

} // namespace smsim::ptx
