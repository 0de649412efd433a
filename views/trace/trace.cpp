#include "views/trace/trace.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/assembler/disassembler.h"

namespace smsim::views {

TraceWriter::TraceWriter(std::ostream &out, std::function<ControlState(WarpSlot)> state_of)
    : out_(out), state_of_(std::move(state_of)) {}

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
    return fmt::format(R"("cycle":{},{}"sm":{})", cycle, launch, sm);
}

TraceWriter::~TraceWriter() {
    flush();
}

void TraceWriter::executed(const sm::ExecutedInstruction &instruction) {
    if (instruction.cycle != cycle_) {
        flush();
        cycle_ = instruction.cycle;
    }
    held_.push_back({instruction.start.warp, line_of(instruction) + "}\n"});
}

std::string TraceWriter::line_of(const sm::ExecutedInstruction &instruction) {
    const WarpSlot slot = instruction.start.warp;
    if (known_b_.size() <= slot.value()) {
        known_b_.resize(slot.value() + 1);
        known_age_.resize(slot.value() + 1, ~std::uint64_t{0});
    }
    auto &known = known_b_[slot.value()];
    if (known_age_[slot.value()] != instruction.start.age) {
        known_age_[slot.value()] = instruction.start.age;
        known = {};
    }
    ControlState state = state_of_(slot);
    if (instruction.insn.unit != isa::Unit::kBranch) {
        // The branch unit learns of other instructions only with the next control instruction (bru.md Progress).
        state.active_pc = instruction.insn.pc + kInstructionBytes;
        state.wait = LaneMask{};
        state.wait_bar = LaneMask{};
    }
    std::string line;
    fmt::format_to(std::back_inserter(line),
                   R"({{{},"cta":{},"warp":{},"pc":{},"text":{},"active":"{:#010x}","after":{{"ActivePC":{})",
                   place_text(instruction.cycle, instruction.start.sm.value()), instruction.start.cta_number,
                   instruction.start.warp_in_cta, instruction.insn.pc,
                   (*texts_)[instruction.insn.pc / kInstructionBytes], instruction.active.bits(), state.active_pc);
    const auto mask = [&](const char *name, LaneMask value) {
        fmt::format_to(std::back_inserter(line), R"(,"{}":"{:#010x}")", name, value.bits());
    };
    mask("ActiveMask", state.active);
    mask("ValidMask", state.valid);
    mask("YieldMask", state.yield);
    mask("SleepMask", state.sleep);
    mask("SwitchMask", state.switch_set);
    mask("WaitMask", state.wait);
    mask("WaitBarMask", state.wait_bar);
    mask("TurnMask", state.turn);
    line += R"(},"b":{)";
    bool first = true;
    for (unsigned i = 0; i < kConvergenceBarriers; ++i) {
        if (state.b[i] != known[i]) {
            fmt::format_to(std::back_inserter(line), R"({}"B{}":"{:#010x}")", first ? "" : ",", i, state.b[i].bits());
            first = false;
        }
    }
    line += "}";
    known = state.b;
    return line;
}

std::string TraceWriter::line_of(const RaisedException &exception) const {
    const RaisedException::Place &place = *exception.place;
    return fmt::format(R"({{{},"cta":{},"warp":{},"pc":{},"text":{},"active":"{:#010x}","executed":"{:#010x}",)"
                       R"("issued":{},"fault":"{}"}})"
                       "\n",
                       place_text(exception.cycle, place.sm.value()), place.cta, place.warp, place.pc,
                       (*texts_)[place.pc / kInstructionBytes], place.active.bits(), place.threads.bits(), place.issued,
                       fault_name(exception.kind));
}

void TraceWriter::raised(const RaisedException &exception) {
    if (cycle_ <= exception.cycle) { // warps may have run one cycle longer
        flush();
    }
    out_ << line_of(exception);
    flush();
}

void TraceWriter::end(Cycle) {
    flush();
}

void TraceWriter::flush() {
    std::ranges::sort(held_, {}, &Line::warp);
    for (const Line &line : held_) {
        out_ << line.text;
    }
    held_.clear();
}

} // namespace smsim::views
