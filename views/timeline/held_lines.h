// The lines of a Kanata log of the last cycles. They are held because a stage that is joined from several is named
// after the longest of them, and the format does not allow additions to past cycles.
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/types.h"
#include "views/timeline/text_file.h"

namespace smsim::views::timeline {

/// A stage of an instruction that waits: for one reason, or for several that were too short for separate stages.
class WaitingStage {
  public:
    struct Part {
        std::string_view name;
        Cycle cycles = 0;
    };

    WaitingStage(std::string_view name, Cycle at) : begin_(at) { enter(name, at); }
    /// From `at` on the instruction waits for `name`.
    void enter(std::string_view name, Cycle at) {
        close(at);
        const auto found = std::ranges::find(parts_, name, &Part::name);
        present_ = static_cast<std::size_t>(found - parts_.begin());
        if (found == parts_.end()) {
            parts_.push_back({name});
        }
        is_open_ = true;
    }
    /// The stage ends at `at`.
    void close(Cycle at) {
        count(at);
        is_open_ = false;
    }
    /// Accounts for everything until `at`.
    void count(Cycle at) {
        if (is_open_) {
            parts_[present_].cycles += at - since_;
        }
        since_ = at;
    }

    Cycle begin() const { return begin_; }
    const std::vector<Part> &parts() const { return parts_; }
    /// The name of the part with the most cycles, the first of several.
    std::string_view name() const { return std::ranges::max_element(parts_, {}, &Part::cycles)->name; }

  private:
    Cycle begin_;
    Cycle since_ = 0; ///< cycles before it are counted
    bool is_open_ = false;
    std::vector<Part> parts_;
    std::size_t present_ = 0; ///< of parts_
};

class HeldLines {
  public:
    explicit HeldLines(TextFile &file) : file_(file) {}

    /// What follows belongs to cycle `at`; writes the lines of cycles up to `at` - `hold`.
    void go_to(Cycle at, Cycle hold) {
        if (cycles_.empty() || cycles_.back().at != at) {
            cycles_.push_back({at, {}, {}});
        }
        while (cycles_.front().at + hold <= at && cycles_.size() > 1) {
            release(at);
        }
    }
    /// The cycle that the lines have reached; valid after the first `go_to`.
    Cycle now() const { return cycles_.back().at; }
    /// Appends to the current cycle; `format` is FMT_COMPILE("...").
    template <typename Format, typename... Args> void write(const Format &format, const Args &...args) {
        fmt::format_to(std::back_inserter(cycles_.back().text), format, args...);
    }
    /// The instruction `id` begins `stage` in the current cycle.
    void begin(std::uint64_t id, std::shared_ptr<WaitingStage> stage) {
        write(FMT_COMPILE("S\t{}\t0\t"), id);
        cycles_.back().stages.emplace_back(cycles_.back().text.size(), std::move(stage));
        write(FMT_COMPILE("\n"));
    }
    /// Writes everything.
    void finish() {
        while (!cycles_.empty()) {
            release(cycles_.back().at);
        }
    }

  private:
    struct CycleLines {
        Cycle at;
        std::string text;
        std::vector<std::pair<std::size_t, std::shared_ptr<WaitingStage>>> stages; ///< whose names belong at which
                                                                                   ///< place in `text`
    };
    void release(Cycle now) {
        CycleLines &lines = cycles_.front();
        if (!lines.text.empty()) {
            if (!written_) {
                file_.write(FMT_COMPILE("C=\t{}\n"), lines.at);
            } else if (lines.at > *written_) {
                file_.write(FMT_COMPILE("C\t{}\n"), lines.at - *written_);
            }
            written_ = lines.at;
            std::size_t done = 0;
            for (const auto &[place, stage] : lines.stages) {
                stage->count(now);
                file_.write(FMT_COMPILE("{}{}"), std::string_view(lines.text).substr(done, place - done),
                            stage->name());
                done = place;
            }
            file_.write(FMT_COMPILE("{}"), std::string_view(lines.text).substr(done));
        }
        cycles_.pop_front();
    }

    TextFile &file_;
    std::deque<CycleLines> cycles_;
    std::optional<Cycle> written_; ///< cycle that the file has reached
};

} // namespace smsim::views::timeline
