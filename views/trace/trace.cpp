#include "views/trace/trace.h"

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assembler/disassembler.h"
#include "views/trace/control_text.h"

namespace smsim::views {
namespace {

/// A member for each bank, with those of its registers that differ from `known`.
void add_banks(std::string &text, const ControlSnapshot &state, const std::vector<std::uint64_t> &known) {
    std::string_view bank;
    bool first = true;
    for (std::size_t i = 0; i < state.fields.size(); ++i) {
        const ControlField &field = state.fields[i];
        if (field.bank != bank) {
            text += bank.empty() ? "" : "}";
            bank = field.bank;
            first = true;
            if (!bank.empty()) {
                fmt::format_to(std::back_inserter(text), R"(,"{}":{{)", bank);
            }
        }
        if (!bank.empty() && state.values[i] != known[i]) {
            text += std::exchange(first, false) ? "" : ",";
            add_value(text, field, state.values[i]);
        }
    }
    text += bank.empty() ? "" : "}";
}

} // namespace

TraceWriter::TraceWriter(std::ostream &out, ControlStateOf state_of, TraceClock clock)
    : out_(out), clock_(clock), state_of_(std::move(state_of)) {}

void TraceWriter::begin_launch(const Program &program, std::uint32_t launch) {
    std::vector<std::string> &texts = programs_[&program];
    if (texts.empty()) {
        texts.reserve(program.code.size());
        for (const isa::Instruction &insn : program.code) {
            texts.push_back(nlohmann::json(assembler::operation_text(insn)).dump());
        }
    }
    texts_ = &texts;
    launch_ = launch;
}

std::string TraceWriter::place_text(Cycle cycle, std::uint32_t sm) const {
    const std::string launch = launch_ == 0 ? "" : fmt::format(R"("launch":{},)", launch_);
    const char *clock = clock_ == TraceClock::kCycle ? "cycle" : "number";
    return fmt::format(R"("{}":{},{}"sm":{})", clock, cycle, launch, sm);
}

TraceWriter::~TraceWriter() {
    lines_.write_rest(out_);
}

void TraceWriter::postponed(const sm::ExecutedInstruction &instruction) {
    lines_.expect(instruction);
}

void TraceWriter::executed(const sm::ExecutedInstruction &instruction) {
    if (instruction.cycle > cycle_) {
        lines_.write(out_, instruction.cycle);
        cycle_ = instruction.cycle;
    }
    lines_.add(instruction, line_of(instruction) + "}\n");
}

std::string TraceWriter::line_of(const sm::ExecutedInstruction &instruction) {
    const WarpSlot slot = instruction.start.warp;
    if (known_.size() <= slot.value()) {
        known_.resize(slot.value() + 1);
    }
    // The branch unit learns of other instructions only with the next control instruction (bru.md Progress).
    const bool of_branch_unit = instruction.insn.unit == isa::Unit::kBranch;
    state_ = state_of_(slot, of_branch_unit ? std::nullopt : std::optional(instruction.insn.pc + kInstructionBytes));
    Known &known = known_[slot.value()];
    if (known.age != instruction.start.age) {
        known.age = instruction.start.age;
        known.values.assign(state_.fields.size(), 0);
    }
    std::string line;
    fmt::format_to(std::back_inserter(line),
                   R"({{{},"cta":{},"warp":{},"pc":{},"text":{},"active":"{:#010x}","after":{{)",
                   place_text(instruction.cycle, instruction.start.sm.value()), instruction.start.cta_number,
                   instruction.start.warp_in_cta, instruction.insn.pc,
                   (*texts_)[instruction.insn.pc / kInstructionBytes], instruction.active.bits());
    add_fields(line, state_);
    line += "}";
    add_banks(line, state_, known.values);
    known.values = state_.values;
    return line;
}

std::string TraceWriter::line_of(const RaisedException &exception) const {
    const RaisedException::Place &place = *exception.place;
    const std::string issued = clock_ == TraceClock::kCycle ? fmt::format(R"("issued":{},)", place.issued) : "";
    return fmt::format(R"({{{},"cta":{},"warp":{},"pc":{},"text":{},"active":"{:#010x}","executed":"{:#010x}",)"
                       R"({}"fault":"{}"}})"
                       "\n",
                       place_text(exception.cycle, place.sm.value()), place.cta, place.warp, place.pc,
                       (*texts_)[place.pc / kInstructionBytes], place.active.bits(), place.threads.bits(), issued,
                       fault_name(exception.kind));
}

void TraceWriter::raised(const RaisedException &exception) {
    lines_.write_rest(out_, exception.cycle + 1); // warps may have run one cycle longer
    out_ << line_of(exception);
    lines_.write_rest(out_);
}

void TraceWriter::end(Cycle) {
    lines_.write_rest(out_);
}

} // namespace smsim::views
