#include "session/fault_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "assembler/disassembler.h"
#include "model/program/compiler_traps.h"
#include "session/functions.h"

namespace smsim::session {
namespace {

/// Why an access has left the local memory of its thread, where known: recursive functions have a stack there, whose
/// size is chosen when the program is compiled.
std::string stack_hint(const sm::RaisedFault &fault, const Program &program) {
    const bool is_local = fault.report.fault == Fault::kIllegalAddress && fault.at.insn != nullptr &&
                          fault.at.insn->spec().has(isa::kLocal);
    const FunctionPlace function = is_local ? function_at(program, fault.at.pc) : FunctionPlace{};
    return function.is_recursive
               ? fmt::format("; '{}' calls itself deeper than its stack holds: give it more with --stack BYTES",
                             function.name)
               : std::string();
}

/// Where a rejected address of global memory lies: the first byte outside every buffer, and the buffer before it.
std::string nearest_buffer(const memory::Regions &regions, std::uint64_t address, std::uint32_t bytes) {
    const memory::Regions::Region *before = nullptr;
    for (const memory::Regions::Region &region : regions.all()) {
        if (region.base <= address) {
            before = &region;
        }
    }
    if (before == nullptr) {
        return "; it lies before every buffer";
    }
    const std::uint64_t end = before->base + before->bytes;
    const std::uint64_t first = std::max(address, end);
    if (first - address >= bytes) {
        return {};
    }
    return fmt::format("; {:#x} is {} bytes past the end of '{}' ({} bytes)", first, first - end, before->name,
                       before->bytes);
}

/// What a check of the compiler has found; empty for all other exceptions.
std::string_view of_check(const sm::RaisedFault &fault) {
    const isa::Instruction *insn = fault.at.insn;
    if (fault.report.fault != Fault::kTrap || insn == nullptr || insn->op != isa::Op::kTrap ||
        insn->form != isa::Form::kI) {
        return {};
    }
    switch (static_cast<std::uint32_t>(insn->imm)) {
    case kMaskTrap:
        return "; the mask of the operation names threads that are not here and have not ended, or not all that are "
               "here; threads of one warp that have gone different ways meet at the end of their region only";
    case kNullCallTrap:
        return "; a call through a null function pointer";
    case kTableTrap:
        return "; the index of brx.idx is outside of its table";
    case kConstantTrap:
        return "; a store or an atomic through a generic address of a .const variable";
    default:
        return {};
    }
}

} // namespace

RaisedException::Place place_of(const sm::RaisedFault &fault, const Program &program) {
    RaisedException::Place place;
    place.sm = fault.start.sm;
    place.cta = fault.start.cta_number;
    place.cta_id = fault.start.cta_id;
    place.warp = fault.start.warp_in_cta;
    place.pc = fault.at.pc;
    place.active = fault.at.active;
    place.threads = fault.at.executed;
    place.issued = fault.at.issued;
    place.issued_since = fault.at.issued_since;
    if (fault.at.insn != nullptr) {
        place.instruction = assembler::operation_text(*fault.at.insn);
        const std::size_t index = place.pc / kInstructionBytes;
        if (index < program.lines.size() && program.lines[index].line != 0) {
            const SourcePlace &source = program.lines[index];
            place.file = source.file < program.files.size() ? program.files[source.file] : "?";
            place.line = source.line;
        }
    }
    return place;
}

std::string fault_text(const sm::RaisedFault &fault, const RaisedException::Place &place, const Program &program,
                       const Kernel &kernel, const std::string &control, const memory::Regions &regions, bool in_time) {
    std::string text = fmt::format("{}: kernel '{}', {}CTA {} ({},{},{}), warp {}", fault_name(fault.report.fault),
                                   kernel.name, place.sm == SmId() ? "" : fmt::format("SM {}, ", place.sm.value()),
                                   place.cta, place.cta_id[0], place.cta_id[1], place.cta_id[2], place.warp);
    text += in_time ? fmt::format(", cycle {}", fault.cycle) : "";
    if (!place.instruction.empty()) {
        text += fmt::format(", pc {:#06x}", place.pc);
        text += place.line != 0 ? fmt::format(" ({}:{})", place.file, place.line) : "";
        text += ": " + place.instruction;
    }
    text += ": " + fault.report.detail + std::string(of_check(fault)) + stack_hint(fault, program);
    if (fault.report.bytes != 0) {
        text += nearest_buffer(regions, fault.report.address, fault.report.bytes);
    }
    text += fmt::format("\n  active {:#010x}", place.active.bits());
    if (fault.cycle != place.issued) {
        text += fmt::format(", executed by threads {:#010x}; found {} cycles after its issue", place.threads.bits(),
                            fault.cycle - place.issued);
    }
    if (place.issued_since != 0) { // the branch unit has continued the warp
        return text + fmt::format(", later instructions of the warp issued: {}", place.issued_since);
    }
    return text + "; branch unit since its last control instruction: " + control;
}

} // namespace smsim::session
