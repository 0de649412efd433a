#include "ptx/select/address.h"

#include <algorithm>
#include <array>
#include <bit>

#include "model/error.h"
#include "model/program/compiler_traps.h"
#include "model/program/program.h"
#include "ptx/select/function.h"

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// The reach of the 16 bits of a constant's offset.
constexpr std::int64_t kBankBytes = 65536;

std::uint8_t set_of(Space space) {
    switch (space) {
    case Space::kShared:
        return kSharedSet;
    case Space::kLocal:
        return kLocalSet;
    default:
        return kGlobalSet;
    }
}

std::uint32_t window_of(std::uint8_t space) {
    if (space == kSharedSet) {
        return kSharedWindow;
    }
    return space == kLocalSet ? kLocalWindow : kParameterWindow;
}

/// Spaces of generic addresses that occur in the module: others need no test at run time.
std::uint8_t possible(Selector &selector) {
    const Module &module = selector.names().module();
    std::uint8_t spaces = kGlobalSet;
    spaces |= module.generic_shared ? kSharedSet : kNone;
    spaces |= module.generic_local ? kLocalSet : kNone;
    spaces |= module.generic_parameter ? kParameterSet : kNone;
    return spaces;
}

Address of_place(Selector &selector, const Place &place, std::int64_t offset) {
    Address address{.spaces = set_of(place.space), .offset = static_cast<std::int64_t>(place.offset) + offset};
    if (place.space == Space::kConst || place.space == Space::kParam) {
        address.constant = true;
        address.bank = place.space == Space::kConst ? kConstantBank : 0;
        address.offset += place.space == Space::kConst ? 0 : constant_bank0::kArguments;
        return address;
    }
    if (place.space == Space::kGlobal || place.dynamic || (place.space == Space::kLocal && !selector.frame_is_zero())) {
        const Operand value = variable_address(selector, place, offset, false);
        address.base = selector.in_register(value).reg;
        address.offset = 0;
    }
    return address;
}

} // namespace

std::string_view named_space(const ptx::Instruction &instruction) {
    for (const std::string &modifier : instruction.modifiers) {
        constexpr std::array<std::string_view, 5> kNames = {"global", "shared", "local", "const", "param"};
        const std::string_view head = std::string_view(modifier).substr(0, modifier.find(':'));
        if (std::ranges::find(kNames, head) != kNames.end()) {
            return *std::ranges::find(kNames, head);
        }
    }
    return {};
}

std::int64_t offset_of(Selector &selector, const ptx::Instruction &instruction, const ptx::Operand &operand) {
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    std::int64_t offset = operand.value;
    if (operand.kind == ptx::OperandKind::kElement) {
        const Variable *variable = selector.names().scopes().find(operand.name).variable;
        const ptx::Operand &index = operand.elements[0];
        if (variable == nullptr || variable->dimensions.size() != 1 || index.kind != ptx::OperandKind::kInteger) {
            selector.refuse(instruction, "takes an element in a way that is not covered; expected a constant index of "
                                         "an array of one dimension");
        }
        const std::int64_t bytes = std::int64_t{variable->type.bits} / 8 * variable->vector;
        offset = index.value > -kMost && index.value < kMost ? index.value * bytes : kMost;
    }
    if (!operand.name.empty() && (offset <= -kMost || offset >= kMost)) {
        selector.refuse(instruction,
                        "has an offset of " + std::to_string(offset) + " bytes, which is outside of memory");
    }
    return offset;
}

Address address_of(Selector &selector, const ptx::Instruction &instruction, const ptx::Operand &operand) {
    std::string_view space = named_space(instruction);
    if (space == "param" && !selector.function().kernel &&
        std::ranges::find(instruction.modifiers, "param::entry") == instruction.modifiers.end()) {
        space = "local"; // where a function keeps a parameter whose address it takes
    }
    const std::int64_t offset = offset_of(selector, instruction, operand);
    if (!operand.name.empty()) {
        if (const auto place = selector.names().place_of(operand.name)) {
            return of_place(selector, *place, offset);
        }
    }
    Address address{.offset = offset};
    if (space == "const" || space == "param") {
        address.constant = true;
        address.bank = space == "const" ? kConstantBank : 0;
    }
    if (operand.name.empty()) {
        address.base = selector.in_register(wide_number(operand.value)).reg;
        address.offset = 0;
    } else {
        address.base = selector.names().register_of(operand.name);
        address.base_words = selector.function().registers[address.base].words;
    }
    if (space == "shared") {
        address.spaces = kSharedSet;
    } else if (space == "local") {
        address.spaces = kLocalSet;
    } else if (!space.empty()) {
        address.spaces = kGlobalSet;
    } else {
        const auto known = selector.spaces().find(address.base);
        const std::uint8_t set = known == selector.spaces().end() ? kAnySet : known->second;
        address.spaces = static_cast<std::uint8_t>((set == kNone ? kAnySet : set) & possible(selector));
        address.maybe_constant = (set == kNone || (set & kConstantSet) != 0) && address.base_words == 2 &&
                                 selector.names().module().generic_constant;
        if (address.spaces == kNone || address.base_words == 1) {
            address.spaces = kGlobalSet;
        }
    }
    return address;
}

Address written_address(Selector &selector, Address address, bool atomic) {
    const std::uint8_t none = atomic ? kLocalSet | kParameterSet : kParameterSet;
    address.spaces &= static_cast<std::uint8_t>(~none);
    if (address.spaces == kNone) {
        address.spaces = kGlobalSet;
    }
    if (address.maybe_constant) {
        const Module &module = selector.names().module();
        const auto first = static_cast<std::int64_t>(kGlobalDataBase + module.constant_in_global);
        const Register upper = selector.temporary_predicate();
        selector.emit_if(
            always(), "ISETP.EQ.U32.AND",
            {define_predicate(upper), always(), use(address.base, 1, 1), number(first >> 32), selector.guard()});
        const Register distance = selector.temporary();
        selector.emit_if(always(), "IADD3",
                         {define(distance), use(address.base, 1, 0), number(address.offset - first), zero()});
        const Register inside = selector.temporary_predicate();
        selector.emit_if(always(), "ISETP.LT.U32.AND",
                         {define_predicate(inside), always(), use(distance),
                          number(static_cast<std::int64_t>(module.constant.size)), if_true(upper)});
        selector.emit_if(if_true(inside), "TRAP", {number(kConstantTrap)});
    }
    return address;
}

Address moved(Address address, std::int64_t bytes) {
    address.offset += bytes;
    return address;
}

Operand constant_operand(Selector &selector, const ptx::Instruction &instruction, const Address &address,
                         unsigned bytes) {
    if (address.base == kNoRegister) {
        if (address.offset < 0 || address.offset + bytes > kBankBytes || address.offset % bytes != 0) {
            selector.refuse(instruction, "reads bytes " + std::to_string(address.offset) +
                                             " and on of a constant bank; expected a multiple of " +
                                             std::to_string(bytes) + " inside of it");
        }
        return constant(address.bank, address.offset);
    }
    // Addresses of parameters count from the first argument.
    const std::int64_t offset = address.offset + (address.bank == 0 ? constant_bank0::kArguments : 0);
    if (offset >= 0 && offset < kBankBytes) {
        return constant(address.bank, offset, address.base);
    }
    const Register sum = selector.temporary();
    selector.emit("IADD3", {define(sum), use(address.base), number(offset), zero()});
    return constant(address.bank, 0, sum);
}

Operand address_operand(Selector &selector, const Address &address, std::uint8_t space) {
    Register base = address.base;
    std::int64_t offset = address.offset;
    const bool wide = space == kGlobalSet;
    if (offset > kFarthestOffset || offset < (base == kNoRegister ? 0 : -kFarthestOffset)) {
        const Operand sum = selector.in_register(wide_number(offset));
        if (base != kNoRegister) {
            const Register total = selector.temporary(2);
            selector.undefined(total);
            const Register carry = selector.temporary_predicate();
            selector.emit("IADD3", {define(total, 1, 0), define_predicate(carry), use(base, 1, 0), low(sum), zero()});
            selector.emit("IADD3.X", {define(total, 1, 1), address.base_words == 2 ? use(base, 1, 1) : zero(),
                                      high(sum), zero(), if_true(carry)});
            base = total;
        } else {
            base = sum.reg;
        }
        offset = 0;
    }
    if (wide && base != kNoRegister && selector.function().registers[base].words == 1) {
        const Register extended = selector.temporary(2);
        selector.undefined(extended);
        selector.emit("MOV", {define(extended, 1, 0), use(base)});
        selector.emit("MOV", {define(extended, 1, 1), zero()});
        base = extended;
    }
    return machine::address(base, offset, wide ? 2 : 1);
}

std::vector<Route> routes(Selector &selector, const Address &address) {
    if (std::has_single_bit(address.spaces) && address.spaces != kParameterSet) {
        return {{address.spaces, selector.guard()}};
    }
    std::vector<Route> found;
    std::vector<Operand> taken;
    for (const std::uint8_t space : {kSharedSet, kLocalSet, kParameterSet}) {
        if ((address.spaces & space) == 0) {
            continue;
        }
        const Register inside = selector.temporary_predicate();
        selector.emit_if(
            always(), "ISETP.EQ.U32.AND",
            {define_predicate(inside), always(), use(address.base, 1, 1), number(window_of(space)), selector.guard()});
        found.push_back({space, if_true(inside)});
        taken.push_back(if_false(inside));
    }
    if ((address.spaces & kGlobalSet) == 0) {
        return found;
    }
    Operand rest = selector.guard();
    for (const Operand &other : taken) {
        const Register both = selector.temporary_predicate();
        selector.emit_if(always(), "PSETP.AND.AND", {define_predicate(both), always(), rest, other, always()});
        rest = if_true(both);
    }
    found.push_back({kGlobalSet, rest});
    return found;
}

Operand variable_address(Selector &selector, const Place &place, std::int64_t offset, bool generic) {
    const Module &module = selector.names().module();
    const std::int64_t value = static_cast<std::int64_t>(place.offset) + offset;
    std::int64_t window = 0;
    switch (place.space) {
    case Space::kGlobal:
        return wide_number(static_cast<std::int64_t>(kGlobalDataBase) + value);
    case Space::kConst:
        return wide_number(generic ? static_cast<std::int64_t>(kGlobalDataBase + module.constant_in_global) + value
                                   : value);
    case Space::kParam:
        window = generic ? kParameterWindow : 0; // from the first argument on, so that its alignment holds
        return wide_number((window << 32) + value);
    case Space::kShared:
        window = generic ? kSharedWindow : 0;
        break;
    default:
        window = generic ? kLocalWindow : 0;
        break;
    }
    const bool based = place.dynamic || (place.space == Space::kLocal && !selector.frame_is_zero());
    if (!based) {
        return wide_number((window << 32) + value);
    }
    const Register sum = selector.temporary(2);
    selector.undefined(sum);
    if (place.dynamic) {
        selector.emit("MOV", {define(sum, 1, 0), constant(0, constant_bank0::kDynamicShared)});
        if (offset != 0) {
            const Register base = selector.temporary();
            selector.emit("MOV", {define(base), use(sum, 1, 0)});
            selector.emit("IADD3", {define(sum, 1, 0), use(base), number(offset), zero()});
        }
    } else {
        selector.emit("IADD3", {define(sum, 1, 0), use(selector.fixed(kFrame)), number(value), zero()});
    }
    selector.emit("MOV", {define(sum, 1, 1), number(window)});
    return use(sum, 2);
}

} // namespace smsim::ptx::select
