#include "ptx/select/names.h"

#include <algorithm>
#include <charconv>

#include "model/error.h"
#include "ptx/select/function.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The number after the name of a variable with a range ("%r" and "%r12" give 12); 0 without a range.
std::uint64_t number_of(const Variable &variable, std::string_view name) {
    std::uint64_t number = 0;
    if (variable.range) {
        const std::string_view digits = name.substr(variable.name.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return number;
}

} // namespace

unsigned words_of_type(Type type) {
    return type.bits <= 32 ? 1 : type.bits / 32;
}

std::uint64_t alignment_of(const Variable &variable) {
    return std::max<std::uint64_t>({variable.align, std::uint64_t{variable.type.bits} * variable.vector / 8, 1});
}

Register Names::register_of(std::string_view name) {
    const Symbol symbol = scopes_.find(name);
    const Variable &variable = *symbol.variable;
    const auto [entry, fresh] = registers_.try_emplace({&variable, number_of(variable, name)}, kNoRegister);
    if (fresh) {
        const bool predicate = variable.type.kind == TypeClass::kPredicate;
        entry->second = function_.add(predicate ? RegisterClass::kPredicate : RegisterClass::kGeneral,
                                      predicate ? 1 : words_of_type(variable.type));
    }
    return entry->second;
}

std::optional<Type> Names::type_of(std::string_view name) const {
    const Symbol symbol = scopes_.find(name);
    if (symbol.variable == nullptr) {
        return std::nullopt;
    }
    return symbol.variable->type;
}

std::optional<Place> Names::place_of(std::string_view name) {
    const Symbol symbol = scopes_.find(name);
    if (symbol.function != nullptr) {
        const auto index = module_.function_index.find(symbol.function->name);
        return Place{.offset = index == module_.function_index.end() ? ~std::uint64_t{0} : index->second,
                     .function = true};
    }
    if (symbol.variable == nullptr || symbol.variable->space == Space::kReg) {
        return std::nullopt;
    }
    const Variable &variable = *symbol.variable;
    Place place{.space = variable.space, .bytes = size_in_bytes(variable)};
    if (const auto kernel = kernel_parameters_.find(&variable); kernel != kernel_parameters_.end()) {
        place.offset = kernel->second;
    } else if (variable.space == Space::kLocal) {
        if (!frame_.contains(&variable)) {
            place_local(variable);
        }
        place.offset = frame_.at(&variable);
    } else if (const auto found = module_.places.find(&variable); found != module_.places.end()) {
        place.offset = found->second;
        if (variable.space == Space::kShared) {
            const auto index = static_cast<std::uint32_t>(found->second);
            if (std::ranges::find(function_.shared, index) == function_.shared.end()) {
                function_.shared.push_back(index);
            }
            place.dynamic = module_.shared[index].dynamic;
            place.offset = module_.shared[index].offset;
        }
    } else {
        refuse(variable, "is declared and not defined; expected its definition in the module");
    }
    return place;
}

Words *Names::words_of(std::string_view name) {
    const Symbol symbol = scopes_.find(name);
    const auto found = words_.find(symbol.variable);
    return found == words_.end() ? nullptr : &found->second;
}

void Names::refuse(const Variable &variable, const std::string &cause) const {
    throw InputError(module_.file + ":" + std::to_string(variable.place.line) + ":" +
                     std::to_string(variable.place.column) + ": '" + variable.name + "' " + cause);
}

void Names::place_local(const Variable &variable) {
    const std::uint64_t offset = align_up(function_.frame_bytes, alignment_of(variable));
    const std::uint64_t bytes = size_in_bytes(variable);
    if (bytes > machine::kMostFrameBytes || offset > machine::kMostFrameBytes - bytes) {
        refuse(variable, "makes the local memory of its function larger than " +
                             std::to_string(machine::kMostFrameBytes) + " bytes");
    }
    frame_[&variable] = offset;
    function_.frame_bytes = static_cast<std::uint32_t>(offset + bytes);
}

Words &Names::place_words(const Variable &variable) {
    Words &words = words_[&variable];
    if (words.registers.empty()) {
        words.bytes = size_in_bytes(variable);
        if (words.bytes > std::size_t{4} * kMostArgumentWords) {
            refuse(variable, "has " + std::to_string(words.bytes) + " bytes; expected at most " +
                                 std::to_string(4 * kMostArgumentWords) + " for a parameter of a call");
        }
        for (std::uint64_t at = 0; at < words.bytes; at += 4) {
            words.registers.push_back(function_.add(RegisterClass::kGeneral));
        }
    }
    return words;
}

void Names::place_kernel_parameter(const Variable &variable, std::uint64_t offset) {
    kernel_parameters_[&variable] = offset;
}

void Names::place_label(const std::string &name, BlockIndex block) {
    labels_.back()[name] = block;
}

BlockIndex Names::block_of(const std::string &name) const {
    for (auto scope = labels_.rbegin(); scope != labels_.rend(); ++scope) {
        if (const auto found = scope->find(name); found != scope->end()) {
            return found->second;
        }
    }
    return kNoBlock;
}

void Names::enter() {
    scopes_.enter();
    labels_.emplace_back();
}

void Names::leave() {
    scopes_.leave();
    labels_.pop_back();
}

} // namespace smsim::ptx::select
