// What the formats of a timeline have in common: they follow the SM through all cycles, and show the recorded ones.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "model/observation/observer.h"
#include "model/program/program.h"
#include "model/stats/utilisation.h"
#include "views/timeline/joining.h"
#include "views/timeline/text_file.h"
#include "views/timeline/window.h"

namespace smsim {
struct Config;
}

namespace smsim::views::timeline {

/// What a timeline shows about its run. References must outlive the writer.
struct Subject {
    const Config &config;
    const Program &program;
    std::string kernel{};
    std::string configuration{}; ///< the effective configuration, as one line of text
};

/// One format.
class Writer {
  public:
    virtual ~Writer() = default;
    /// The events of cycle `at`, in the order of EventReader. `recorded`: whether this cycle is shown; if it differs
    /// from the call before, what is under way is closed or opened at `at`. Called at least for each cycle with an
    /// event and for each edge of the window.
    virtual void cycle(Cycle at, std::span<const observation::Event> events, bool recorded) = 0;
    /// How much of each unit was in use in a launch, as in Observer::used.
    virtual void used(Cycle begin, Cycle cycles, const UnitUses &units) = 0;
    /// Closes everything open at cycle `at`, and completes the file's syntax.
    virtual void end(Cycle at) = 0;
    /// A message about what has been left out to keep the file from growing too large; empty: nothing.
    virtual std::string left_out() const { return {}; }
};

/// Trace Event Format (JSON), as Perfetto and chrome://tracing read it; docs/traces.md describes its tracks.
std::unique_ptr<Writer> make_chrome_writer(TextFile &file, const Subject &subject, const Window &window,
                                           const Joining &joining);
/// Kanata log, version 0004, as Konata reads it.
std::unique_ptr<Writer> make_kanata_writer(TextFile &file, const Subject &subject, const Joining &joining);

} // namespace smsim::views::timeline
