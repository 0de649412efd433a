// The Kanata log: one line of the viewer per instruction, from its fetch to its result. Thread is the warp slot.
//
// Stages: F while it is fetched, B in the buffer after others, then the reason for which the warp's next instruction
// waits, X from its issue to its result. Short stages in which it waits are joined. A stage ends where the next one
// begins, without a record of its own.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/config/config.h"
#include "views/timeline/held_lines.h"
#include "views/timeline/instruction_texts.h"
#include "views/timeline/writer.h"

namespace smsim::views::timeline {
namespace {

using namespace observation;

constexpr std::string_view kFetch = "F";
constexpr std::string_view kBuffer = "B";
constexpr std::string_view kExecute = "X";
constexpr Cycle kMostHeld = 1000; ///< cycles for which lines are held, and in which stages are joined

/// One of how many warps of a sub-partition is recorded, for instructions fetched from now on: the format has a line
/// for each instruction, which cannot be joined.
constexpr GrowthFactor kThinning{36'000'000, 14'000'000};

/// An instruction from its fetch to its end.
struct Instruction {
    std::uint64_t ticket = 0;   ///< until its issue
    std::uint64_t age = 0;      ///< after it: of its warp
    std::uint64_t sequence = 0; ///< after it
    Pc pc = 0;
    bool fetched = false;
    bool blocked = false; ///< answered, and its warp waits at a CTA barrier
    LaneMask active;
    LaneMask executed;
    bool is_left_out = false;
    std::string_view shown{};                ///< what it does in the open stage; empty: none
    std::shared_ptr<WaitingStage> waiting{}; ///< the open stage; null: another one
    std::optional<std::uint64_t> id{};       ///< in the file; none: not in it
};

struct Warp {
    bool resident = false;
    std::uint64_t cta_number = 0;
    std::uint32_t warp_in_cta = 0;
    std::uint64_t age = 0;
    std::uint64_t rank = 0; ///< of the warp in the order in which those of its sub-partition began
    StallReason reason = StallReason::kNoInstruction;
    Pc reason_pc = 0;
    std::vector<Instruction> buffered; ///< in order
    std::vector<Instruction> issued;
    std::optional<std::uint64_t> last_id; ///< of the instruction issued last, or of its barrier instruction before
    std::optional<std::uint64_t> left_id; ///< that of the warp before, when this one begins
    Cycle begun = 0;
    bool touched = false;
};

/// Reasons that are charged to the instruction that waits, not to the one before it.
bool is_of_waiting(StallReason reason) {
    switch (reason) {
    case StallReason::kSelected:
    case StallReason::kNoInstruction:
    case StallReason::kBranchResolve:
    case StallReason::kBarrier:
    case StallReason::kSleeping:
        return false;
    default:
        return true;
    }
}

class KanataWriter final : public Writer {
  public:
    KanataWriter(TextFile &file, const Subject &subject, const Joining &joining)
        : file_(file), lines_(file), joining_(joining), begun_(subject.config.sm.sub_partitions),
          program_bytes_(subject.program.size_bytes()), texts_(subject.program), warps_(subject.config.warps()) {
        file_.write(FMT_COMPILE("Kanata\t0004\n"));
    }

    void cycle(Cycle at, std::span<const Event> events, bool recorded) override;
    void used(Cycle, Cycle, const UnitUses &) override {} // the format has no counters
    void end(Cycle at) override;
    std::string left_out() const override;

  private:
    void apply(const WarpStarted &e);
    void apply(const WarpEnded &e) { touch(e.warp).resident = false; }
    void apply(const StateChanged &e);
    void apply(const FetchStarted &e);
    void apply(const FetchEnded &e);
    void apply(const FetchDiscarded &e);
    void apply(const InstructionIssued &e);
    void apply(const InstructionCompleted &e);
    void apply(const BarrierReleased &e);
    template <typename Other> void apply(const Other &) {}

    struct Release {
        Cycle at;
        WarpSlot warp;
    };

    Warp &touch(WarpSlot slot);
    void release_blocked(Cycle at);
    void go_to(Cycle at);
    void show(std::uint32_t slot);
    void show(std::uint32_t slot, Instruction &insn, std::string_view stage);
    void end_stage(Instruction &insn);
    void retire(Instruction &insn, bool flushed);
    void hide(Cycle at);
    std::string_view waiting_stage(const Warp &warp, const Instruction &insn, bool is_next) const;

    TextFile &file_;
    HeldLines lines_;
    Joining joining_;
    GrowthFactor thinning_ = kThinning;
    std::vector<std::uint64_t> begun_; ///< warps by sub-partition
    Pc program_bytes_;
    InstructionTexts texts_;
    std::vector<Warp> warps_;
    std::vector<std::uint32_t> touched_;
    std::vector<Release> releases_;                               ///< announced, by cycle
    std::vector<Instruction> ended_;                              ///< in this cycle
    std::vector<Instruction> discarded_;                          ///< in this cycle
    std::vector<std::pair<std::uint64_t, std::uint64_t>> arrows_; ///< of this cycle: consumer, producer
    std::uint64_t next_id_ = 0;
    std::uint64_t retired_ = 0;
    bool shown_ = false;
};

Warp &KanataWriter::touch(WarpSlot slot) {
    Warp &warp = warps_[slot.value()];
    if (!warp.touched) {
        warp.touched = true;
        touched_.push_back(slot.value());
    }
    return warp;
}

// --- events --------------------------------------------------------------------------------------------------------

void KanataWriter::apply(const WarpStarted &e) {
    Warp &warp = touch(e.warp);
    warp.resident = true;
    warp.cta_number = e.cta_number;
    warp.warp_in_cta = e.warp_in_cta;
    warp.age = e.age;
    warp.reason = StallReason::kNoInstruction;
    warp.begun = e.at;
    warp.left_id = std::exchange(warp.last_id, std::nullopt);
    warp.rank = begun_[e.warp.value() % begun_.size()]++;
}

void KanataWriter::apply(const StateChanged &e) {
    Warp &warp = touch(e.warp);
    warp.reason = e.reason;
    warp.reason_pc = e.pc;
}

void KanataWriter::apply(const FetchStarted &e) {
    if (e.pc < program_bytes_) { // past the end there is no instruction
        Instruction &insn = touch(e.warp).buffered.emplace_back();
        insn.ticket = e.ticket;
        insn.pc = e.pc;
    }
}

void KanataWriter::apply(const FetchEnded &e) {
    for (Instruction &insn : touch(e.warp).buffered) {
        insn.fetched |= insn.ticket == e.ticket;
    }
}

void KanataWriter::apply(const FetchDiscarded &e) {
    Warp &warp = touch(e.warp);
    const auto found = std::ranges::find(warp.buffered, e.ticket, &Instruction::ticket);
    if (found != warp.buffered.end()) {
        discarded_.push_back(*found);
        warp.buffered.erase(found);
    }
}

void KanataWriter::apply(const InstructionIssued &e) {
    Warp &warp = touch(e.warp);
    const auto found = std::ranges::find(warp.buffered, e.ticket, &Instruction::ticket);
    if (found != warp.buffered.end()) {
        Instruction &insn = warp.issued.emplace_back(*found);
        warp.buffered.erase(found);
        insn.age = warp.age;
        insn.sequence = e.sequence;
        insn.active = e.active;
        insn.executed = e.executed;
        if (insn.id) {
            lines_.write(FMT_COMPILE("L\t{}\t1\tactive {:#010x}, executed {:#010x}\\n\n"), *insn.id, e.active.bits(),
                         e.executed.bits());
            warp.last_id = insn.id;
        }
    }
}

void KanataWriter::apply(const InstructionCompleted &e) {
    Warp &warp = touch(e.warp);
    const auto found = std::ranges::find_if(
        warp.issued, [&](const Instruction &insn) { return insn.age == e.age && insn.sequence == e.sequence; });
    if (found != warp.issued.end()) {
        if (e.blocked) {
            found->blocked = true;
        } else {
            ended_.push_back(*found);
            warp.issued.erase(found);
        }
    }
}

void KanataWriter::apply(const BarrierReleased &e) {
    const auto place = std::ranges::upper_bound(releases_, e.resumes, {}, &Release::at);
    releases_.insert(place, {e.resumes, e.warp});
    // The instruction at the barrier depends on the last arrival, or on the EXIT of the warp that has ended.
    const Warp &last = warps_[e.last.value()];
    const std::optional<std::uint64_t> producer = e.by_exit && last.begun == e.at ? last.left_id : last.last_id;
    const std::optional<std::uint64_t> consumer = warps_[e.warp.value()].last_id;
    if (producer && consumer) {
        arrows_.emplace_back(*consumer, *producer);
    }
}

/// Ends the barrier instructions of warps that have been released by `at`.
void KanataWriter::release_blocked(Cycle at) {
    const auto due = std::ranges::find_if(releases_, [at](const Release &release) { return release.at > at; });
    for (auto release = releases_.begin(); release != due; ++release) {
        std::erase_if(touch(release->warp).issued, [&](const Instruction &insn) {
            if (insn.blocked) {
                ended_.push_back(insn);
            }
            return insn.blocked;
        });
    }
    releases_.erase(releases_.begin(), due);
}

// --- the file ------------------------------------------------------------------------------------------------------

void KanataWriter::go_to(Cycle at) {
    lines_.go_to(at, std::min(joining_.least(), kMostHeld));
    joining_.reach(file_.bytes());
    if (joining_.grows()) {
        thinning_.reach(file_.bytes());
    }
}

void KanataWriter::cycle(Cycle at, std::span<const Event> events, bool recorded) {
    while (!releases_.empty() && releases_.front().at < at) { // a release without an event of its own cycle
        cycle(releases_.front().at, {}, shown_);
    }
    if (shown_ && !recorded) {
        hide(at);
    }
    const bool opens = recorded && !shown_;
    shown_ = recorded;
    if (recorded) {
        go_to(at);
    }
    for (const Event &event : events) {
        std::visit([this](const auto &e) { apply(e); }, event);
    }
    release_blocked(at);
    if (recorded) {
        for (const auto &[consumer, producer] : arrows_) {
            lines_.write(FMT_COMPILE("W\t{}\t{}\t0\n"), consumer, producer);
        }
        for (Instruction &insn : discarded_) {
            retire(insn, true);
        }
        for (Instruction &insn : ended_) {
            retire(insn, false);
        }
        if (opens) {
            for (std::uint32_t slot = 0; slot < warps_.size(); ++slot) {
                show(slot);
            }
        }
        for (const std::uint32_t slot : touched_) {
            show(slot);
        }
    }
    for (const std::uint32_t slot : touched_) {
        warps_[slot].touched = false;
    }
    touched_.clear();
    ended_.clear();
    discarded_.clear();
    arrows_.clear();
}

std::string_view KanataWriter::waiting_stage(const Warp &warp, const Instruction &insn, bool is_next) const {
    if (!insn.fetched) {
        return kFetch;
    }
    return is_next && is_of_waiting(warp.reason) && warp.reason_pc == insn.pc ? stall_name(warp.reason) : kBuffer;
}

/// Updates the instructions of a warp slot to their current stages.
void KanataWriter::show(std::uint32_t slot) {
    Warp &warp = warps_[slot];
    for (Instruction &insn : warp.issued) {
        show(slot, insn, kExecute);
        if (insn.sequence == warp.issued.back().sequence) {
            warp.last_id = insn.id;
        }
    }
    bool is_next = true;
    for (Instruction &insn : warp.buffered) {
        show(slot, insn, waiting_stage(warp, insn, is_next));
        is_next = false;
    }
}

void KanataWriter::show(std::uint32_t slot, Instruction &insn, std::string_view stage) {
    if (insn.shown == stage || insn.is_left_out) {
        return;
    }
    const Cycle at = lines_.now();
    const bool waits = stage != kFetch && stage != kExecute;
    if (!insn.id) {
        if (warps_[slot].rank % thinning_.value() != 0) {
            insn.is_left_out = true;
            return;
        }
        const Warp &warp = warps_[slot];
        insn.id = next_id_++;
        lines_.write(FMT_COMPILE("I\t{}\t{}\t{}\n"), *insn.id, insn.sequence, slot);
        lines_.write(FMT_COMPILE("L\t{}\t0\t{:#06x}: {}\n"), *insn.id, insn.pc, texts_.text(insn.pc));
        lines_.write(FMT_COMPILE("L\t{}\t1\tCTA {} warp {}, slot {}\\n\n"), *insn.id, warp.cta_number, warp.warp_in_cta,
                     slot);
    } else if (waits && insn.waiting && at - insn.waiting->begin() < kMostHeld &&
               joining_.takes(insn.waiting->begin(), at, true)) {
        insn.waiting->enter(stage, at);
        insn.shown = stage;
        return;
    }
    end_stage(insn);
    if (waits) {
        insn.waiting = std::make_shared<WaitingStage>(stage, at);
        lines_.begin(*insn.id, insn.waiting);
    } else {
        lines_.write(FMT_COMPILE("S\t{}\t0\t{}\n"), *insn.id, stage);
    }
    insn.shown = stage;
}

/// Writes all joined parts in full.
void KanataWriter::end_stage(Instruction &insn) {
    if (insn.waiting) {
        insn.waiting->close(lines_.now());
        if (insn.waiting->parts().size() > 1) {
            std::string_view before = "waited:";
            lines_.write(FMT_COMPILE("L\t{}\t1\t"), *insn.id);
            for (const WaitingStage::Part &part : insn.waiting->parts()) {
                lines_.write(FMT_COMPILE("{} {} {}"), before, part.name, part.cycles);
                before = ",";
            }
            lines_.write(FMT_COMPILE("\\n\n"));
        }
        insn.waiting.reset();
    }
}

void KanataWriter::retire(Instruction &insn, bool flushed) {
    if (!insn.id) {
        return;
    }
    end_stage(insn);
    lines_.write(FMT_COMPILE("R\t{}\t{}\t{}\n"), *insn.id, flushed ? 0 : retired_, flushed ? 1 : 0);
    retired_ += flushed ? 0 : 1;
    insn.id.reset();
    insn.shown = {};
}

/// Ends every open line: what has been issued retires, what waits is flushed.
void KanataWriter::hide(Cycle at) {
    go_to(at);
    for (Warp &warp : warps_) {
        for (Instruction &insn : warp.issued) {
            retire(insn, false);
        }
        for (Instruction &insn : warp.buffered) {
            retire(insn, true);
        }
        warp.last_id.reset();
        warp.left_id.reset();
    }
}

void KanataWriter::end(Cycle at) {
    if (shown_) {
        hide(at);
    }
    lines_.finish();
}

std::string KanataWriter::left_out() const {
    return thinning_.value() == 1 ? std::string()
                                  : fmt::format("of the later instructions only those of one warp in {} of each "
                                                "sub-partition are recorded; --timeline-min-cycles 1 records all",
                                                thinning_.value());
}

} // namespace

std::unique_ptr<Writer> make_kanata_writer(TextFile &file, const Subject &subject, const Joining &joining) {
    return std::make_unique<KanataWriter>(file, subject, joining);
}

} // namespace smsim::views::timeline
