// The Trace Event Format. Slices are pairs of B and E records in order of time: of one cycle, first the ends, then the
// begins of each track, then what hangs on them. So the file is streamed, and what a slice has learnt by its end stands
// at its end.
#include <map>

#include <nlohmann/json.hpp>

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
    ChromeWriter(TextFile &file, const Subject &subject, const Window &window)
        : file_(file), window_(window), partitions_(subject.config.sm.sub_partitions), texts_(subject.program),
          warps_(subject.config.warps()), counters_(file, window, partitions_, subject.config.warps()) {
        for (const isa::Instruction &insn : subject.program.code) {
            quoted_.push_back(json_string(texts_.text(insn.pc)));
        }
        begin_file(subject);
    }

    void cycle(Cycle at, std::span<const Event> events, bool recorded) override;
    void end(Cycle at) override;

  private:
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
    void close_slice(std::uint32_t slot, std::uint64_t track, Cycle at, std::string &args);
    void close_charge(std::uint32_t slot, Cycle at);
    void finish_arrows(Cycle until, Cycle latest);
    ChromeWarp &touch(WarpSlot slot);
    std::string_view quoted_text(Pc pc) const {
        return pc / kInstructionBytes < quoted_.size() ? std::string_view(quoted_[pc / kInstructionBytes]) : "\"\"";
    }

    TextFile &file_;
    Window window_;
    unsigned partitions_;
    InstructionTexts texts_;
    std::vector<std::string> quoted_; ///< texts as JSON strings
    std::vector<ChromeWarp> warps_;
    ChromeCounters counters_;
    std::vector<std::uint32_t> touched_;
    std::vector<std::string> marks_;     ///< records of this cycle that hang on slices
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
            add(warp.args, warp.next_args);
            warp.next_args.clear();
        }
    }
    touched_.clear();
    if (recorded) {
        for (const std::string &mark : marks_) {
            file_.write(FMT_COMPILE(",{}\n"), mark);
        }
        counters_.show(at, opens);
        finish_arrows(at, at);
    }
    marks_.clear();
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
    Lane &lane = Lane::take(touch(e.warp).accesses, e.number, e.pc);
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
    // A warp that has completed a barrier by its end is gone already: the arrow begins in its last cycle.
    const Cycle begin = e.by_exit ? last.ended_at - 1 : e.at;
    if (!window_.records(begin) || !window_.records(e.resumes)) {
        return;
    }
    const std::uint64_t id = next_arrow_++;
    marks_.push_back(fmt::format("{{\"ph\":\"s\",\"pid\":{},\"tid\":{},\"ts\":{},\"id\":{},\"cat\":\"barrier\","
                                 "\"name\":\"release\"}}",
                                 partition(e.last.value()) + 1, track(e.last.value()), begin, id));
    arrows_.emplace(e.resumes, Arrow{id, e.warp.value()});
}

void ChromeWriter::apply(const TimerStarted &e) {
    add(touch(e.warp).next_args, fmt::format("\"timer_expires\":{}", e.expires));
}

// --- slices --------------------------------------------------------------------------------------------------------

void ChromeWriter::close_slice(std::uint32_t slot, std::uint64_t track, Cycle at, std::string &args) {
    const unsigned pid = partition(slot) + 1;
    if (args.empty()) {
        file_.write(FMT_COMPILE(",{{\"ph\":\"E\",\"pid\":{},\"tid\":{},\"ts\":{}}}\n"), pid, track, at);
    } else {
        file_.write(FMT_COMPILE(",{{\"ph\":\"E\",\"pid\":{},\"tid\":{},\"ts\":{},\"args\":{{{}}}}}\n"), pid, track, at,
                    args);
        args.clear();
    }
}

void ChromeWriter::close_charge(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    close_slice(slot, track(slot), at, warp.args);
    warp.charge_shown = false;
}

/// Brings the tracks of a warp slot to what they should show from `at` on.
void ChromeWriter::show(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    if (warp.charge_shown && (!warp.resident || warp.shown != warp.charge)) {
        close_charge(slot, at);
    }
    const unsigned pid = partition(slot) + 1;
    if (warp.life_shown && !warp.resident) {
        std::string none;
        close_slice(slot, track(slot), at, none);
        warp.life_shown = false;
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
            pid, track(slot), at, warp.cta_number, warp.warp_in_cta, warp.cta_number, warp.warp_in_cta, slot,
            mask(warp.valid));
        warp.life_shown = true;
    }
    if (warp.resident && !warp.charge_shown) {
        warp.shown = warp.charge;
        warp.charge_shown = true;
        warp.args.clear();
        file_.write(
            FMT_COMPILE(
                ",{{\"ph\":\"B\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\",\"cat\":\"{}\",\"args\":{{\"pc\":"
                "\"{:#06x}\",\"insn\":{}}}}}\n"),
            pid, track(slot), at, stall_name(warp.shown.reason), state_name(warp.shown.state), warp.shown.pc,
            quoted_text(warp.shown.pc));
    }
    show_lanes(slot, warp.divergences, kDivergences, at);
    show_lanes(slot, warp.accesses, kAccesses, at);
}

void ChromeWriter::show_lanes(std::uint32_t slot, std::vector<Lane> &lanes, std::uint64_t first, Cycle at) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane &lane = lanes[i];
        if (lane.shown && !lane.busy) {
            close_slice(slot, track(slot) + first + i, at, lane.end_args);
            lane.shown = false;
        } else if (lane.busy && !lane.shown) {
            open_lane(slot, lanes, i, first, at);
        }
    }
}

void ChromeWriter::open_lane(std::uint32_t slot, std::vector<Lane> &lanes, std::size_t index, std::uint64_t first,
                             Cycle at) {
    Lane &lane = lanes[index];
    const bool is_access = first == kAccesses;
    const std::uint64_t tid = track(slot) + first + index;
    if (!lane.named) {
        lane.named = true;
        name_track(slot, tid, fmt::format("slot {:03} {} {}", slot, is_access ? "memory" : "divergence", index));
    }
    file_.write(
        FMT_COMPILE(",{{\"ph\":\"B\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\",\"cat\":\"{}\",\"args\":{{\"pc\":"
                    "\"{:#06x}\",\"insn\":{},{}}}}}\n"),
        partition(slot) + 1, tid, at, texts_.name(lane.pc), is_access ? "memory" : "divergence", lane.pc,
        quoted_text(lane.pc), lane.begin_args);
    lane.shown = true;
}

/// Closes what a warp slot shows; it may be opened again later.
void ChromeWriter::hide(std::uint32_t slot, Cycle at) {
    ChromeWarp &warp = warps_[slot];
    if (warp.charge_shown) {
        close_charge(slot, at);
    }
    if (warp.life_shown) {
        std::string none;
        close_slice(slot, track(slot), at, none);
        warp.life_shown = false;
    }
    for (auto *lanes : {&warp.divergences, &warp.accesses}) {
        const std::uint64_t first = lanes == &warp.accesses ? kAccesses : kDivergences;
        for (std::size_t i = 0; i < lanes->size(); ++i) {
            if ((*lanes)[i].shown) {
                close_slice(slot, track(slot) + first + i, at, (*lanes)[i].end_args);
                (*lanes)[i].shown = false;
            }
        }
    }
}

/// Ends the arrows that are due by `until`, no later than `latest`.
void ChromeWriter::finish_arrows(Cycle until, Cycle latest) {
    while (!arrows_.empty() && arrows_.begin()->first <= until) {
        const auto [at, arrow] = *arrows_.begin();
        arrows_.erase(arrows_.begin());
        file_.write(
            FMT_COMPILE(",{{\"ph\":\"f\",\"bp\":\"e\",\"pid\":{},\"tid\":{},\"ts\":{},\"id\":{},\"cat\":\"barrier\","
                        "\"name\":\"release\"}}\n"),
            partition(arrow.slot) + 1, track(arrow.slot), std::min(at, latest), arrow.id);
    }
}

} // namespace

std::unique_ptr<Writer> make_chrome_writer(TextFile &file, const Subject &subject, const Window &window) {
    return std::make_unique<ChromeWriter>(file, subject, window);
}

} // namespace smsim::views::timeline
