#include "ptx/select/layout.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

#include "model/error.h"
#include "model/program/program.h"
#include "ptx/instruction_table.h"
#include "ptx/select/names.h"

namespace smsim::ptx::select {

namespace {

constexpr std::uint64_t kMostGlobalBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostConstantBytes = 65536;
/// Shared memory beyond any machine's; the launch checks against the configured size.
constexpr std::uint64_t kMostSharedBytes = std::uint64_t{1} << 24;

constexpr std::size_t kMostSharedVariables = 4096;

class DataLayout {
  public:
    DataLayout(const ptx::Module &source, const Scopes &scopes, machine::Module &module)
        : source_(source), scopes_(scopes), module_(module) {}

    void run() {
        for (const auto &item : source_.items) {
            if (const auto *variable = std::get_if<Variable>(&item)) {
                place(*variable);
            } else if (const auto *function = std::get_if<Function>(&item); function && function->body) {
                walk(*function->body);
            }
        }
        module_.constant_in_global = align_up(module_.global.size, 256);
        if (module_.constant.size != 0) {
            module_.global.size = module_.constant_in_global + module_.constant.size;
        }
        for (const Variable *variable : zeros_) { // after all that is stored
            place_in(module_.global, *variable, kMostGlobalBytes);
        }
        for (const Variable *variable : declared_) { // the definition is in another place
            const auto found = by_name_.find(variable->name);
            if (found != by_name_.end()) {
                module_.places[variable] = module_.places.at(found->second);
            }
        }
        for (const Variable *variable : initialised_) {
            initialise(*variable);
        }
        copy_constants();
    }

  private:
    [[noreturn]] void refuse(const Position &place, const std::string &cause) const {
        throw InputError(module_.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
                         cause);
    }

    void walk(const Block &block) {
        for (const Statement &statement : block.statements) {
            if (const auto *variable = std::get_if<Variable>(&statement.what)) {
                place(*variable);
            } else if (const auto *inner = std::get_if<Block>(&statement.what)) {
                walk(*inner);
            } else if (const auto *instruction = std::get_if<Instruction>(&statement.what)) {
                generic_addresses(*instruction);
            }
        }
    }

    void generic_addresses(const Instruction &instruction) {
        if (instruction.opcode != "cvta" || instruction.modifiers.front() == "to") {
            return;
        }
        const std::string_view space = modifier_among("SPACE", instruction.modifiers);
        module_.generic_shared |= space.starts_with("shared");
        module_.generic_local |= space == "local";
        module_.generic_parameter |= space == "param";
        module_.generic_constant |= space == "const";
    }

    void place(const Variable &variable) {
        const bool nowhere = variable.linkage == Linkage::kExtern && variable.space != Space::kShared;
        if (nowhere) {
            declared_.push_back(&variable);
            return;
        }
        switch (variable.space) {
        case Space::kShared:
            return place_shared(variable);
        case Space::kGlobal:
            return variable.initialiser ? place_in(module_.global, variable, kMostGlobalBytes)
                                        : zeros_.push_back(&variable);
        case Space::kConst:
            return place_in(module_.constant, variable, kMostConstantBytes);
        default:
            return;
        }
    }

    void place_shared(const Variable &variable) {
        const std::uint64_t bytes = size_in_bytes(variable);
        if (bytes > kMostSharedBytes) {
            refuse(variable.place, "'" + variable.name + "' has " + std::to_string(bytes) +
                                       " bytes of shared memory; expected at most " + std::to_string(kMostSharedBytes));
        }
        if (module_.shared.size() == kMostSharedVariables) {
            refuse(variable.place, "more than " + std::to_string(kMostSharedVariables) +
                                       " variables of shared memory; expected fewer and larger ones");
        }
        module_.places[&variable] = module_.shared.size();
        module_.shared.push_back({bytes, alignment_of(variable), 0, variable.linkage == Linkage::kExtern});
    }

    void place_in(machine::Data &data, const Variable &variable, std::uint64_t most) {
        const std::uint64_t bytes = size_in_bytes(variable);
        const std::uint64_t offset = align_up(data.size, std::max<std::uint64_t>(alignment_of(variable), 1));
        if (bytes > most || offset > most - bytes) {
            refuse(variable.place, "'" + variable.name + "' makes the variables of its space larger than " +
                                       std::to_string(most) + " bytes");
        }
        module_.places[&variable] = offset;
        data.size = offset + bytes;
        by_name_[variable.name] = &variable;
        if (variable.initialiser) {
            initialised_.push_back(&variable);
        }
    }

    machine::Data &data_of(const Variable &variable) {
        return variable.space == Space::kConst ? module_.constant : module_.global;
    }

    void initialise(const Variable &variable) {
        machine::Data &data = data_of(variable);
        const std::uint64_t offset = module_.places.at(&variable);
        std::uint64_t end = offset;
        write(data, variable, *variable.initialiser, offset, 0, end);
    }

    /// Writes one value or list at `offset`; lists from dimension `depth` on.
    void write(machine::Data &data, const Variable &variable, const Initialiser &value, std::uint64_t offset,
               std::size_t depth, std::uint64_t &end) {
        if (value.kind != Initialiser::Kind::kList) {
            const unsigned bytes = variable.type.bits / 8;
            put(data, variable, value, offset, bytes);
            end = offset + bytes;
            return;
        }
        // Bytes of one element of this list.
        std::uint64_t each = std::uint64_t{variable.type.bits} / 8 * variable.vector;
        for (std::size_t i = depth + 1; i < variable.dimensions.size(); ++i) {
            each *= variable.dimensions[i];
        }
        if (depth >= variable.dimensions.size()) { // inside a vector
            each = variable.type.bits / 8;
        }
        std::uint64_t at = offset;
        for (const Initialiser &element : value.elements) {
            const bool list = element.kind == Initialiser::Kind::kList;
            write(data, variable, element, at, depth + 1, end);
            at += list ? each : variable.type.bits / 8;
        }
        end = at;
    }

    void put(machine::Data &data, const Variable &variable, const Initialiser &value, std::uint64_t offset,
             unsigned bytes) {
        std::uint64_t bits = static_cast<std::uint64_t>(value.value);
        const bool wide = variable.type.bits == 64;
        if (value.kind == Initialiser::Kind::kDouble && !wide && variable.type.bits == 32) {
            bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
        } else if (value.kind == Initialiser::Kind::kSingle && wide) {
            bits = std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
        } else if (value.kind == Initialiser::Kind::kInteger && variable.type.kind == TypeClass::kFloat) {
            const auto number = static_cast<double>(value.value);
            bits =
                wide ? std::bit_cast<std::uint64_t>(number) : std::bit_cast<std::uint32_t>(static_cast<float>(number));
        } else if (value.kind == Initialiser::Kind::kAddress) {
            bits = address(data, value, offset, bytes);
        }
        if (offset + bytes > kMaxGlobalDataStored) {
            refuse(value.place, "'" + variable.name + "' makes the values of all variables take more than " +
                                    std::to_string(kMaxGlobalDataStored) + " bytes");
        }
        if (data.bytes.size() < offset + bytes) {
            data.bytes.resize(offset + bytes);
        }
        for (unsigned i = 0; i < bytes; ++i) {
            data.bytes[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
        }
    }

    std::uint64_t address(machine::Data &data, const Initialiser &value, std::uint64_t offset, unsigned bytes) {
        const Symbol symbol = scopes_.find(value.name);
        if (symbol.function != nullptr) {
            const auto index = module_.function_index.find(symbol.function->name);
            if (index == module_.function_index.end() || symbol.function->entry || value.mask != 0 ||
                value.value != 0) {
                refuse(value.place, "'" + value.name +
                                        "' as value is not covered; expected the whole address of a "
                                        ".func that is defined in the module");
            }
            data.functions.push_back({offset, index->second, bytes});
            return 0;
        }
        const auto place = module_.places.find(symbol.variable);
        if (symbol.variable == nullptr || place == module_.places.end()) {
            refuse(value.place, "'" + value.name +
                                    "' is declared and not defined; expected its definition in the "
                                    "module");
        }
        std::uint64_t address = place->second + static_cast<std::uint64_t>(value.value);
        const Space space = symbol.variable->space;
        if (space == Space::kGlobal) {
            address += kGlobalDataBase;
        } else if (space == Space::kConst && value.generic) {
            address += kGlobalDataBase + module_.constant_in_global;
            module_.generic_constant = true;
        } else if (space == Space::kShared) {
            refuse(value.place, "'" + value.name +
                                    "' of shared memory as value is not covered: its place is chosen by the "
                                    "launch");
        }
        if (value.mask != 0) {
            address = (address & value.mask) >> std::countr_zero(value.mask);
        }
        return address;
    }

    void copy_constants() {
        const std::vector<std::uint8_t> &bytes = module_.constant.bytes;
        if (module_.constant.size == 0) {
            return;
        }
        module_.global.bytes.resize(module_.constant_in_global);
        module_.global.bytes.insert(module_.global.bytes.end(), bytes.begin(), bytes.end());
        for (machine::FunctionAddress function : module_.constant.functions) {
            function.offset += module_.constant_in_global;
            module_.global.functions.push_back(function);
        }
    }

    const ptx::Module &source_;
    const Scopes &scopes_;
    machine::Module &module_;
    std::vector<const Variable *> declared_;
    std::vector<const Variable *> zeros_;
    std::vector<const Variable *> initialised_;
    std::unordered_map<std::string, const Variable *> by_name_;
};

} // namespace

void lay_out(const ptx::Module &source, const Scopes &scopes, machine::Module &module) {
    DataLayout(source, scopes, module).run();
}

std::vector<std::uint32_t> lay_out_shared(machine::Module &module, const std::vector<std::vector<bool>> &used) {
    std::vector<std::size_t> users(module.shared.size(), 0);
    for (const std::vector<bool> &kernel : used) {
        for (std::size_t i = 0; i < users.size(); ++i) {
            users[i] += kernel[i] ? 1 : 0;
        }
    }
    const auto put = [&](machine::SharedVariable &variable, std::uint64_t &end) {
        variable.offset = align_up(end, std::max<std::uint64_t>(variable.align, 1));
        end = variable.offset + variable.bytes;
        if (end > kMostSharedBytes) {
            throw InputError(module.file + ": the variables of shared memory take more than " +
                             std::to_string(kMostSharedBytes) + " bytes");
        }
    };
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < module.shared.size(); ++i) {
        if (users[i] > 1 && !module.shared[i].dynamic) {
            put(module.shared[i], common);
        }
    }
    std::vector<std::uint32_t> sizes;
    for (const std::vector<bool> &kernel : used) {
        std::uint64_t end = common;
        std::uint64_t dynamic_align = 1;
        for (std::size_t i = 0; i < module.shared.size(); ++i) {
            if (kernel[i] && module.shared[i].dynamic) {
                dynamic_align = std::max(dynamic_align, module.shared[i].align);
            } else if (kernel[i] && users[i] == 1) {
                put(module.shared[i], end);
            }
        }
        // The launch puts dynamic shared memory at the next multiple of 16.
        sizes.push_back(static_cast<std::uint32_t>(dynamic_align > 16 ? align_up(end, dynamic_align) : end));
    }
    return sizes;
}

} // namespace smsim::ptx::select
