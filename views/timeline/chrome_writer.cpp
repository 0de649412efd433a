// The Trace Event Format. A warp's life is a pair of B and E records. Every other slice is one X record, written when
// it ends: only then are its name and its arguments known. So the file is streamed, and the records of each track are
// in time order. What is attached to a slice, such as the end of an arrow, follows its record: a viewer that sorts by
// time finds the slice first.
#include <map>

#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "views/timeline/chrome_counters.h"
#include "views/timeline/chrome_warp.h"
#include "views/timeline/instruction_texts.h"
#include "views/timeline/writer.h"

namespace smsim::views::timeline {
namespace {

using namespace observation;

/// Numbers of tracks: those of a warp slot begin at (slot + 1) * kTracks; track 0 has a meaning of its own to viewers.
constexpr std::uint64_t kTracks = std::uint64_t{1} << 20;
constexpr std::uint64_t kDivergences = 1;
constexpr std::uint64_t kAccesses = 1024;

constexpr std::size_t kMostMarks = 64; ///< records that a slice may hold; after that nothing more is joined to it

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string mask(LaneMask lanes) {
    return fmt::format("\"{:#010x}\"", lanes.bits());
}

std::string_view name_of(MemorySpace space) {
    return space == MemorySpace::kShared ? "shared" : space == MemorySpace::kLocal ? "local" : "global";
}

void add(std::string &args, const std::string &members) {
    args += args.empty() ? "" : ",";
    args += members;
}

class ChromeWriter final : public Writer {
  public:
    ChromeWriter(TextFile &file, const Subject &subject, const Window &window, const Joining &joining)
        : file_(file), window_(window), joining_(joining), partitions_(subject.config.sm.sub_partitions),
          texts_(subject.program), warps_(subject.config.warps()),
          counters_(file, window, partitions_, subject.config.warps()) {
        for (const isa::Instruction &insn : subject.program.code) {
            quoted_.push_back(json_string(texts_.text(insn.pc)));
        }
        begin_file(subject);
    }

    void cycle(Cycle at, std::span<const Event> events, bool recorded) override;
    void used(Cycle begin, Cycle cycles, const UnitUses &units) override { counters_.used(begin, cycles, units); }
    void end(Cycle at) override;

  private:
    /// A record attached to the slice that a warp's track has in cycle `at`.
    struct Mark {
        std::uint32_t slot;
        Cycle at;
        std::string record;
    };
    struct Arrow {
        std::uint64_t id;
        std::uint32_t slot;
    };

    void begin_file(const Subject &subject);

    // the events
    void apply(const WarpStarted &e);
    void apply(const WarpEnded &e);
    void apply(const StateChanged &e);
    void apply(const InstructionIssued &e) { counters_.issued(partition(e.warp.value())); }
    void apply(const AccessQueued &e);
    void apply(const AccessStarted &e);
    void apply(const AccessPerformed &e);
    void apply(const ControlExecuted &e);
    void apply(const Diverged &e);
    void apply(const DivergenceEnded &e);
    void apply(const BarrierChanged &e);
    void apply(const BarrierReleased &e);
    void apply(const TimerStarted &e);
    template <typename Other> void apply(const Other &) {}

    // the records
    unsigned partition(std::uint32_t slot) const { return slot % partitions_; }
    std::uint64_t track(std::uint32_t slot) const { return (slot + 1) * kTracks; }
    void name_track(std::uint32_t slot, std::uint64_t track, const std::string &name);
    void show(std::uint32_t slot, Cycle at);
    void hide(std::uint32_t slot, Cycle at);
    void show_lanes(std::uint32_t slot, std::vector<Lane> &lanes, std::uint64_t first, Cycle at);
    void open_lane(std::uint32_t slot, std::vector<Lane> &lanes, std::size_t index, std::uint64_t first, Cycle at);
    void close_lane(std::uint32_t slot, Lane &lane, bool is_access, std::uint64_t track, Cycle at);
    void close_charge(std::uint32_t slot, Cycle at);
    void close_life(std::uint32_t slot, Cycle at);
    bool joins(ChromeWarp &warp, Cycle at) const;
    void hang(Mark &&mark);
    void finish_arrows(Cycle until, Cycle latest);
    ChromeWarp &touch(WarpSlot slot);
    std::string_view quoted_text(Pc pc) const {
        return pc / kInstructionBytes < quoted_.size() ? std::string_view(quoted_[pc / kInstructionBytes]) : "\"\"";
    }

    TextFile &file_;
    Window window_;
    Joining joining_;
    unsigned partitions_;
    InstructionTexts texts_;
    std::vector<std::string> quoted_; ///< texts as JSON strings
    std::vector<ChromeWarp> warps_;
    ChromeCounters counters_;
    std::vector<std::uint32_t> touched_;
    std::vector<Mark> marks_;            ///< of this cycle
    std::multimap<Cycle, Arrow> arrows_; ///< those that have begun, by the cycle of their end
    std::uint64_t next_arrow_ = 1;
    bool shown_ = false;
};

// --- file ----------------------------------------------------------------------------------------------------------

void ChromeWriter::begin_file(const Subject &subject) {
    file_.write(
        FMT_COMPILE("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"unit\":\"1 us shown is 1 cycle\",\"clock_ghz\":{},"
                    "\"kernel\":{},\"configuration\":{}}},\n\"traceEvents\":[\n"),
        subject.config.sm.clock_ghz, json_string(subject.kernel), json_string(subject.configuration));
    for (unsigned i = 0; i < partitions_; ++i) {
        file_.write(FMT_COMPILE("{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":"
                                "\"sub-partition {}\"}}}},\n"),
                    i + 1, i);
        file_.write(
            FMT_COMPILE(
                "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{}"
                "}}}}{}\n"),
            i + 1, i, i + 1 < partitions_ ? "," : "");
    }
}

void ChromeWriter::name_track(std::uint32_t slot, std::uint64_t track, const std::string &name) {
    const unsigned pid = partition(slot) + 1;
    file_.write(
        FMT_COMPILE(",{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}\n"),
        pid, track, name);
    file_.write(
        FMT_COMPILE(
            ",{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}"
            "\n"),
        pid, track, track);
}

// --- one cycle -----------------------------------------------------------------------------------------------------

void ChromeWriter::cycle(Cycle at, std::span<const Event> events, bool recorded) {
    counters_.advance(at);
    if (shown_ && !recorded) {
        finish_arrows(at, at);
        for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
            hide(slot, at);
        }
    }
    const bool opens = recorded && !shown_;
    shown_ = recorded;
    for (const Event &event : events) {
        std::visit([this](const auto &e) { apply(e); }, event);
    }
    if (opens) {
        for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
            show(slot, at);
        }
    } else if (recorded) {
        for (const std::uint32_t slot : touched_) {
            show(slot, at);
        }
    }
    for (const std::uint32_t slot : touched_) {
        ChromeWarp &warp = warps_[slot];
        warp.touched = false;
        if (!warp.next_args.empty()) {
            if (!warp.charge_shown || !warp.spans_several) {
                add(warp.args, warp.next_args);
            }
            warp.next_args.clear();
        }
    }
    touched_.clear();
    if (recorded) {
        for (Mark &mark : marks_) {
            hang(std::move(mark));
        }
        counters_.show(at, opens);
        finish_arrows(at, at);
    }
    marks_.clear();
    joining_.reach(file_.bytes());
}

void ChromeWriter::end(Cycle at) {
    counters_.end(at);
    if (shown_) {
        finish_arrows(kNever, at);
    }
    for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
        hide(slot, at);
    }
    file_.write(FMT_COMPILE("]}}\n"));
}

ChromeWarp &ChromeWriter::touch(WarpSlot slot) {
    ChromeWarp &warp = warps_[slot.value()];
    if (!warp.touched) {
        warp.touched = true;
        touched_.push_back(slot.value());
    }
    return warp;
}

// --- events --------------------------------------------------------------------------------------------------------

void ChromeWriter::apply(const WarpStarted &e) {
    ChromeWarp &warp = touch(e.warp);
    warp.resident = true;
    warp.cta_number = e.cta_number;
    warp.warp_in_cta = e.warp_in_cta;
    warp.valid = e.valid;
    warp.charge = {WarpState::kFetching, StallReason::kNoInstruction, e.entry};
    counters_.started(partition(e.warp.value()));
    counters_.cleared(e.warp.value());
}

void ChromeWriter::apply(const WarpEnded &e) {
    ChromeWarp &warp = touch(e.warp);
    warp.resident = false;
    warp.ended_at = e.at;
    for (Lane &lane : warp.divergences) {
        lane.busy = false;
    }
    counters_.ended(partition(e.warp.value()));
    counters_.cleared(e.warp.value());
}

void ChromeWriter::apply(const StateChanged &e) {
    touch(e.warp).charge = {e.state, e.reason, e.pc};
}

void ChromeWriter::apply(const AccessQueued &e) {
    ChromeWarp &warp = touch(e.warp);
    for (std::size_t i = 0; i < warp.accesses.size(); ++i) {
        Lane &lane = warp.accesses[i];
        if (!lane.held) {
            continue;
        }
        if (joining_.takes(lane.begin, e.at, false)) {
            lane.held = false;
            lane.busy = true;
            lane.number = e.number;
            lane.since = e.at;
            ++lane.things;
            lane.last_pc = e.pc;
            lane.last_args = fmt::format("\"lanes\":{}", mask(e.lanes));
            lane.end_args.clear();
            return;
        }
        close_lane(e.warp.value(), lane, true, track(e.warp.value()) + kAccesses + i, e.at);
    }
    Lane &lane = Lane::take(warp.accesses, e.number, e.pc);
    lane.begin_args = fmt::format("\"lanes\":{}", mask(e.lanes));
}

void ChromeWriter::apply(const AccessStarted &e) {
    if (Lane *lane = Lane::find(touch(e.warp).accesses, e.number)) {
        lane->end_args = fmt::format("\"space\":\"{}\",\"transactions\":{},\"leaves_queue\":{}", name_of(e.space),
                                     e.transactions, e.at);
    }
}

void ChromeWriter::apply(const AccessPerformed &e) {
    if (Lane *lane = Lane::find(touch(e.warp).accesses, e.number)) {
        lane->busy = false;
    }
}

void ChromeWriter::apply(const ControlExecuted &e) {
    ChromeWarp &warp = touch(e.warp);
    std::string args = fmt::format("\"active\":{},\"next_active\":{},\"next_pc\":\"{:#06x}\"", mask(e.active),
                                   mask(e.next_active), e.next_pc);
    if (e.sync != SyncResult::kNone) {
        add(args, fmt::format("\"sync\":\"{}\"", e.sync == SyncResult::kPassed ? "passed" : "switched"));
    } else if (e.jumped.any()) {
        add(args, fmt::format("\"jumped\":{}", mask(e.jumped)));
    }
    if (e.split) {
        add(args, "\"diverged\":true");
    }
    if (e.measured) {
        add(args, fmt::format("\"{}\":{}", e.measured->name, e.level));
        counters_.measured(e.warp.value(), *e.measured, e.level);
    }
    add(warp.next_args, args);
}

void ChromeWriter::apply(const Diverged &e) {
    Lane &lane = Lane::take(touch(e.warp).divergences, e.sequence, e.pc);
    lane.begin_args = fmt::format("\"stayed\":{},\"left\":{}", mask(e.stayed), mask(e.left));
}

void ChromeWriter::apply(const DivergenceEnded &e) {
    if (Lane *lane = Lane::find(touch(e.warp).divergences, e.sequence)) {
        lane->end_args = fmt::format("\"reconverged\":{}", e.reconverged);
        lane->busy = false;
    }
}

void ChromeWriter::apply(const BarrierChanged &e) {
    if (!e.restored) {
        add(touch(e.warp).next_args,
            fmt::format("\"barrier\":{},\"arrived\":{},\"expected\":{}", e.barrier.value(), e.arrived, e.expected));
    }
}

void ChromeWriter::apply(const BarrierReleased &e) {
    const ChromeWarp &last = warps_[e.last.value()];
    add(touch(e.warp).next_args, fmt::format("\"last_arrival\":{}", e.last.value()));
    // A warp that completed a barrier by its end is gone already: the arrow begins in its last cycle.
    const Cycle begin = e.by_exit ? last.ended_at - 1 : e.at;
    if (!last.named || !window_.records(begin) || !window_.records(e.resumes)) {
        return;
    }
    const std::uint64_t id = next_arrow_++;
    marks_.push_back({e.last.value(), begin,
                      fmt::format("{{\"ph\":\"s\",\"pid\":{},\"tid\":{},\"ts\":{},\"id\":{},\"cat\":\"barrier\","
                                  "\"name\":\"release\"}}",
                                  partition(e.last.value()) + 1, track(e.last.value()), begin, id)});
    arrows_.emplace(e.resumes, Arrow{id, e.warp.value()});
}

void ChromeWriter::apply(const TimerStarted &e) {
    add(touch(e.warp).next_args, fmt::format("\"timer_expires\":{}", e.expires));
}

// --- slices --------------------------------------------------------------------------------------------------------

/// Writes a record of a warp slot after that of the slice to which it is attached.
void ChromeWriter::hang(Mark &&mark) {
    ChromeWarp &warp = warps_[mark.slot];
    if (warp.charge_shown && mark.at >= warp.slice.begin()) {
        warp.marks.push_back(std::move(mark.record));
    } else {
        file_.write(FMT_COMPILE(",{}\n"), mark.record);
    }
}

void ChromeWriter::close_charge(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    ChargeSlice &slice = warp.slice;
    slice.close(at);
    const ChargeSlice::Part &longest = slice.longest();
    file_.write(FMT_COMPILE(",{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"cat\":\"{}\","
                            "\"args\":{{\"pc\":\"{:#06x}\",\"insn\":{}"),
                partition(slot) + 1, track(slot), slice.begin(), at - slice.begin(), stall_name(longest.reason),
                state_name(longest.state), slice.first().pc, quoted_text(slice.first().pc));
    if (warp.spans_several) {
        file_.write(FMT_COMPILE(",\"last_pc\":\"{:#06x}\""), slice.last().pc);
    }
    if (slice.parts().size() > 1) {
        char before = '{';
        file_.write(FMT_COMPILE(",\"cycles\":"));
        for (const ChargeSlice::Part &part : slice.parts()) {
            file_.write(FMT_COMPILE("{}\"{}\":{}"), before, stall_name(part.reason), part.cycles);
            before = ',';
        }
        file_.write(FMT_COMPILE("}}"));
    }
    if (!warp.args.empty()) {
        file_.write(FMT_COMPILE(",{}"), warp.args);
        warp.args.clear();
    }
    file_.write(FMT_COMPILE("}}}}\n"));
    warp.charge_shown = false;
    for (const std::string &mark : warp.marks) {
        file_.write(FMT_COMPILE(",{}\n"), mark);
    }
    warp.marks.clear();
}

void ChromeWriter::close_life(std::uint32_t slot, Cycle at) {
    file_.write(FMT_COMPILE(",{{\"ph\":\"E\",\"pid\":{},\"tid\":{},\"ts\":{}}}\n"), partition(slot) + 1, track(slot),
                at);
    warps_[slot].life_shown = false;
}

/// Whether the charge that begins at `at` goes into the open slice. A slice of several instructions only says whose
/// cycles are in it.
bool ChromeWriter::joins(ChromeWarp &warp, Cycle at) const {
    const bool is_same = warp.slice.is_same_instruction(warp.charge);
    if (warp.marks.size() >= kMostMarks) { // they are held until the slice is over
        return false;
    }
    if (!joining_.takes(warp.slice.begin(), at, is_same && !warp.spans_several)) {
        return false;
    }
    if (!is_same) {
        warp.spans_several = true;
        warp.args.clear();
    }
    warp.slice.join(warp.charge, at);
    return true;
}

/// Updates the tracks of a warp slot to what they should show from `at` on.
void ChromeWriter::show(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    if (warp.charge_shown && (!warp.resident || (warp.slice.last() != warp.charge && !joins(warp, at)))) {
        close_charge(slot, at);
    }
    if (warp.life_shown && !warp.resident) {
        close_life(slot, at);
    }
    if (warp.resident && !warp.life_shown) {
        if (!warp.named) {
            warp.named = true;
            name_track(slot, track(slot), fmt::format("slot {:03}", slot));
        }
        file_.write(
            FMT_COMPILE(
                ",{{\"ph\":\"B\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"CTA {} warp {}\",\"cat\":\"residency\","
                "\"args\":{{\"cta\":{},\"warp\":{},\"slot\":{},\"threads\":{}}}}}\n"),
            partition(slot) + 1, track(slot), at, warp.cta_number, warp.warp_in_cta, warp.cta_number, warp.warp_in_cta,
            slot, mask(warp.valid));
        warp.life_shown = true;
    }
    if (warp.resident && !warp.charge_shown) {
        warp.slice.open(warp.charge, at);
        warp.charge_shown = true;
        warp.spans_several = false;
        warp.args.clear();
    }
    show_lanes(slot, warp.divergences, kDivergences, at);
    show_lanes(slot, warp.accesses, kAccesses, at);
}

void ChromeWriter::show_lanes(std::uint32_t slot, std::vector<Lane> &lanes, std::uint64_t first, Cycle at) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane &lane = lanes[i];
        if (lane.shown && !lane.busy && !lane.held) {
            if (first == kAccesses && joining_.takes(lane.begin, at, false)) {
                lane.held = true;
                lane.end = at;
                lane.cycles += at - lane.since;
            } else {
                close_lane(slot, lane, first == kAccesses, track(slot) + first + i, at);
            }
        } else if (lane.busy && !lane.shown) {
            open_lane(slot, lanes, i, first, at);
        }
    }
}

void ChromeWriter::open_lane(std::uint32_t slot, std::vector<Lane> &lanes, std::size_t index, std::uint64_t first,
                             Cycle at) {
    Lane &lane = lanes[index];
    if (!lane.named) {
        lane.named = true;
        name_track(slot, track(slot) + first + index,
                   fmt::format("slot {:03} {} {}", slot, first == kAccesses ? "memory" : "divergence", index));
    }
    if (lane.things > 1) { // a slice of several was cut, and the last of them continues in its own slice
        lane.pc = lane.last_pc;
        lane.begin_args = lane.last_args;
    }
    lane.begin = lane.since = at;
    lane.cycles = 0;
    lane.things = 1;
    lane.shown = true;
}

/// Writes the slice of a lane up to `at`, or to the end of what it showed last.
void ChromeWriter::close_lane(std::uint32_t slot, Lane &lane, bool is_access, std::uint64_t track, Cycle at) {
    const Cycle end = lane.held ? lane.end : at;
    std::string args = lane.begin_args;
    if (lane.things > 1) {
        args =
            fmt::format("\"accesses\":{},\"cycles\":{}", lane.things, lane.cycles + (lane.held ? 0 : at - lane.since));
    } else if (!lane.end_args.empty()) {
        add(args, lane.end_args);
    }
    file_.write(FMT_COMPILE(",{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"cat\":\"{}\","
                            "\"args\":{{\"pc\":\"{:#06x}\",\"insn\":{},{}}}}}\n"),
                partition(slot) + 1, track, lane.begin, end - lane.begin, texts_.name(lane.pc),
                is_access ? "memory" : "divergence", lane.pc, quoted_text(lane.pc), args);
    lane.shown = false;
    lane.held = false;
}

/// Closes what a warp slot shows; it may be opened again later.
void ChromeWriter::hide(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    if (warp.charge_shown) {
        close_charge(slot, at);
    }
    if (warp.life_shown) {
        close_life(slot, at);
    }
    for (auto *lanes : {&warp.divergences, &warp.accesses}) {
        const std::uint64_t first = lanes == &warp.accesses ? kAccesses : kDivergences;
        for (std::size_t i = 0; i < lanes->size(); ++i) {
            if ((*lanes)[i].shown) {
                close_lane(slot, (*lanes)[i], lanes == &warp.accesses, track(slot) + first + i, at);
            }
        }
    }
}

/// Ends the arrows that are due by `until`, no later than `latest`.
void ChromeWriter::finish_arrows(Cycle until, Cycle latest) {
    while (!arrows_.empty() && arrows_.begin()->first <= until) {
        const auto [at, arrow] = *arrows_.begin();
        arrows_.erase(arrows_.begin());
        const Cycle end = std::min(at, latest);
        hang({arrow.slot, end,
              fmt::format("{{\"ph\":\"f\",\"bp\":\"e\",\"pid\":{},\"tid\":{},\"ts\":{},\"id\":{},\"cat\":\"barrier\","
                          "\"name\":\"release\"}}",
                          partition(arrow.slot) + 1, track(arrow.slot), end, arrow.id)});
    }
}

} // namespace

std::unique_ptr<Writer> make_chrome_writer(TextFile &file, const Subject &subject, const Window &window,
                                           const Joining &joining) {
    return std::make_unique<ChromeWriter>(file, subject, window, joining);
}

} // namespace smsim::views::timeline
