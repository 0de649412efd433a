#include "ptx/interpreter/operands.h"

#include <array>
#include <utility>

#include "model/error.h"
#include "ptx/interpreter/layout.h"

namespace smsim::ptx::interpreter {

namespace {

using ptx::OperandKind;

constexpr std::array<std::pair<std::string_view, Special>, 22> kSpecials = {{
    {"%tid", Special::kTid},
    {"%ntid", Special::kNtid},
    {"%ctaid", Special::kCtaid},
    {"%nctaid", Special::kNctaid},
    {"%laneid", Special::kLaneid},
    {"%warpid", Special::kWarpid},
    {"%nwarpid", Special::kNwarpid},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%clock", Special::kClock},
    {"%clock64", Special::kClock},
    {"%clock_hi", Special::kClockHigh},
    {"%globaltimer", Special::kClock},
    {"%globaltimer_lo", Special::kClock},
    {"%globaltimer_hi", Special::kClockHigh},
    {"%total_smem_size", Special::kTotalShared},
    {"%aggr_smem_size", Special::kTotalShared},
    {"%dynamic_smem_size", Special::kDynamicShared},
    {"%nsmid", Special::kNsmid},
}};

unsigned component_index(std::string_view component) {
    constexpr std::string_view kNames = "xyzwrgba";
    const std::size_t at = component.empty() ? 0 : kNames.find(component.front());
    return at == std::string_view::npos ? 0 : static_cast<unsigned>(at % 4);
}

} // namespace

Source Operands::constant(const ptx::Operand &operand, ptx::Type asked) {
    Source source;
    source.bits = asked.bits;
    const auto bits = static_cast<std::uint64_t>(operand.value);
    const auto format = operand.kind == OperandKind::kInteger ? std::nullopt : format_of(asked);
    const Format from = operand.kind == OperandKind::kSingle ? kSingle : kDouble;
    source.value = format && *format != from ? encode(*format, decode(from, bits), Rounding::kNearest) : bits;
    const bool predicate = asked.kind == ptx::TypeClass::kPredicate;
    source.value = predicate ? static_cast<std::uint64_t>(bits != 0) : low_bits(source.value, asked.bits);
    return source;
}

Source Operands::special(const ptx::Operand &operand, ptx::Type asked) {
    Source source;
    source.mode = Source::Mode::kSpecial;
    source.bits = asked.bits;
    source.component = component_index(operand.component);
    for (const auto &[name, special] : kSpecials) {
        if (name == operand.name) {
            source.special = special;
        }
    }
    return source;
}

Source Operands::variable(const Entity &entity, std::int64_t offset, ptx::Type asked) {
    Source source;
    source.mode = entity.in_frame ? Source::Mode::kFrame : Source::Mode::kImmediate;
    source.bits = asked.bits;
    source.value = address_of(entity) + static_cast<std::uint64_t>(offset);
    return source;
}

Source Operands::read(const ptx::Operand &operand, ptx::Type asked) {
    const bool named = operand.kind == OperandKind::kName || operand.kind == OperandKind::kElement;
    if (!named) {
        return constant(operand, asked);
    }
    const Entity *entity = find(operand.name);
    if (entity == nullptr) {
        return special(operand, asked);
    }
    if (entity->kind != Entity::Kind::kRegister) {
        const std::int64_t index = operand.kind == OperandKind::kElement ? operand.elements[0].value : 0;
        return variable(*entity, operand.value + index * entity->type.bits / 8, asked);
    }
    Source source;
    source.mode = Source::Mode::kRegister;
    source.negated = operand.negated;
    source.bits = asked.bits;
    source.slot = entity->slot + component_index(operand.component);
    return source;
}

Target Operands::write(const ptx::Operand &operand, ptx::Type from) {
    const Entity *entity = operand.kind == OperandKind::kName ? find(operand.name) : nullptr;
    Target target;
    target.from_bits = from.bits;
    if (entity == nullptr || entity->kind != Entity::Kind::kRegister) {
        return target;
    }
    target.sink = false;
    target.extends = is_signed(from);
    target.bits = entity->type.bits;
    target.slot = entity->slot + component_index(operand.component);
    return target;
}

std::vector<Source> Operands::read_all(const ptx::Operand &operand, ptx::Type asked) {
    std::vector<Source> sources;
    for (const ptx::Operand &element : operand.elements) {
        if (operand.kind == OperandKind::kVector) {
            sources.push_back(read(element, asked));
        }
    }
    const Entity *entity = operand.kind == OperandKind::kName ? find(operand.name) : nullptr;
    const bool whole = entity != nullptr && entity->kind == Entity::Kind::kRegister && operand.component.empty();
    if (operand.kind != OperandKind::kVector) {
        const unsigned count = whole ? entity->vector : 1;
        Source element = read(operand, asked);
        for (unsigned i = 0; i < count; ++i, ++element.slot) {
            sources.push_back(element);
        }
    }
    return sources;
}

std::vector<Target> Operands::write_all(const ptx::Operand &operand, ptx::Type from) {
    std::vector<Target> targets;
    for (const ptx::Operand &element : operand.elements) {
        if (operand.kind == OperandKind::kVector) {
            targets.push_back(write(element, from));
        }
    }
    const Entity *entity = operand.kind == OperandKind::kName ? find(operand.name) : nullptr;
    const bool whole = entity != nullptr && entity->kind == Entity::Kind::kRegister && operand.component.empty();
    if (operand.kind != OperandKind::kVector) {
        const unsigned count = whole ? entity->vector : 1;
        Target element = write(operand, from);
        for (unsigned i = 0; i < count; ++i, ++element.slot) {
            targets.push_back(element);
        }
    }
    return targets;
}

void Operands::address(const ptx::Operand &operand, Step &step) {
    const ptx::Type wide = ptx::bits_type(64);
    const Entity *entity = operand.name.empty() ? nullptr : find(operand.name);
    if (entity == nullptr) {
        ptx::Operand absolute = operand;
        absolute.kind = OperandKind::kInteger;
        step.sources.push_back(constant(absolute, wide));
        return;
    }
    if (entity->kind == Entity::Kind::kRegister) {
        ptx::Operand base = operand;
        base.kind = OperandKind::kName;
        base.value = 0;
        step.address_bits = entity->type.bits;
        step.offset = operand.kind == OperandKind::kElement ? operand.elements[0].value : operand.value;
        step.sources.push_back(read(base, ptx::bits_type(entity->type.bits)));
        return;
    }
    if (step.memory == Memory::kGeneric || entity->memory == Memory::kLocal) {
        step.memory = entity->memory; // parameters of functions are in local memory
    }
    ptx::Operand named = operand;
    named.kind = operand.kind == OperandKind::kElement ? OperandKind::kElement : OperandKind::kName;
    step.sources.push_back(read(named, wide));
    if (entity->memory == Memory::kParameter) {
        step.memory = Memory::kParameter;
    }
}

} // namespace smsim::ptx::interpreter
