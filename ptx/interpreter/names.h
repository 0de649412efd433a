// Names of a PTX module and their entities in the interpreter, in scopes that nest as the braces do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

/// What a name stands for.
struct Entity {
    enum class Kind : std::uint8_t { kRegister, kVariable, kFunction };
    Kind kind = Kind::kVariable;
    ptx::Type type;
    unsigned vector = 1;
    unsigned slot = 0;              ///< register: the first one of a vector
    Memory memory = Memory::kLocal; ///< variable
    bool in_frame = false;          ///< variable: `address` is an offset in the frame's local memory
    std::uint64_t address = 0;      ///< variable: in its space; function: its number
    std::uint64_t bytes = 0;
};

class Names {
  public:
    Names() { enter(); }
    void enter() { scopes_.emplace_back(); }
    void leave() { scopes_.pop_back(); }

    void declare(const std::string &name, const Entity &entity) { scopes_.back().names[name] = entity; }
    /// Declares name0 to name(count-1); each gets its slot at its first use.
    void declare_range(const std::string &name, std::uint64_t count, const Entity &entity) {
        scopes_.back().ranges[name] = {count, entity};
    }
    /// The entity of a name; null when there is none. `slots` is the number of slots assigned so far.
    const Entity *find(std::string_view name, unsigned &slots);

    void declare_label(const std::string &name, unsigned label) { scopes_.back().labels[name] = label; }
    void declare_list(const std::string &name, const ptx::TargetList *list) { scopes_.back().lists[name] = list; }
    const unsigned *find_label(std::string_view name) const;
    const ptx::TargetList *find_list(std::string_view name) const;

  private:
    struct Range {
        std::uint64_t count = 0;
        Entity entity;
    };
    struct Scope {
        std::unordered_map<std::string, Entity> names;
        std::unordered_map<std::string, Range> ranges;
        std::unordered_map<std::string, unsigned> labels;
        std::unordered_map<std::string, const ptx::TargetList *> lists;
    };
    static const Entity *find_in(Scope &scope, std::string_view name, unsigned &slots);
    std::vector<Scope> scopes_;
};

} // namespace smsim::ptx::interpreter
