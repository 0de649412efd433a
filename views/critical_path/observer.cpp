// Records the histories of the resident CTAs, and decides which of those that end is kept.
#include "views/critical_path/observer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace smsim::views::critical_path {
Choice parse_choice(const std::string &text, const std::string &option, std::uint64_t ctas) {
    if (text == "last") {
        return {Choice::Which::kLast};
    }
    if (text == "longest") {
        return {Choice::Which::kLongest};
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw InputError(fmt::format("{}: '{}' names no CTA; expected last, longest or a number", option, text));
    }
    if (number >= ctas) {
        throw InputError(
            fmt::format("{}: there is no CTA {}; the launch has {}, numbered from 0", option, number, ctas));
    }
    return {Choice::Which::kNumber, number};
}

void Observer::Reader::cycle(Cycle, std::span<const observation::Event> events) {
    // The slot of a warp that completed a barrier by its end may have another warp from this cycle on.
    for (const observation::Event &event : events) {
        if (const auto *release = std::get_if<observation::BarrierReleased>(&event)) {
            owner.released(*release);
        }
    }
    for (const observation::Event &event : events) {
        std::visit([this](const auto &e) { owner.on(e); }, event);
    }
}

void Observer::on(const observation::WarpStarted &e) {
    owners_[e.warp.value()] = {e.cta_number, e.warp_in_cta};
    if (!follows(e.cta_number)) {
        return;
    }
    CtaHistory &cta = residents_[e.cta_number].history;
    cta.number = e.cta_number;
    cta.warps.resize(e.warps_in_cta);
    WarpHistory &warp = cta.warps.at(e.warp_in_cta);
    warp.begin = e.at;
    warp.changes.push_back({.at = e.at, .pc = e.entry});
}

void Observer::on(const observation::StateChanged &e) {
    if (WarpHistory *warp = history(e.warp)) {
        if (warp->changes.back().at == e.at) { // of several in one cycle the last one holds
            warp->changes.pop_back();
        }
        warp->changes.push_back({e.at, e.pc, e.producer, e.reason, e.scoreboard});
    }
}

void Observer::released(const observation::BarrierReleased &e) {
    if (WarpHistory *warp = history(e.warp)) {
        warp->releases.push_back({e.at, owners_.at(e.last.value()).warp, static_cast<std::uint8_t>(e.barrier.value())});
    }
}

void Observer::on(const observation::WarpEnded &e) {
    const auto resident = residents_.find(owners_.at(e.warp.value()).cta);
    if (resident == residents_.end()) {
        return;
    }
    history(e.warp)->end = e.at;
    if (++resident->second.ended == resident->second.history.warps.size()) {
        consider(std::move(resident->second.history));
        residents_.erase(resident);
    }
}

WarpHistory *Observer::history(WarpSlot slot) {
    const Owner &owner = owners_.at(slot.value());
    const auto resident = residents_.find(owner.cta);
    return resident == residents_.end() ? nullptr : &resident->second.history.warps[owner.warp];
}

/// CTAs end in time order; those of one cycle in that of their warp slots.
void Observer::consider(CtaHistory cta) {
    const auto measure = [this](const CtaHistory &one) {
        return choice_.which == Choice::Which::kLongest ? one.end() - one.begin() : one.end();
    };
    if (!chosen_ || measure(cta) > measure(*chosen_) ||
        (measure(cta) == measure(*chosen_) && cta.number < chosen_->number)) {
        chosen_ = std::move(cta);
    }
}

std::optional<CriticalPath> Observer::path() const {
    return chosen_ ? std::optional(path_of(*chosen_)) : std::nullopt;
}

} // namespace smsim::views::critical_path
