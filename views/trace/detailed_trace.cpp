#include "views/trace/detailed_trace.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "model/error.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::views {
namespace {

struct FieldName {
    const char *name;
    bool TraceFields::*field;
};
constexpr std::array<FieldName, 7> kFields = {{{"registers", &TraceFields::registers},
                                               {"predicates", &TraceFields::predicates},
                                               {"memory", &TraceFields::memory},
                                               {"rpc", &TraceFields::rpc},
                                               {"barriers", &TraceFields::barriers},
                                               {"timers", &TraceFields::timers},
                                               {"release", &TraceFields::release}}};

std::string hex(LaneMask mask) {
    return fmt::format(R"("{:#010x}")", mask.bits());
}

/// A JSON list with the result of `item` for each of the lanes.
template <typename Item> std::string list(LaneMask lanes, Item item) {
    std::string text = "[";
    for_each_lane(lanes, [&](unsigned lane) {
        text += text.size() == 1 ? "" : ",";
        text += item(lane);
    });
    return text + "]";
}

using Words2 = std::array<std::array<std::uint32_t, kLanes>, 2>;
using Words4 = std::array<std::array<std::uint32_t, kLanes>, 4>;

/// Values of `bytes` bytes each, as hexadecimal digits.
template <typename Words> std::string values(const Words &words, LaneMask lanes, unsigned bytes) {
    return list(lanes, [&](unsigned lane) {
        std::string digits;
        for (unsigned word = (bytes + 3) / 4; word-- > 0;) {
            digits += fmt::format("{:08x}", words[word][lane]);
        }
        return fmt::format(R"("0x{}")", digits.substr(digits.size() - std::size_t{2} * bytes));
    });
}

const char *space_of(const isa::OpSpec &spec) {
    return spec.has(isa::kShared) ? "shared" : spec.has(isa::kLocal) ? "local" : "global";
}

std::string registers_of(const sm::CompletedInstruction &instruction, const isa::Dependences &written) {
    std::string text;
    if (instruction.executed.any()) {
        for (unsigned i = 0; i < written.write.count; ++i) {
            const auto reg = static_cast<std::uint8_t>(written.write.first + i);
            const sm::compute::Row &row = instruction.registers.read(reg);
            text += fmt::format(
                R"({}"R{}":{})", text.empty() ? "" : ",", reg,
                list(instruction.executed, [&](unsigned l) { return fmt::format(R"("{:#010x}")", row.lane[l]); }));
        }
        for (unsigned i = 0; i < written.uniform_write.count; ++i) {
            const auto reg = static_cast<std::uint8_t>(written.uniform_write.first + i);
            text +=
                fmt::format(R"({}"UR{}":"{:#010x}")", text.empty() ? "" : ",", reg, instruction.registers.uniform(reg));
        }
    }
    return "{" + text + "}";
}

std::string predicates_of(const sm::CompletedInstruction &instruction, const isa::Dependences &written) {
    std::string text;
    for (unsigned p = 0; p < isa::kPt && instruction.executed.any(); ++p) {
        if (((written.predicate_writes >> p) & 1U) != 0) {
            text += fmt::format(R"({}"P{}":{})", text.empty() ? "" : ",", p,
                                hex(instruction.registers.predicate(static_cast<std::uint8_t>(p))));
        }
    }
    if ((written.predicate_writes & isa::kFlagsBit) != 0 && instruction.executed.any()) {
        const ConditionFlags &flags = instruction.registers.flags();
        text += fmt::format(R"({}"Z":{},"S":{},"C":{},"O":{})", text.empty() ? "" : ",", hex(flags.zero),
                            hex(flags.sign), hex(flags.carry), hex(flags.overflow));
    }
    return "{" + text + "}";
}

const char *release_name(ReleaseKind kind) {
    static constexpr std::array<const char *, kReleaseKinds> kNames = {"complete", "yield", "sleep", "turn", "blocked"};
    return kNames.at(static_cast<std::size_t>(kind));
}

/// What has handed a warp over to threads that did not run before.
const char *handover_name(isa::Op op) {
    switch (op) {
    case isa::Op::kYield:
        return "yield";
    case isa::Op::kNanosleep:
        return "sleep";
    case isa::Op::kExit:
        return "exit";
    default:
        return "switch";
    }
}

/// A member for each field that holds an address per thread; null for threads that have none.
void add_thread_addresses(std::string &text, const ControlSnapshot &state) {
    for (std::size_t i = 0; i < state.fields.size(); ++i) {
        const ControlField &field = state.fields[i];
        if (field.kind == ControlField::Kind::kThreadAddresses) {
            const std::span<const std::uint64_t> addresses = state.list_of(i);
            const LaneMask having(static_cast<std::uint32_t>(state.values[i]));
            text += fmt::format(R"(,"{}":)", field.name) + list(LaneMask::all(), [&](unsigned lane) {
                        return having.test(lane) ? std::to_string(addresses[lane]) : std::string("null");
                    });
        }
    }
}

} // namespace

TraceFields parse_trace_fields(const std::string &list) {
    TraceFields fields;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string name = list.substr(begin, end - begin);
        bool known = false;
        for (const FieldName &field : kFields) {
            if (name == field.name || name == "all") {
                fields.*field.field = true;
                known = true;
            }
        }
        if (!known) {
            throw InputError(fmt::format("--trace-fields {}: there is no field '{}'; there are registers, predicates, "
                                         "memory, rpc, barriers, timers, release, and all",
                                         list, name));
        }
        begin = end + 1;
    }
    return fields;
}

DetailedTrace::DetailedTrace(std::ostream &out, ControlStateOf state_of, const TraceFields &fields, TraceClock clock)
    : TraceWriter(out, std::move(state_of), clock), fields_(fields) {}

DetailedTrace::~DetailedTrace() {
    DetailedTrace::end(now_);
}

// --- order ---------------------------------------------------------------------------------------------------------

/// Nothing more can arrive for cycles before `now`: writes what is complete there.
void DetailedTrace::advance(Cycle now) {
    if (now <= now_) { // reported late
        return;
    }
    now_ = now;
    while (!lines_.empty() && std::get<0>(lines_.begin()->first) < now && !lines_.begin()->second.waits &&
           !lines_.begin()->second.expected && lines_.begin()->second.result_at <= now) {
        write(lines_.begin()->second);
        lines_.erase(lines_.begin());
    }
}

void DetailedTrace::write(const Line &line) {
    out_ << line.text << line.result << "}\n";
}

void DetailedTrace::raised(const RaisedException &exception) {
    // After everything else of its cycle.
    const Place place(exception.cycle, WarpSlot(std::numeric_limits<std::uint32_t>::max()), 0, order_++);
    std::string text = line_of(exception);
    text.resize(text.size() - std::string_view("}\n").size());
    lines_.try_emplace(place, Line{std::move(text)});
}

void DetailedTrace::end(Cycle last) {
    for (auto &[place, line] : lines_) {
        if (std::get<0>(place) > last) { // the run ended before it
            break;
        }
        if (line.expected) {
            continue;
        }
        if (line.waits || line.result_at > last) {
            line.result = R"(,"done":null)" + (line.memory.empty() ? "" : line.memory + "}");
        }
        write(line);
    }
    lines_.clear();
    open_.clear();
}

// --- instructions --------------------------------------------------------------------------------------------------

void DetailedTrace::accesses(const protocol::LoadStoreExtension &access) {
    if (!fields_.memory) {
        return;
    }
    const isa::Instruction &insn = *access.insn;
    const isa::OpSpec &spec = insn.spec();
    const unsigned bytes = sm::bytes_per_thread(insn);
    const char *kind = sm::is_atomic(insn) ? "atomic" : spec.has(isa::kWritesMemory) ? "write" : "read";
    std::string text =
        fmt::format(R"(,"memory":{{"kind":"{}","space":"{}","bytes":{},"addresses":{})", kind, space_of(spec), bytes,
                    list(access.lanes, [&](unsigned lane) { return fmt::format(R"("{:#x}")", access.address[lane]); }));
    if (sm::is_atomic(insn)) {
        text += R"(,"operands":)" + values(access.data, access.lanes, bytes);
        if (sm::atomic_op(insn) == isa::AtomicOp::kCas) {
            text += R"(,"compare":)" + values(access.compare, access.lanes, bytes);
        }
    } else if (spec.has(isa::kWritesMemory)) {
        text += R"(,"values":)" + values(access.data, access.lanes, bytes);
    }
    access_ = std::move(text);
}

void DetailedTrace::postponed(const sm::ExecutedInstruction &instruction) {
    advance(instruction.cycle);
    Line expected;
    expected.expected = true;
    lines_.try_emplace(Place(instruction.cycle, instruction.start.warp, 0, instruction.sequence), std::move(expected));
}

void DetailedTrace::executed(const sm::ExecutedInstruction &instruction) {
    advance(instruction.cycle);
    const WarpSlot slot = instruction.start.warp;
    std::string text = line_of(instruction);
    if (fields_.rpc) {
        add_thread_addresses(text, state_);
    }
    if (fields_.of_results()) {
        text += R"(,"executed":)" + hex(instruction.executed);
    }
    const auto place = lines_.try_emplace(Place(instruction.cycle, slot, 0, instruction.sequence)).first;
    place->second = {std::move(text), fields_.of_results(), access_.value_or("")};
    access_.reset();
    if (place->second.waits) {
        open_[{instruction.start.age, instruction.sequence}] = &place->second;
    }
}

void DetailedTrace::completed(const sm::CompletedInstruction &instruction) {
    const auto open = open_.find({instruction.start.age, instruction.sequence});
    if (open == open_.end()) {
        return;
    }
    Line &line = *open->second;
    open_.erase(open);
    line.waits = false;
    line.result_at = instruction.access != nullptr ? instruction.cycle : 0;
    line.result += clock_ == TraceClock::kCycle ? fmt::format(R"(,"done":{})", instruction.cycle) : "";
    const isa::Dependences written = isa::dependences_of(instruction.insn);
    if (fields_.registers) {
        line.result += R"(,"registers":)" + registers_of(instruction, written);
    }
    if (fields_.predicates) {
        line.result += R"(,"predicates":)" + predicates_of(instruction, written);
    }
    if (!line.memory.empty()) {
        line.result += line.memory;
        if (instruction.access != nullptr && instruction.insn.spec().has(isa::kReadsMemory)) {
            line.result += R"(,"values":)" + values(instruction.access->data, instruction.access->lanes,
                                                    sm::bytes_per_thread(instruction.insn));
        }
        line.result += "}";
    }
}

// --- events --------------------------------------------------------------------------------------------------------

std::string DetailedTrace::event(const char *kind, Cycle at, WarpSlot warp) const {
    const Warp who = warp.value() < warps_.size() ? warps_[warp.value()] : Warp{};
    return fmt::format(R"({{"event":"{}",{},"cta":{},"warp":{})", kind, place_text(at, who.sm.value()), who.cta,
                       who.number);
}

void DetailedTrace::add_event(std::string text) {
    lines_.try_emplace(present_, Line{std::move(text)});
}

void DetailedTrace::observe(Cycle now, const observation::Event &event) {
    advance(now);
    present_ = {observation::at(event), observation::warp_of(event), 1 + event.index(), order_++};
    if (const auto *start = std::get_if<observation::WarpStarted>(&event)) {
        const std::size_t slot = start->warp.value();
        warps_.resize(std::max(warps_.size(), slot + 1));
        warps_[slot] = {start->sm, start->cta_number, start->warp_in_cta};
    }
    if (fields_.barriers) {
        tell_barriers(event);
    }
    if (fields_.timers) {
        tell_timers(event);
    }
    if (fields_.release) {
        tell_releases(event);
    }
}

void DetailedTrace::tell_barriers(const observation::Event &event) {
    if (const auto *changed = std::get_if<observation::BarrierChanged>(&event)) {
        add_event(this->event("barrier", changed->at, changed->warp) +
                  fmt::format(R"(,"barrier":{},"by":"{}","word":"{:#010x}","arrived":{},"expected":{},"blocks":{})",
                              changed->barrier.value(), changed->restored ? "restore" : "arrival", changed->word,
                              changed->arrived, changed->expected, changed->blocks));
    } else if (const auto *completed = std::get_if<observation::BarrierCompleted>(&event)) {
        add_event(this->event("barrier_complete", completed->at, completed->warp) +
                  fmt::format(R"(,"barrier":{})", completed->barrier.value()));
    }
}

void DetailedTrace::tell_timers(const observation::Event &event) {
    if (const auto *started = std::get_if<observation::TimerStarted>(&event)) {
        add_event(this->event("timer_start", started->at, started->warp) +
                  fmt::format(R"(,"expires":{})", started->expires));
    } else if (const auto *expired = std::get_if<observation::TimerExpired>(&event)) {
        add_event(this->event("timer_expiry", expired->at, expired->warp));
    }
}

void DetailedTrace::tell_releases(const observation::Event &event) {
    if (const auto *control = std::get_if<observation::ControlExecuted>(&event)) {
        release(*control);
    } else if (const auto *released = std::get_if<observation::BarrierReleased>(&event)) {
        const std::size_t last = released->last.value();
        add_event(this->event("release", released->at, released->warp) +
                  fmt::format(R"(,"kind":"barrier","barrier":{},"by":"{}","last":{},"resumes":{})",
                              released->barrier.value(), released->by_exit ? "exit" : "arrival",
                              last < warps_.size() ? warps_[last].number : 0, released->resumes));
    } else if (const auto *woken = std::get_if<observation::WarpWoken>(&event)) {
        add_event(this->event("release", woken->at, woken->warp) +
                  fmt::format(R"(,"kind":"timer","resumes":{})", woken->at));
    }
}

/// Threads that run together from now on, or others than before.
void DetailedTrace::release(const observation::ControlExecuted &control) {
    std::string what;
    if (control.sync == observation::SyncResult::kPassed) {
        what = fmt::format(R"("reconvergence","how":"{}")",
                           control.release ? release_name(*control.release) : release_name(ReleaseKind::kComplete));
    } else if (control.outcome == Outcome::kContinue && (control.next_active & ~control.active).any()) {
        what = fmt::format(R"("{}")", handover_name(control.op));
    } else {
        return;
    }
    add_event(event("release", control.at, control.warp) +
              fmt::format(R"(,"kind":{},"pc":{},"threads":{},"to":{},"resumes":{})", what, control.pc,
                          hex(control.next_active), control.next_pc, control.until));
}

} // namespace smsim::views
