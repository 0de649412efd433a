// The functions that belong to no unit: version, errors, names.
#include <optional>
#include <string_view>

#include "cosim/golden/handle.h"
#include "cosim/pin_codes.h"
#include "model/isa/isa.h"

namespace smsim::golden {
namespace {

thread_local std::string last_error;

} // namespace

int failed(int status, std::string_view why) noexcept {
    try {
        last_error = why;
    } catch (const std::exception &) {
        last_error.clear(); // no memory for the reason either
    }
    return status;
}

isa::Instruction decoded(const std::uint32_t insn[4], Pc pc, isa::Unit unit) {
    const auto result = isa::decode(word_of(insn), pc);
    if (const auto *error = std::get_if<isa::DecodeError>(&result)) {
        throw Refusal{SMSIM_GOLDEN_BAD_WORD, error->message()};
    }
    const auto &instruction = std::get<isa::Instruction>(result);
    require(instruction.unit == unit, SMSIM_GOLDEN_BAD_WORD, "{} is no instruction of the {} unit",
            instruction.spec().name, unit == isa::Unit::kBranch ? "branch" : "barrier");
    return instruction;
}

} // namespace smsim::golden

uint32_t smsim_golden_version(void) {
    return SMSIM_GOLDEN_VERSION;
}

const char *smsim_golden_error(void) {
    return smsim::golden::last_error.c_str();
}

const char *smsim_golden_fault_name(uint32_t code) {
    if (code == 0) {
        return "none";
    }
    const std::optional<smsim::Fault> fault = smsim::cosim::fault_of(code);
    return fault ? smsim::fault_name(*fault) : "?";
}

const char *smsim_golden_operation(const uint32_t insn[4]) {
    const smsim::isa::OpSpec *spec =
        insn == nullptr ? nullptr : smsim::isa::find_op(static_cast<std::uint8_t>(insn[0] & 0xff));
    return spec == nullptr ? "?" : spec->name.data(); // the names are literals
}
