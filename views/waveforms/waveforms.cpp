#include "views/waveforms/waveforms.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/error.h"

namespace smsim::views::waveforms {
namespace {

constexpr std::string_view kEnding = ".vcd";
/// The last line of a complete file.
constexpr const char *kLastWords = "end of the run";

/// One step is one cycle where VCD has such a unit; otherwise it is the resolution of SystemC, a picosecond.
void set_unit(sc_core::sc_trace_file &file, std::uint64_t period_ps) {
    for (const std::uint64_t unit : {1, 10, 100, 1'000, 10'000, 100'000}) {
        if (unit == period_ps) {
            file.set_time_unit(static_cast<double>(unit), sc_core::SC_PS);
        }
    }
}

/// Whether the file at `path` ends with the last words: SystemC does not report write errors.
bool is_complete(const std::string &path) {
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        return false;
    }
    std::string tail(256, '\0');
    std::fseek(file, -static_cast<long>(tail.size()), SEEK_END);
    tail.resize(std::fread(tail.data(), 1, tail.size(), file));
    std::fclose(file);
    return tail.find(kLastWords) != std::string::npos;
}

} // namespace

Waveforms::Waveforms(const sc_core::sc_module_name &name, const Request &request, const Config &config)
    : sc_module(name), path_(request.file), window_(request.window), clock_(config), signals_(config) {
    if (!path_.ends_with(kEnding)) {
        throw InputError(fmt::format("--vcd {}: the name must end in .vcd", path_));
    }
    std::FILE *probe = std::fopen(path_.c_str(), "wb");
    if (probe == nullptr) {
        throw InputError(fmt::format("{}: cannot be opened for writing: {}", path_, std::strerror(errno)));
    }
    std::fclose(probe);
    const std::string stem = path_.substr(0, path_.size() - kEnding.size());
    file_ = sc_core::sc_create_vcd_trace_file(stem.empty() ? "./" : stem.c_str()); // SystemC accepts any name
    file_->delta_cycles(false);
    set_unit(*file_, config.period_ps());
    SC_HAS_PROCESS(Waveforms);
    SC_METHOD(work);
    sensitive << event_;
}

Waveforms::~Waveforms() {
    if (file_ != nullptr) {
        sc_core::sc_close_vcd_trace_file(file_);
    }
}

void Waveforms::observe(Cycle, const observation::Event &event) {
    const Cycle at = observation::at(event);
    held_[at].events.push_back(event);
    if (const auto *control = std::get_if<observation::ControlExecuted>(&event)) {
        held_[control->until].branches_done.push_back(control->warp);
    }
    event_.notify(clock_.until(at));
}

void Waveforms::transfer(const Transfer &transfer, const sc_core::sc_time &delay) {
    const Cycle at = clock_.at(delay);
    held_[at].transfers.push_back(transfer);
    event_.notify(clock_.until(at));
}

void Waveforms::work() {
    if (sc_core::sc_pending_activity_at_current_time()) { // after everything else of this cycle
        next_trigger(sc_core::SC_ZERO_TIME);
        return;
    }
    const Cycle now = clock_.now();
    while (!held_.empty() && held_.begin()->first <= now) {
        Step step = std::move(held_.begin()->second);
        held_.erase(held_.begin());
        std::ranges::stable_sort(step.events, {}, [](const observation::Event &event) {
            return std::tuple(observation::warp_of(event), event.index());
        });
        std::ranges::stable_sort(step.transfers, {}, &Transfer::link);
        for (const WarpSlot warp : step.branches_done) {
            signals_.branch_done(warp);
        }
        for (const observation::Event &event : step.events) {
            signals_.apply(event);
        }
        for (const Transfer &transfer : step.transfers) {
            signals_.apply(transfer);
        }
    }
    if (window_.records(now)) {
        signals_.show();
    }
    if (sc_core::sc_pending_activity_at_future_time()) {
        const Cycle others = clock_.at(sc_core::sc_time_to_pending_activity());
        Cycle next = std::min(others, window_.next_edge(now));
        next = held_.empty() ? next : std::min(next, held_.begin()->first);
        event_.notify(clock_.until(next));
    }
}

std::string Waveforms::finish() {
    // The values of a time step are written when time advances.
    sc_core::sc_start(sc_core::sc_time::from_value(1), sc_core::SC_RUN_TO_TIME);
    sc_core::sc_write_comment(file_, kLastWords);
    sc_core::sc_close_vcd_trace_file(std::exchange(file_, nullptr));
    return is_complete(path_) ? std::string() : fmt::format("{}: could not be written completely", path_);
}

} // namespace smsim::views::waveforms
