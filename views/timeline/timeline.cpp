#include "views/timeline/timeline.h"

#include "model/config/config.h"

#include <algorithm>

namespace smsim::views::timeline {

std::optional<Format> format_of(const std::string &path) {
    const std::string name = path.ends_with(".txt") ? path.substr(0, path.size() - 4) : path;
    if (name.ends_with(".json")) {
        return Format::kChrome;
    }
    if (name.ends_with(".kanata") || name.ends_with(".log")) {
        return Format::kKanata;
    }
    return std::nullopt;
}

Timeline::Timeline(const Request &request, const Subject &subject)
    : path_(request.file), window_(request.window), ctas_(request.ctas), file_(request.file), reader_(*this),
      order_(reader_), writer_(request.format == Format::kChrome
                                   ? make_chrome_writer(file_, subject, window_, Joining(request.min_cycles))
                                   : make_kanata_writer(file_, subject, Joining(request.min_cycles))),
      is_selected_(subject.config.warps(), false), next_edge_(window_.begin) {
    for (std::uint32_t slot = 0; slot < subject.config.warps(); ++slot) {
        is_slot_.push_back(request.warps.records(slot) &&
                           request.sub_partitions.records(slot % subject.config.sm.sub_partitions));
    }
    is_all_ = ctas_.begin == 0 && ctas_.end == NumberRange{}.end && std::ranges::count(is_slot_, false) == 0;
}

Timeline::~Timeline() {
    if (!ended_) {
        order_.end(seen_);
    }
}

std::string Timeline::left_out() const {
    const std::string what = writer_->left_out();
    return what.empty() ? what : path_ + ": " + what;
}

/// The events of recorded CTAs and warp slots.
std::span<const observation::Event> Timeline::selected(std::span<const observation::Event> events) {
    if (is_all_) {
        return events;
    }
    kept_.clear();
    for (const observation::Event &event : events) {
        const std::size_t slot = observation::warp_of(event).value();
        if (const auto *start = std::get_if<observation::WarpStarted>(&event)) {
            is_selected_[slot] = is_slot_[slot] && ctas_.records(start->cta_number);
        }
        if (is_selected_[slot]) {
            kept_.push_back(event);
        }
    }
    return kept_;
}

/// Lets the writer open and close what is under way at the edges of the window before `before`.
void Timeline::pass_edges(Cycle before) {
    while (next_edge_ < before) {
        const Cycle edge = next_edge_;
        next_edge_ = window_.next_edge(edge);
        writer_->cycle(edge, {}, window_.records(edge));
    }
}

void Timeline::write(Cycle at, std::span<const observation::Event> events) {
    seen_ = at;
    pass_edges(at);
    if (next_edge_ == at) {
        next_edge_ = window_.next_edge(at);
    }
    writer_->cycle(at, selected(events), window_.records(at));
}

void Timeline::finish(Cycle at) {
    ended_ = true;
    pass_edges(at);
    writer_->end(at);
    error_ = file_.close();
}

} // namespace smsim::views::timeline
