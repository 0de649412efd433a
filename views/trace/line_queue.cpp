#include "views/trace/line_queue.h"

#include <algorithm>
#include <utility>

namespace smsim::views {

void LineQueue::add(const sm::ExecutedInstruction &instruction, std::string text) {
    const Place place = place_of(instruction);
    if (!expected_.empty()) [[unlikely]] {
        std::erase(expected_, place);
    }
    lines_.push_back({place, std::move(text)});
}

void LineQueue::expect(const sm::ExecutedInstruction &instruction) {
    expected_.push_back(place_of(instruction));
}

void LineQueue::write(std::ostream &out, Cycle end) {
    Place to{end, WarpSlot(), 0};
    for (const Place &place : expected_) {
        to = std::min(to, place);
    }
    write_before(out, to);
}

void LineQueue::write_rest(std::ostream &out, Cycle end) {
    expected_.clear();
    write_before(out, {end, WarpSlot(), 0});
}

void LineQueue::write_before(std::ostream &out, const Place &end) {
    std::ranges::sort(lines_, {}, &Line::place);
    const auto last = std::ranges::lower_bound(lines_, end, {}, &Line::place);
    for (auto line = lines_.begin(); line != last; ++line) {
        out << line->text;
    }
    lines_.erase(lines_.begin(), last);
}

} // namespace smsim::views
