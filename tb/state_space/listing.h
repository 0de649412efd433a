// Assembly text under construction: lines with labels, and where diverged threads reconverge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace smsim::state_space {

class Listing {
  public:
    using Label = std::size_t;
    /// Where threads continue after a line: the next line, the label as well (kBranch), only the label (kJump), or
    /// nowhere (kEnd).
    enum class Flow : std::uint8_t { kOn, kBranch, kJump, kEnd };

    template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
        lines_.push_back({fmt::format(format, std::forward<Args>(args)...), {}, Flow::kOn});
    }
    /// A line that ends with a label.
    void to(Flow flow, std::string text, Label target) { lines_.push_back({std::move(text), target, flow}); }
    /// The last line of a kernel or function.
    void end(std::string text) { lines_.push_back({std::move(text), {}, Flow::kEnd}); }
    Label label();
    /// `label` is the next line.
    void place(Label label) { places_[label] = lines_.size(); }
    /// Lines so far.
    std::size_t size() const { return lines_.size(); }

    /// For simt_stack: in the lines from `begin` on, whose last is the only end, inserts a SETRPC before each branch
    /// and a JOIN before its immediate post-dominator, to which the label then refers.
    void reconverge(std::size_t begin);

    std::string text() const;

  private:
    struct Line {
        std::string text;
        std::optional<Label> target; ///< written after the text
        Flow flow = Flow::kOn;
    };
    std::vector<std::size_t> immediate_post_dominators(std::size_t begin) const;

    std::vector<Line> lines_;
    std::vector<std::size_t> places_; ///< by label
};

} // namespace smsim::state_space
