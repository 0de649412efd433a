#include "cosim/transactions/bench.h"

#include <algorithm>

#include <fmt/format.h>

#include "cosim/transactions/listing.h"
#include "model/config/config.h"
#include "model/error.h"

namespace smsim::cosim::transactions {
namespace {

constexpr const char *kThere = "replayed";

} // namespace

// --- Ending --------------------------------------------------------------------------------------------------------

void Ending::differs(Difference difference) {
    if (!ended()) {
        difference_ = std::move(difference);
        sc_core::sc_pause();
    }
}

void Ending::fails(std::exception_ptr error) {
    if (!ended()) {
        error_ = std::move(error);
        sc_core::sc_pause();
    }
}

void Ending::part_done() {
    if (--left_ == 0) {
        sc_core::sc_pause();
    }
}

void Ending::rethrow() const {
    if (error_) {
        std::rethrow_exception(error_);
    }
}

// --- sending -------------------------------------------------------------------------------------------------------

Bench::Bench(const sc_core::sc_module_name &name, const Config &config, const File &file, Part part, Ending &ending)
    : sc_module(name), config_(config), file_(file), part_(part), ending_(ending), clock_(config),
      stream_(file.stream(part)), check_(config, part),
      serial_(config.rtl.stall_percent != 0 && (part == Part::kBru || part == Part::kBcu)) {
    result_.part = part;
    SC_METHOD(step);
    sensitive << event_;
}

Bench::~Bench() = default;

void Bench::step() {
    if (ending_.ended() || done_) {
        return;
    }
    try {
        advance();
    } catch (...) { // SystemC would turn it into another exception
        ending_.fails(std::current_exception());
    }
}

void Bench::advance() {
    while (fetch()) {
        const Record &record = *next_;
        const bool told_before = std::holds_alternative<Event>(record) || std::holds_alternative<Start>(record);
        const bool is_request =
            std::holds_alternative<Event>(record) && std::get<Event>(record).kind == Event::Kind::kRequest;
        const Cycle at = cycle_of(record);
        const Cycle sent = told_before && !is_request ? at - std::min<Cycle>(at, 1) : at;
        if (!may_send(sent)) {
            return; // until the next event of the part
        }
        const Cycle present = now();
        slip_ = std::max(slip_, present - std::min(present, sent));
        if (sent + slip_ > present) {
            event_.notify(clock_.until(sent + slip_));
            return;
        }
        if (!send(record)) {
            return;
        }
        next_.reset();
        if (ending_.ended()) {
            return;
        }
    }
    if (exhausted_ && expected_cycles_.empty() && due_.empty()) {
        finish();
    }
}

/// Whether there is a record to send. Notes, on the way, the events that the part must report.
bool Bench::fetch() {
    while (!next_ && !exhausted_) {
        next_ = stream_.next();
        if (!next_) {
            exhausted_ = true;
            break;
        }
        if (const auto error = check_.error(*next_)) {
            throw InputError(fmt::format("{}: {} {}: {}", file_.name(), part_name(part_), stream_.number(), *error));
        }
        ++result_.records;
        if (const auto *event = std::get_if<Event>(&*next_); event != nullptr && is_output(event->kind)) {
            expect(*event);
            next_.reset();
        }
    }
    return next_.has_value();
}

/// Whether everything recorded up to cycle `sent` has arrived.
bool Bench::may_send(Cycle sent) const {
    return (expected_cycles_.empty() || *expected_cycles_.begin() > sent) &&
           (due_.empty() || (!serial_ && due_.begin()->first > sent));
}

Bench::Flight &Bench::begin(const Payload &payload) {
    auto &flight = flights_[&payload];
    flight = std::make_unique<Flight>(Flight{*next_, stream_.number(), now()});
    std::visit(
        [&](const auto &record) {
            if constexpr (requires { record.answer; }) {
                if (record.answer) {
                    due_.emplace(record.answer->at, flight.get());
                }
            }
        },
        flight->record);
    return *flight;
}

Bench::Flight &Bench::flight_of(const Payload &payload) {
    return *flights_.at(&payload);
}

// --- answers and events --------------------------------------------------------------------------------------------

void Bench::answered(const Payload &payload, Cycle effect, const std::string &text) {
    const auto found = flights_.find(&payload);
    const std::unique_ptr<Flight> flight = std::move(found->second);
    flights_.erase(found);
    const auto due = std::ranges::find(due_, flight.get(), &decltype(due_)::value_type::second);
    if (due == due_.end() || ending_.ended()) {
        return; // the recording ended before its answer
    }
    const Cycle recorded = due->first;
    due_.erase(due);
    if (!text.empty()) {
        differs(flight->number, &flight->record, effect, text);
        return;
    }
    count(flight->record, recorded + (flight->sent - cycle_of(flight->record)), effect);
    slip_ = std::max(slip_, effect - std::min(effect, recorded));
    go_on();
}

void Bench::count(const Record &record, Cycle recorded, Cycle here) {
    const std::string operation = operation_of(record);
    ++result_.answers[operation];
    ++result_.cycles_apart[operation][static_cast<std::int64_t>(here - recorded)];
}

void Bench::expect(const Event &event) {
    const Source source(event.kind, event.warp);
    const Expected expected{stream_.number(), event};
    std::deque<Early> &early = early_[source];
    if (early.empty()) {
        expected_[source].push_back(expected);
        expected_cycles_.insert(event.at);
        return;
    }
    const Early one = early.front();
    early.pop_front();
    match(expected, one.effect, one.cycles);
}

void Bench::told(Event::Kind kind, WarpSlot warp, Cycle effect, Cycle cycles) {
    if (ending_.ended()) {
        return;
    }
    const Source source(kind, warp);
    std::deque<Expected> &expected = expected_[source];
    if (expected.empty()) {
        early_[source].push_back({effect, cycles});
        return;
    }
    const Expected one = expected.front();
    expected.pop_front();
    expected_cycles_.erase(expected_cycles_.find(one.event.at));
    match(one, effect, cycles);
    go_on();
}

void Bench::match(const Expected &expected, Cycle effect, Cycle cycles) {
    const Record record = expected.event;
    if (cycles != expected.event.cycles && !serial_) {
        differs(expected.number, &record, effect,
                field_difference("cycles", std::to_string(expected.event.cycles), kThere, std::to_string(cycles)));
        return;
    }
    count(record, expected.event.at + slip_, effect);
    const Cycle recorded = expected.event.at + expected.event.cycles; // of a timer request: when it must expire
    const Cycle here = effect + cycles;
    slip_ = std::max({slip_, effect - std::min(effect, expected.event.at), here - std::min(here, recorded)});
}

void Bench::differs(std::uint64_t number, const Record *record, Cycle cycle, std::string text) {
    ending_.differs({part_, number, cycle, std::move(text), record != nullptr ? text_of(*record) : ""});
}

// --- the end -------------------------------------------------------------------------------------------------------

/// Everything recorded has been sent and has arrived. Any other event reported by then is a difference.
void Bench::finish() {
    done_ = true;
    for (const auto &[source, early] : early_) {
        for (const Early &one : early) {
            if (one.effect <= file_.last() + slip_) {
                differs(result_.records - 1, nullptr, one.effect,
                        field_difference(fmt::format("{} of warp {}", event_name(source.first), source.second.value()),
                                         "none", kThere, "one"));
                return;
            }
        }
    }
    ending_.part_done();
}

std::optional<Difference> Bench::missing(Cycle cycle) const {
    if (done_) {
        return std::nullopt;
    }
    std::optional<Difference> found;
    Cycle first = kNever;
    if (!due_.empty() && due_.begin()->first + slip_ <= cycle) {
        const auto &[at, flight] = *due_.begin();
        first = at;
        found = Difference{part_, flight->number, at + slip_,
                           field_difference("answer", fmt::format("in cycle {}", at), kThere, "none"),
                           text_of(flight->record)};
    }
    for (const auto &[source, expected] : expected_) {
        if (expected.empty() || expected.front().event.at >= first || expected.front().event.at + slip_ > cycle) {
            continue;
        }
        const Expected &one = expected.front();
        first = one.event.at;
        found =
            Difference{part_, one.number, first + slip_,
                       field_difference(event_name(source.first), "one", kThere, "none"), text_of(Record(one.event))};
    }
    return found;
}

std::unique_ptr<Bench> make_bench(Part part, const Config &config, const File &file, const sm::PartFactory &factory,
                                  Ending &ending) {
    switch (part) {
    case Part::kBru:
        return make_bru_bench(config, file, factory, ending);
    case Part::kBcu:
        return make_bcu_bench(config, file, factory, ending);
    case Part::kTimer:
        return make_timer_bench(config, file, factory, ending);
    case Part::kShared:
        break;
    }
    return make_shared_bench(config, file, factory, ending);
}

} // namespace smsim::cosim::transactions
