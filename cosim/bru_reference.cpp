#include "cosim/bru_reference.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cosim/bru_blocks.h"
#include "cosim/pin_codes.h"
#include "model/isa/isa.h"
#include "model/state/launch_context.h"

namespace smsim::cosim {

using bru::StepResult;

namespace {

constexpr const char *kSections = "docs/branch-unit.md"; // its sections are named, too

/// Collects fields that differ.
class Fields {
  public:
    void compare(const std::string &name, std::uint64_t model, std::uint64_t rtl) {
        if (model != rtl) {
            add(name, fmt::format("{:#x}", model), fmt::format("{:#x}", rtl));
        }
    }
    void compare_masks(const std::string &name, LaneMask model, LaneMask rtl) {
        if (model != rtl) {
            add(name, fmt::format("{:#010x}", model.bits()), fmt::format("{:#010x}", rtl.bits()));
        }
    }
    void add(const std::string &name, const std::string &model, const std::string &rtl) {
        text_ += fmt::format("{}{}: model {}, RTL {}", text_.empty() ? "" : "; ", name, model, rtl);
    }
    const std::string &text() const { return text_; }

  private:
    std::string text_;
};

/// The sections of docs/branch-unit.md that an operation belongs to.
std::string section_of(isa::Op op) {
    switch (op) {
    case isa::Op::kBra:
    case isa::Op::kBrx:
    case isa::Op::kCall:
    case isa::Op::kRet:
        return ", Jumps";
    case isa::Op::kBssy:
    case isa::Op::kBreak:
    case isa::Op::kBmov:
    case isa::Op::kBsync:
        return ", Joins";
    case isa::Op::kWarpsync:
        return ", WARPSYNC";
    case isa::Op::kYield:
    case isa::Op::kNanosleep:
    case isa::Op::kExit:
        return ", YIELD, NANOSLEEP, EXIT";
    default:
        return ", TRAP, SYSCALL, LEPC";
    }
}

/// Compares one field of the state, or one column of an entry.
void compare_field(Fields &fields, const ControlField &field, const std::string &name, std::uint64_t model,
                   std::uint64_t rtl) {
    if (field.kind == ControlField::Kind::kMask) {
        fields.compare_masks(name, LaneMask(static_cast<std::uint32_t>(model)),
                             LaneMask(static_cast<std::uint32_t>(rtl)));
    } else {
        fields.compare(name, model, rtl);
    }
}

/// Compares the entries of a list, from the top of a stack down; of those that only one side has, the number is
/// reported.
void compare_entries(Fields &fields, const ControlField &field, std::span<const std::uint64_t> model,
                     std::span<const std::uint64_t> rtl) {
    const std::size_t width = field.columns.size();
    const std::size_t common = std::min(model.size(), rtl.size()) / width;
    fields.compare(fmt::format("entries of {}", field.name), model.size() / width, rtl.size() / width);
    for (std::size_t i = common; i-- > 0;) {
        for (std::size_t column = 0; column < width; ++column) {
            compare_field(fields, field.columns[column],
                          fmt::format("{}[{}].{}", field.name, i, field.columns[column].name),
                          model[i * width + column], rtl[i * width + column]);
        }
    }
}

/// Compares the states of a warp. Addresses of threads are compared where the model's state has them.
void compare_states(Fields &fields, const ControlSnapshot &model, const ControlSnapshot &rtl) {
    for (std::size_t i = 0; i < model.fields.size(); ++i) {
        const ControlField &field = model.fields[i];
        const std::string name(field.name);
        const auto mine = model.list_of(i);
        const auto theirs = rtl.list_of(i);
        switch (field.kind) {
        case ControlField::Kind::kThreadAddresses:
            for_each_lane(LaneMask(static_cast<std::uint32_t>(model.values[i])), [&](unsigned lane) {
                fields.compare(fmt::format("RPC of thread {}", lane), mine[lane], theirs[lane]);
            });
            break;
        case ControlField::Kind::kEntries:
            compare_entries(fields, field, mine, theirs);
            break;
        default:
            compare_field(fields, field, name, model.values[i], rtl.values[i]);
        }
    }
}

std::string fault_text(const std::optional<FaultReport> &fault) {
    return fault ? fault_name(fault->fault) : "none";
}

} // namespace

BruReference::BruReference(const BruConfig &config, unsigned warps)
    : rules_(bru_block(config).rules), engine_(bru::make_engine(config, warps)), steps_(warps) {}

void BruReference::start(const WarpStart &start) {
    steps_[start.warp.value()].clear();
    engine_->start(start.warp, start.entry, start.valid, start.code_bytes);
    if (start.launch != nullptr && start.launch->program != nullptr) {
        engine_->runs(start.warp, *start.launch->program);
    }
}

const StepResult &BruReference::execute(WarpSlot warp, const isa::Instruction &insn, const bru::Operands &operands) {
    auto &steps = steps_[warp.value()];
    steps.push_back({&insn, engine_->execute(warp, insn, operands)});
    return steps.back().result;
}

void BruReference::expired(WarpSlot warp) {
    engine_->timer_expired(warp);
}

std::optional<std::string> BruReference::difference(WarpSlot warp, const isa::Instruction &insn,
                                                    const StepResult &there,
                                                    const std::optional<ControlSnapshot> &state) {
    auto &steps = steps_[warp.value()];
    const auto step = std::ranges::find(steps, &insn, &Step::insn);
    if (step == steps.end()) {
        return "the model has not executed this instruction";
    }
    const StepResult here = std::move(step->result);
    steps.erase(step);
    Fields fields;
    if (fault_text(here.fault) != fault_text(there.fault)) {
        fields.add("exception", fault_text(here.fault), fault_text(there.fault));
    }
    if (here.fault && there.fault && here.fault->fault == there.fault->fault && !concerns_warp(here.fault->fault)) {
        fields.compare("exception's thread", here.fault_lane, there.fault_lane);
        fields.compare("exception's value", here.fault_value, there.fault_value);
    }
    if (!here.fault && !there.fault) {
        fields.compare("outcome", static_cast<unsigned>(here.outcome), static_cast<unsigned>(there.outcome));
        if (here.outcome != Outcome::kExited) {
            fields.compare("next PC", here.next_pc, there.next_pc);
        }
        fields.compare_masks("next active", here.next_active, there.next_active);
        fields.compare_masks("executed", here.executed, there.executed);
        fields.compare("refuses arrivals at barriers", unsigned{here.refuses_arrivals.has_value()},
                       unsigned{there.refuses_arrivals.has_value()});
        fields.compare_masks("written lanes", here.write_lanes, there.write_lanes);
        if (here.write_lanes.any()) {
            fields.compare("value", here.value, there.value);
        }
        fields.compare("event", static_cast<unsigned>(here.event.kind), static_cast<unsigned>(there.event.kind));
        fields.compare_masks("active before", here.event.active, there.event.active);
        if (here.event.kind == bru::StepEvent::Kind::kBranch) {
            fields.compare_masks("jumped", here.event.jumped, there.event.jumped);
            fields.compare("split", unsigned{here.event.split}, unsigned{there.event.split});
        }
        if (here.event.kind == bru::StepEvent::Kind::kSync) {
            fields.compare("passed", unsigned{here.event.passed}, unsigned{there.event.passed});
            fields.compare("release", code_of(here.event.release), code_of(there.event.release));
        }
    }
    // A warp that has exited has no state left to compare.
    if (state && !here.fault && here.outcome != Outcome::kExited) {
        compare_states(fields, engine_->snapshot(warp, {}), *state);
    }
    if (fields.text().empty()) {
        return std::nullopt;
    }
    return fmt::format("{} ({}{})", fields.text(), rules_, rules_ == kSections ? section_of(insn.op) : std::string());
}

} // namespace smsim::cosim
