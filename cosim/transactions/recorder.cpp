#include "cosim/transactions/recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cosim/transactions/extract.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"

namespace smsim::cosim::transactions {

using protocol::LifecycleExtension;
using sc_core::sc_time;

namespace {

std::ofstream opened(const std::string &path) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    if (!stream) {
        throw InputError(path + ": cannot be opened for writing the transactions");
    }
    return stream;
}

/// Whether the name of a link begins with `name`: "branch_3" is one of "branch_".
bool is(const std::string &link, std::string_view name) {
    return link.starts_with(name);
}

} // namespace

Recorder::Recorder(const std::string &path, const Config &config, sm::LinkBinder *next)
    : path_(path), stream_(opened(path)), writer_(stream_, dump_config(config)), clock_(config), next_(next),
      executed_(config.warps()) {}

Recorder::~Recorder() = default;

// --- links ---------------------------------------------------------------------------------------------------------

template <typename Traits>
void Recorder::tap(tlm::tlm_initiator_socket<64, Traits> &initiator, sm::LinkTarget<Traits> &target,
                   const std::string &link, typename LinkTap<Traits>::Told requested,
                   typename LinkTap<Traits>::Told answered) {
    auto tap = std::make_unique<LinkTap<Traits>>(fmt::format("tap_{}", taps_.size()).c_str(), std::move(requested),
                                                 std::move(answered));
    pass<Traits>(initiator, tap->from_initiator, link);
    tap->to_target.bind(target);
    taps_.push_back(std::move(tap));
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::BranchLink> &initiator,
                    sm::LinkTarget<protocol::BranchLink> &target, const std::string &link) {
    tap<protocol::BranchLink>(
        initiator, target, link,
        [this](protocol::BranchPayload &payload, const sc_time &delay) {
            requested(Part::kBru, payload, branch_of(clock_.at(delay), payload.extension()));
        },
        [this](protocol::BranchPayload &payload, const sc_time &delay) {
            const auto &request = payload.extension();
            if (Record *const record = answered(payload)) {
                auto &branch = std::get<Branch>(*record);
                branch.answer = answer_of(clock_.at(delay), payload, request);
                auto &told = executed_.at(request.warp.value());
                if (told && told->pc == request.insn->pc && !branch.answer->fault) {
                    branch.answer->told = detail_of(*told);
                }
                told.reset();
            }
        });
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::BarrierLink> &initiator,
                    sm::LinkTarget<protocol::BarrierLink> &target, const std::string &link) {
    tap<protocol::BarrierLink>(
        initiator, target, link,
        [this](protocol::BarrierPayload &payload, const sc_time &delay) {
            requested(Part::kBcu, payload, barrier_of(clock_.at(delay), payload.extension()));
        },
        [this](protocol::BarrierPayload &payload, const sc_time &delay) {
            if (Record *const record = answered(payload)) {
                std::get<Barrier>(*record).answer = answer_of(clock_.at(delay), payload, payload.extension());
            }
        });
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::TimerLink> &initiator,
                    sm::LinkTarget<protocol::TimerLink> &target, const std::string &link) {
    const bool expiry = is(link, "expiry");
    tap<protocol::TimerLink>(initiator, target, link,
                             [this, expiry](protocol::TimerPayload &payload, const sc_time &delay) {
                                 const auto &message = payload.extension();
                                 const Event::Kind kind = expiry ? Event::Kind::kExpiry : Event::Kind::kRequest;
                                 const Cycle at = expiry ? effect(delay) : clock_.at(delay);
                                 for (const Part part : {Part::kBru, Part::kTimer}) {
                                     event(part, kind, message.warp, at, expiry ? 0 : message.cycles);
                                 }
                             });
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::WakeLink> &initiator,
                    sm::LinkTarget<protocol::WakeLink> &target, const std::string &link) {
    const Part part = is(link, "sleep_wake") ? Part::kBru : Part::kBcu;
    tap<protocol::WakeLink>(initiator, target, link,
                            [this, part](protocol::WakePayload &payload, const sc_time &delay) {
                                event(part, Event::Kind::kWake, payload.extension().warp, clock_.at(delay));
                            });
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::LifecycleLink> &initiator,
                    sm::LinkTarget<protocol::LifecycleLink> &target, const std::string &link) {
    for (const auto &[name, part] : {std::pair("dispatch_to_bru", Part::kBru), std::pair("dispatch_to_bcu", Part::kBcu),
                                     std::pair("dispatch_to_timer", Part::kTimer)}) {
        if (link == name) {
            tap<protocol::LifecycleLink>(initiator, target, link,
                                         [this, of = part](protocol::LifecyclePayload &payload, const sc_time &delay) {
                                             on_lifecycle(of, payload, delay);
                                         });
            return;
        }
    }
    pass(initiator, target, link);
}

void Recorder::join(tlm::tlm_initiator_socket<64, protocol::MemoryLink> &initiator,
                    sm::LinkTarget<protocol::MemoryLink> &target, const std::string &link) {
    if (link != "shared") {
        pass(initiator, target, link);
        return;
    }
    tap<protocol::MemoryLink>(
        initiator, target, link,
        [this](Payload &payload, const sc_time &delay) {
            requested(Part::kShared, payload, access_of(clock_.at(delay), payload));
        },
        [this](Payload &payload, const sc_time &delay) {
            if (Record *const record = answered(payload)) {
                std::get<Access>(*record).answer = answer_of(clock_.at(delay), payload);
            }
        });
}

// --- notifications -------------------------------------------------------------------------------------------------

void Recorder::on_lifecycle(Part part, const protocol::LifecyclePayload &payload, const sc_time &delay) {
    const auto &message = payload.extension();
    using Kind = LifecycleExtension::Kind;
    const bool starts = message.kind == Kind::kWarpStart;
    const Cycle at = effect(delay);
    if (part == Part::kTimer) {
        if (starts || message.kind == Kind::kWarpEnded) {
            event(part, Event::Kind::kStop, starts ? message.start.warp : message.warp, at);
        }
    } else if (starts) {
        const WarpStart &start = message.start;
        hold(part, Start{at, start.warp, start.entry, start.code_bytes, start.valid, start.cta, start.cta_number,
                         start.warp_in_cta, start.warps_in_cta});
    } else if (message.kind == Kind::kWarpExited && part == Part::kBcu) {
        event(part, Event::Kind::kExit, message.warp, at);
    }
}

void Recorder::observe(Cycle, const observation::Event &event) {
    if (const auto *executed = std::get_if<observation::ControlExecuted>(&event)) {
        executed_.at(executed->warp.value()) = *executed;
    }
}

void Recorder::event(Part part, Event::Kind kind, WarpSlot warp, Cycle at, Cycle cycles) {
    hold(part, Event{at, kind, warp, cycles});
}

Recorder::Rows::iterator Recorder::hold(Part part, Record record, bool waits) {
    advance();
    const Key key{cycle_of(record), rank_of(record), warp_of(record), order_++};
    return held_[static_cast<std::size_t>(part)].emplace(key, Held{std::move(record), clock_.now(), waits, 0}).first;
}

void Recorder::requested(Part part, const Payload &payload, Record record) {
    flights_[&payload] = {part, hold(part, std::move(record), true)};
}

Record *Recorder::answered(const Payload &payload) {
    advance();
    const auto flight = flights_.find(&payload);
    if (flight == flights_.end()) {
        return nullptr;
    }
    Held &held = flight->second.row->second;
    held.waits = false;
    held.answer_told = clock_.now();
    flights_.erase(flight);
    return &held.record;
}

// --- writing -------------------------------------------------------------------------------------------------------

void Recorder::advance() {
    const Cycle now = clock_.now();
    if (now == reached_) {
        return;
    }
    reached_ = now;
    for (std::size_t part = 0; part < kParts; ++part) {
        Rows &rows = held_[part];
        while (!rows.empty() && rows.begin()->first.at < now && !rows.begin()->second.waits) {
            writer_.add(static_cast<Part>(part), rows.begin()->second.record);
            rows.erase(rows.begin());
        }
    }
}

std::string Recorder::finish() {
    if (std::exchange(finished_, true)) {
        return "";
    }
    const Cycle now = clock_.now();
    for (std::size_t part = 0; part < kParts; ++part) {
        for (auto &[key, held] : held_[part]) {
            if (held.told == now) {
                continue;
            }
            if (held.answer_told == now) {
                std::visit(
                    [](auto &record) {
                        if constexpr (requires { record.answer; }) {
                            record.answer.reset();
                        }
                    },
                    held.record);
            }
            writer_.add(static_cast<Part>(part), held.record);
        }
        held_[part].clear();
    }
    flights_.clear();
    const bool full = writer_.is_full();
    writer_.finish(now == 0 ? 0 : now - 1);
    stream_.close();
    if (!stream_) {
        return path_ + ": the transactions could not be written completely";
    }
    return full ? fmt::format("{}: the transactions have reached {} MiB, the most that a file holds; what followed "
                              "is left out",
                              path_, kMostFileBytes >> 20)
                : "";
}

} // namespace smsim::cosim::transactions
