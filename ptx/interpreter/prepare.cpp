// Prepares a whole module: first the places of its variables, then its functions one by one.
#include <utility>

#include "model/error.h"
#include "ptx/interpreter/layout.h"
#include "ptx/interpreter/resolver.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kMostStaticShared = std::uint64_t{1} << 24;

/// An upper bound of the bytes that the shared variables of a block and of those within it take.
std::uint64_t shared_in(const ptx::Block &block) {
    std::uint64_t bytes = 0;
    for (const ptx::Statement &statement : block.statements) {
        const auto *variable = std::get_if<ptx::Variable>(&statement.what);
        if (variable != nullptr && variable->space == ptx::Space::kShared) {
            bytes += std::min(size_in_bytes(*variable), kMostStaticShared) + variable->align + 16;
        } else if (const auto *inner = std::get_if<ptx::Block>(&statement.what)) {
            bytes += shared_in(*inner);
        }
    }
    return bytes;
}

class Preparation {
  public:
    explicit Preparation(const ptx::Module &module) : module_(module) {}

    CompiledModule run() {
        for (const auto &item : module_.items) {
            if (const auto *function = std::get_if<ptx::Function>(&item)) {
                declare(*function);
            } else if (const auto *variable = std::get_if<ptx::Variable>(&item)) {
                declare(*variable);
            }
        }
        place_dynamic();
        memory_.initial_global.resize(memory_.global);
        out_.constant.resize(constants_);
        for (const auto &[variable, offset] : initialised_) {
            initialise(*variable, offset,
                       variable->space == ptx::Space::kConst ? out_.constant : memory_.initial_global, names_);
        }
        for (const auto &item : module_.items) {
            const auto *function = std::get_if<ptx::Function>(&item);
            if (function != nullptr && function->body) {
                FunctionResolver(*function, names_, memory_, out_.functions[out_.by_name.at(function->name)]).body();
            }
        }
        out_.global = std::move(memory_.initial_global);
        return std::move(out_);
    }

  private:
    void declare(const ptx::Function &function) {
        const auto [entry, fresh] = out_.by_name.try_emplace(function.name, out_.functions.size());
        if (!fresh) {
            return;
        }
        CompiledFunction compiled;
        compiled.name = function.name;
        compiled.entry = function.entry;
        out_.functions.push_back(compiled);
        Entity entity;
        entity.kind = Entity::Kind::kFunction;
        entity.address = entry->second;
        names_.declare(function.name, entity);
    }

    void declare(const ptx::Variable &variable) {
        unsigned unused = 0;
        const bool external = variable.linkage == ptx::Linkage::kExtern;
        if (external && variable.space == ptx::Space::kShared) {
            return dynamic_.push_back(&variable);
        }
        if (external && names_.find(variable.name, unused) != nullptr) {
            return;
        }
        const bool constant = variable.space == ptx::Space::kConst;
        Entity entity;
        entity.type = variable.type;
        entity.bytes = bytes_of(variable);
        entity.memory = constant                                ? Memory::kConst
                        : variable.space == ptx::Space::kShared ? Memory::kShared
                                                                : Memory::kGlobal;
        entity.address = place(variable, constant                           ? constants_
                                         : entity.memory == Memory::kShared ? memory_.shared
                                                                            : memory_.global);
        names_.declare(variable.name, entity);
        if (variable.initialiser) {
            initialised_.emplace_back(&variable, entity.address);
        }
    }

    /// Dynamic shared memory starts after all static shared memory.
    void place_dynamic() {
        out_.static_shared = memory_.shared;
        for (const auto &item : module_.items) {
            const auto *function = std::get_if<ptx::Function>(&item);
            out_.static_shared += function != nullptr && function->body ? shared_in(*function->body) : 0;
        }
        out_.static_shared = (out_.static_shared + 1023) / 1024 * 1024;
        if (out_.static_shared > kMostStaticShared) {
            throw InputError("the interpreter covers 2^24 bytes of static shared memory at most");
        }
        for (const ptx::Variable *variable : dynamic_) {
            Entity entity;
            entity.type = variable->type;
            entity.memory = Memory::kShared;
            entity.address = out_.static_shared;
            names_.declare(variable->name, entity);
        }
    }

    const ptx::Module &module_;
    CompiledModule out_;
    Names names_;
    ModuleMemory memory_;
    std::uint64_t constants_ = 0;
    std::vector<std::pair<const ptx::Variable *, std::uint64_t>> initialised_;
    std::vector<const ptx::Variable *> dynamic_;
};

} // namespace

CompiledModule prepare(const ptx::Module &module) {
    if (module.address_size != 64) {
        throw InputError("the interpreter covers modules with 64-bit addresses only");
    }
    return Preparation(module).run();
}

} // namespace smsim::ptx::interpreter
