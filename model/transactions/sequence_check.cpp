#include "model/transactions/sequence_check.h"

#include "model/config/config.h"

#include <algorithm>

#include <fmt/format.h>

namespace smsim::transactions {
namespace {

constexpr std::uint32_t kMostWarps = 127; // of a CTA: the maximum that a state word of the barrier unit can count

} // namespace

SequenceCheck::SequenceCheck(const Config &config, Part part)
    : part_(part), warps_(config.warps()), ctas_(config.sm.max_ctas) {}

std::optional<std::string> SequenceCheck::error(const Record &record) {
    if (std::holds_alternative<Access>(record)) {
        return std::nullopt;
    }
    const WarpSlot warp = warp_of(record);
    if (warp.value() >= warps_.size()) {
        return fmt::format("warp slot {}; the SM has {}", warp.value(), warps_.size());
    }
    if (const auto *begins = std::get_if<Start>(&record)) {
        return start(*begins);
    }
    if (const auto *event = std::get_if<Event>(&record)) {
        if (event->kind == Event::Kind::kWake) {
            warps_[warp.value()].blocked = false;
        }
        return event->kind == Event::Kind::kExit ? exit(*event) : std::nullopt;
    }
    return execute(record);
}

std::optional<std::string> SequenceCheck::execute(const Record &record) {
    Warp &warp = warps_[warp_of(record).value()];
    if (!warp.alive || warp.blocked) {
        return fmt::format("an instruction of warp slot {}, which {}", warp_of(record).value(),
                           warp.alive ? "waits at a barrier" : "holds no warp");
    }
    const auto note = [&warp](const auto &answer) {
        warp.answered = answer ? std::max(warp.answered, answer->at) : kNever;
    };
    if (const auto *barrier = std::get_if<Barrier>(&record)) {
        note(barrier->answer);
        warp.blocked = barrier->answer && !barrier->answer->fault && barrier->answer->outcome == Outcome::kBlocked;
    } else {
        note(std::get<Branch>(record).answer);
    }
    return std::nullopt;
}

std::optional<std::string> SequenceCheck::start(const Start &start) {
    Warp &warp = warps_[start.warp.value()];
    if (warp.answered > start.at) {
        return fmt::format("a warp starts in slot {}, where an instruction has no answer yet", start.warp.value());
    }
    if (part_ == Part::kBru) { // which is not notified of exits, and takes the slot for another warp
        warp.alive = true;
        return std::nullopt;
    }
    if (start.cta.value() >= ctas_.size()) {
        return fmt::format("CTA slot {}; the SM has {}", start.cta.value(), ctas_.size());
    }
    if (start.warps_in_cta > kMostWarps || start.warp_in_cta >= start.warps_in_cta) {
        return fmt::format("warp {} of a CTA of {} warps", start.warp_in_cta, start.warps_in_cta);
    }
    std::optional<Cta> &cta = ctas_[start.cta.value()];
    if (!cta) {
        cta.emplace(Cta{start.cta_number, start.warps_in_cta, std::vector<bool>(start.warps_in_cta), 0});
    }
    if (warp.alive || cta->number != start.cta_number || cta->warps != start.warps_in_cta ||
        cta->started[start.warp_in_cta]) {
        return fmt::format("warp {} of CTA {} starts in warp slot {} and CTA slot {}, which are in use",
                           start.warp_in_cta, start.cta_number, start.warp.value(), start.cta.value());
    }
    cta->started[start.warp_in_cta] = true;
    warp = {true, false, 0, start.cta.value(), start.warp_in_cta};
    return std::nullopt;
}

std::optional<std::string> SequenceCheck::exit(const Event &event) {
    Warp &warp = warps_[event.warp.value()];
    if (!warp.alive || warp.blocked || warp.answered > event.at) {
        return fmt::format("warp slot {} exits, which {}", event.warp.value(),
                           warp.alive ? "waits for an answer" : "holds no warp");
    }
    warp.alive = false;
    std::optional<Cta> &cta = ctas_[warp.cta];
    if (++cta->exited == cta->warps) {
        cta.reset();
    }
    return std::nullopt;
}

} // namespace smsim::transactions
