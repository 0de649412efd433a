// The timeline of a run (`smsim run --timeline`): an observer of the parts that writes a file in one of two formats.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/observation/observer.h"
#include "views/timeline/event_order.h"
#include "views/timeline/text_file.h"
#include "views/timeline/window.h"
#include "views/timeline/writer.h"

namespace smsim::views::timeline {

enum class Format : unsigned char { kChrome, kKanata };

/// The format that the extension of `path` names: .json is Chrome's, .kanata or .log Konata's, optionally followed by
/// .txt; otherwise nothing.
std::optional<Format> format_of(const std::string &path);

/// What to write and where.
struct Request {
    std::string file;
    Format format = Format::kChrome;
    Window window;
    NumberRange ctas;
    NumberRange warps; ///< slots
    NumberRange sub_partitions;
    std::optional<Cycle> min_cycles; ///< anything shorter is joined (Joining); none: grows with the file
};

class Timeline final : public observation::Observer {
  public:
    /// Creates the file and writes its beginning. Throws InputError when it cannot be created.
    Timeline(const Request &request, const Subject &subject);
    /// Ends the file at the last cycle seen if the run has not reported its end.
    ~Timeline() override;

    void observe(Cycle now, const observation::Event &event) override { order_.observe(now, event); }
    void end(Cycle end) override { order_.end(end); }
    void used(Cycle begin, Cycle cycles, const UnitUses &units) override { writer_->used(begin, cycles, units); }
    /// Whether the file can take no more: nothing recorded from now on would be kept.
    bool failed() const { return file_.failed(); }
    /// Call after the end: a message with path and cause when the file is not complete; empty: no error.
    const std::string &error() const { return error_; }
    /// Call after the end: a message with path about what was left out because the file grew too large; empty:
    /// nothing.
    std::string left_out() const;

  private:
    /// The recipient of the ordered events, to which the writer is attached.
    struct Reader final : EventReader {
        explicit Reader(Timeline &timeline) : owner(timeline) {}
        void cycle(Cycle at, std::span<const observation::Event> events) override { owner.write(at, events); }
        void end(Cycle at) override { owner.finish(at); }
        Timeline &owner;
    };
    void write(Cycle at, std::span<const observation::Event> events);
    void finish(Cycle at);
    std::span<const observation::Event> selected(std::span<const observation::Event> events);
    void pass_edges(Cycle before);

    std::string path_;
    Window window_;
    NumberRange ctas_;
    TextFile file_;
    Reader reader_;
    EventOrder order_;
    std::unique_ptr<Writer> writer_;
    std::vector<bool> is_slot_;     ///< by warp slot: it is recorded
    bool is_all_;                   ///< all CTAs in all slots are
    std::vector<bool> is_selected_; ///< by warp slot: its current warp is recorded
    std::vector<observation::Event> kept_;
    Cycle next_edge_ = 0;
    Cycle seen_ = 0;
    bool ended_ = false;
    std::string error_;
};

} // namespace smsim::views::timeline
