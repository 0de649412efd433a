// CTA dispatch alone: one bench replaces all parts, records what is reported to it, and answers when the test requires
// it.
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "model/config/config.h"
#include "sm/dispatch/cta_dispatch.h"

namespace smsim::sm {
namespace {

using protocol::LifecycleExtension;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kParts = 2;              // sub-partitions
constexpr unsigned kBru = 2 * kParts;       // index of the BRU among the parts
constexpr unsigned kBcu = 2 * kParts + 1;   // of the BCU
constexpr unsigned kTimer = 2 * kParts + 2; // of the sleep timer

Config bench_config() {
    Config config;
    config.sm.sub_partitions = kParts;
    config.bru.pipelines = kParts;
    config.sm.warps_per_sub_partition = 2;
    config.sm.max_ctas = 4;
    config.sm.max_threads = 128;
    return config;
}

Grid grid_of(std::array<std::uint32_t, 3> ctas, std::uint32_t threads) {
    Grid grid;
    grid.ctas = ctas;
    grid.threads = {threads, 1, 1};
    grid.entry = 0x40;
    grid.demand = {threads, 16, 256};
    return grid;
}

struct Message {
    unsigned part;
    Cycle effect;
    LifecycleExtension::Kind kind;
    WarpStart start;
};

/// A launch with CTA 1 of `grid` resident, the second of whose two warps has ended, and two CTAs after it.
MidFlight one_in_flight(const Config &config, const Grid &grid) {
    MidFlight from{CtaAllocator(config), {}, 2, 1};
    MidFlight::Cta &cta = from.ctas.emplace_back(MidFlight::Cta{1, *from.allocator.place(grid.demand), {}});
    cta.warps.resize(2);
    cta.warps[0].emplace();
    cta.warps[0]->pc = 0x120;
    from.allocator.free_warp(cta.place.warps[1], grid.demand);
    return from;
}

class Bench final : public sc_core::sc_module {
  public:
    Bench(const Config &config, const Grid &grid, const sc_core::sc_module_name &name = "bench",
          const MidFlight *from = nullptr, std::unique_ptr<CtaDistribution> distribution = nullptr)
        : sc_module(name),
          distributor("distributor", distribution ? std::move(distribution) : make_cta_distribution(config.sm)),
          clock(config) {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        dispatch = std::make_unique<CtaDispatch>("dispatch", config, distributor);
        for (unsigned i = 0; i < dispatch->parts.size(); ++i) {
            sinks_.push_back(
                std::make_unique<protocol::Target<protocol::LifecycleLink>>(sc_core::sc_gen_unique_name("sink")));
            sinks_.back()->on_request<&Bench::on_message>(this, i);
            dispatch->parts[i]->bind(*sinks_.back());
        }
        for (auto &target : dispatch->from_ibuffers) {
            sources_.push_back(
                std::make_unique<protocol::Initiator<protocol::LifecycleLink>>(sc_core::sc_gen_unique_name("source")));
            sources_.back()->bind(*target);
        }
        distributor.on_end([this] { ends.push_back(clock.now()); });
        dispatch->on_fault([this] { ends.push_back(clock.now()); });
        if (from != nullptr) {
            distributor.begin(grid, SmId(), *from);
        } else {
            distributor.begin(grid);
        }
    }

    void at(Cycle cycle, std::function<void()> action) { actions_.emplace(cycle, std::move(action)); }
    /// Reports at `cycle` that the warp in `slot` has executed EXIT, in effect one cycle later.
    void exit(Cycle cycle, unsigned slot, unsigned cta) {
        at(cycle, [=, this] { send(LifecycleExtension::Kind::kWarpExited, slot, cta); });
    }
    /// The same for its end.
    void end(Cycle cycle, unsigned slot, unsigned cta) {
        at(cycle, [=, this] { send(LifecycleExtension::Kind::kWarpEnded, slot, cta); });
    }
    void fault(Cycle cycle, unsigned slot, Cycle issued = 0) {
        at(cycle, [=, this] { send(LifecycleExtension::Kind::kFault, slot, 0, issued); });
    }
    void run() {
        if (!actions_.empty()) {
            event_.notify(clock.until(actions_.begin()->first));
        }
        sc_core::sc_start();
        EXPECT_EQ(pool_.in_use(), 0U);
    }
    /// "effect cta slots.." of the starts that the IBuffers saw, one text per CTA in order.
    std::vector<std::string> launches() const {
        std::vector<std::string> texts;
        std::uint64_t last = ~std::uint64_t{0};
        for (const Message &m : messages) {
            if (m.part >= kParts || m.kind != LifecycleExtension::Kind::kWarpStart) {
                continue;
            }
            if (m.start.cta_number != last) {
                texts.push_back(fmt::format("{}: {} in", m.effect, m.start.cta_number));
                last = m.start.cta_number;
            }
            texts.back() += fmt::format(" {}", m.start.warp.value());
        }
        return texts;
    }

    GridDistributor distributor;
    std::unique_ptr<CtaDispatch> dispatch;
    protocol::Clock clock;
    std::vector<Message> messages;
    std::vector<Cycle> ends;

  private:
    tlm::tlm_sync_enum on_message(unsigned part, protocol::LifecyclePayload &payload, tlm::tlm_phase &phase,
                                  sc_core::sc_time &delay) {
        EXPECT_EQ(phase, tlm::BEGIN_REQ);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        const auto *ext = protocol::extension_of(payload);
        messages.push_back({part, clock.at(delay), ext->kind, ext->start});
        EXPECT_EQ(ext->warp, ext->start.warp);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void send(LifecycleExtension::Kind kind, unsigned slot, unsigned cta, Cycle issued = 0) {
        protocol::LifecyclePayload &payload = pool_.acquire();
        auto *ext = protocol::extension_of(payload);
        ext->kind = kind;
        ext->warp = WarpSlot(slot);
        ext->cta = CtaSlot(cta);
        ext->raised.active = LaneMask(0x10U + slot);
        ext->raised.issued = issued;
        ext->fault = {Fault::kTrap, fmt::format("of slot {}", slot)};
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = clock.period();
        EXPECT_EQ((*sources_[slot % kParts])->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_TRUE(payload.is_response_ok());
        payload.release();
    }
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= clock.now()) {
            const auto action = actions_.begin()->second;
            actions_.erase(actions_.begin());
            action();
        }
        if (!actions_.empty()) {
            event_.notify(clock.until(actions_.begin()->first));
        }
    }

    std::vector<std::unique_ptr<protocol::Target<protocol::LifecycleLink>>> sinks_;
    std::vector<std::unique_ptr<protocol::Initiator<protocol::LifecycleLink>>> sources_;
    protocol::PayloadPool<LifecycleExtension> pool_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event event_;
};

TEST(CtaDispatch, OneCtaPerLaunchIntervalXFastest) {
    Config config = bench_config();
    config.sm.cta_launch_interval = 3;
    Bench bench(config, grid_of({2, 2, 2}, 32));
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 0 in 0", "4: 1 in 1", "7: 2 in 2", "10: 3 in 3"));
    std::vector<std::array<std::uint32_t, 3>> ids;
    for (const Message &m : bench.messages) {
        if (m.part == kBru) {
            ids.push_back(m.start.cta_id);
        }
    }
    using Id = std::array<std::uint32_t, 3>;
    EXPECT_THAT(ids, ElementsAre(Id{0, 0, 0}, Id{1, 0, 0}, Id{0, 1, 0}, Id{1, 1, 0}));
    EXPECT_FALSE(bench.distributor.finished());
    EXPECT_THAT(bench.ends, IsEmpty());
}

TEST(CtaDispatch, StartsTheCtaThatTheDistributionChooses) {
    Config config = bench_config();
    config.sm.cta_distribution = CtaDistributionKind::kLastFirst;
    Bench bench(config, grid_of({3, 2, 1}, 32));
    bench.end(50, 0, 0);
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 5 in 0", "2: 4 in 1", "3: 3 in 2", "4: 2 in 3", "52: 1 in 0"));
    EXPECT_EQ(bench.distributor.left(), 1U);
}

TEST(CtaDispatch, OnlyALaunchInOrderBeginsInTheMiddleOrIsExecutedElsewhere) {
    Config config = bench_config();
    config.sm.cta_distribution = CtaDistributionKind::kByTile;
    GridDistributor distributor("alone", make_cta_distribution(config.sm));
    const Grid grid = grid_of({4, 1, 1}, 64);
    EXPECT_THROW(distributor.begin(grid, SmId(), one_in_flight(config, grid)), std::logic_error);
    EXPECT_THROW(distributor.elsewhere([](std::uint64_t next, std::uint64_t) { return next; }), std::logic_error);
}

/// Hands out the first CTA again and again.
class TheSame final : public CtaDistribution {
  public:
    void begin(const std::array<std::uint32_t, 3> &, std::uint32_t) override {}
    std::uint64_t next(std::uint32_t) override { return 0; }
};

TEST(CtaDispatch, ADistributionThatHandsOutACtaTwiceEndsTheSimulation) {
    Bench bench(bench_config(), grid_of({4, 1, 1}, 32), "bench", nullptr, std::make_unique<TheSame>());
    try {
        bench.run();
        ADD_FAILURE() << "expected an error";
    } catch (const std::exception &error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("the policy has given CTA 0 of a grid of 4 to SM 0"));
    }
}

TEST(CtaDispatch, AWaitingCtaStartsTheRestartTimeAfterTheEndThatFreedItsResources) {
    Config config = bench_config();
    config.sm.cta_restart = 20;
    Bench bench(config, grid_of({6, 1, 1}, 32));
    bench.end(50, 0, 0);
    bench.end(53, 1, 1);
    bench.end(54, 2, 2);
    bench.run();
    // Each end becomes known a cycle later, and a start takes effect a cycle later.
    EXPECT_THAT(bench.launches(),
                ElementsAre("1: 0 in 0", "2: 1 in 1", "3: 2 in 2", "4: 3 in 3", "72: 4 in 0", "75: 5 in 1"));
}

TEST(CtaDispatch, TheFirstCtasDoNotWaitForTheRestartTime) {
    Config config = bench_config();
    config.sm.cta_restart = 500;
    config.sm.cta_launch_interval = 30;
    Bench bench(config, grid_of({3, 1, 1}, 32));
    bench.end(10, 0, 0);
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 0 in 0", "31: 1 in 0", "61: 2 in 1"));
}

TEST(CtaDispatch, WarpsOfACtaStartApartInEachSubPartitionLowestSlotFirst) {
    Config config = bench_config();
    config.sm.warp_start_interval = 3;
    Bench bench(config, grid_of({1, 1, 1}, 128));
    bench.run();
    std::vector<std::string> starts;
    for (const Message &m : bench.messages) {
        if (m.part < kParts) {
            starts.push_back(fmt::format("{}: {}", m.effect, m.start.warp.value()));
        }
    }
    EXPECT_THAT(starts, ElementsAre("1: 0", "1: 1", "4: 2", "4: 3"));
}

TEST(CtaDispatch, EveryPartConcernedIsNotifiedOfAWarpStart) {
    const Config config = bench_config();
    Bench bench(config, grid_of({1, 1, 1}, 64));
    bench.run();
    std::vector<std::pair<unsigned, unsigned>> told;
    for (const Message &m : bench.messages) {
        told.emplace_back(m.start.warp.value(), m.part);
    }
    // Warp slot 0 belongs to sub-partition 0 (IBuffer 0, datapath 2), slot 1 to sub-partition 1.
    EXPECT_THAT(told, ::testing::UnorderedElementsAre(std::pair(0, 0), std::pair(0, 2), std::pair(0, kBru),
                                                      std::pair(0, kBcu), std::pair(0, kTimer), std::pair(1, 1),
                                                      std::pair(1, 3), std::pair(1, kBru), std::pair(1, kBcu),
                                                      std::pair(1, kTimer)));
}

TEST(CtaDispatch, FieldsOfAWarpStart) {
    const Config config = bench_config();
    Bench bench(config, grid_of({3, 1, 1}, 33));
    bench.run();
    std::vector<WarpStart> starts;
    for (const Message &m : bench.messages) {
        if (m.part == kBcu) {
            starts.push_back(m.start);
        }
    }
    ASSERT_EQ(starts.size(), 4U);
    for (std::uint32_t i = 0; i < 4; ++i) {
        const WarpStart &s = starts[i];
        EXPECT_EQ(s.warp.value(), i);
        EXPECT_EQ(s.cta.value(), i / 2);
        EXPECT_EQ(s.cta_number, i / 2);
        EXPECT_EQ(s.warp_in_cta, i % 2);
        EXPECT_EQ(s.warps_in_cta, 2U);
        EXPECT_EQ(s.entry, 0x40U);
        EXPECT_EQ(s.age, i);
        EXPECT_EQ(s.registers, 16U);
        EXPECT_EQ(s.shared_base, 256U * (i / 2));
        EXPECT_EQ(s.shared_bytes, 256U);
        EXPECT_EQ(s.valid, i % 2 == 0 ? LaneMask::all() : LaneMask(0x1)) << "33 threads: the last warp has one";
    }
}

TEST(CtaDispatch, TheBarrierUnitIsNotifiedOfAnExitAtOnceAndOtherPartsOfTheEndThatFreesTheSlot) {
    const Config config = bench_config();
    Bench bench(config, grid_of({3, 1, 1}, 64));
    bench.exit(20, 1, 0);
    bench.end(50, 1, 0);
    bench.end(60, 0, 0); // in one cycle the exit goes first, whichever is reported first
    bench.exit(60, 0, 0);
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 0 in 0 1", "2: 1 in 2 3", "62: 2 in 0 1"));
    std::vector<std::string> told;
    for (const Message &m : bench.messages) {
        if (m.kind != LifecycleExtension::Kind::kWarpStart) {
            const bool ended = m.kind == LifecycleExtension::Kind::kWarpEnded;
            told.push_back(fmt::format("{} part {} slot {} {}", m.effect, m.part, m.start.warp.value(),
                                       ended ? "ended" : "exited"));
        }
    }
    EXPECT_THAT(told, ElementsAre("22 part 5 slot 1 exited", "52 part 3 slot 1 ended", "52 part 6 slot 1 ended",
                                  "62 part 5 slot 0 exited", "62 part 2 slot 0 ended", "62 part 6 slot 0 ended"));
    EXPECT_EQ(bench.dispatch->completed(), 1U);
}

TEST(CtaDispatch, TheLastWarpEndsTheRunInTheCycleInWhichItsEndTakesEffect) {
    const Config config = bench_config();
    Bench bench(config, grid_of({1, 1, 1}, 64));
    bench.end(40, 0, 0);
    bench.end(41, 1, 0);
    bench.run();
    EXPECT_TRUE(bench.distributor.finished());
    EXPECT_THAT(bench.ends, ElementsAre(42));
    EXPECT_FALSE(bench.dispatch->fault());
    std::vector<std::string> rows;
    for (const OccupancySample &s : bench.dispatch->occupancy().rows()) {
        rows.push_back(fmt::format("{}: {} {}", s.cycle, s.ctas, s.warps));
    }
    EXPECT_THAT(rows, ElementsAre("0: 1 2", "41: 1 1", "42: 0 0"));
}

/// The ends of two warps of different sub-partitions in one cycle, reported in this order.
std::vector<std::string> launches_after(unsigned first, unsigned second) {
    const Config config = bench_config();
    Bench bench(config, grid_of({8, 1, 1}, 32));
    bench.end(50, first, first);
    bench.end(50, second, second);
    bench.run();
    return bench.launches();
}
const char *const kAfterTwoExits[] = {"1: 0 in 0", "2: 1 in 1", "3: 2 in 2", "4: 3 in 3", "52: 4 in 1", "53: 5 in 2"};
TEST(CtaDispatch, ExitsOfOneCycleInWarpOrder) {
    EXPECT_THAT(launches_after(1, 2), ::testing::ElementsAreArray(kAfterTwoExits));
}
TEST(CtaDispatch, ExitsOfOneCycleInReverseOrderGiveTheSameLaunches) {
    EXPECT_THAT(launches_after(2, 1), ::testing::ElementsAreArray(kAfterTwoExits));
}

void expect_fault_of_slot_1(unsigned first, unsigned second) {
    const Config config = bench_config();
    Bench bench(config, grid_of({1, 1, 1}, 128));
    bench.fault(30, first);
    bench.fault(30, second);
    bench.fault(31, 0); // one cycle later: the run has ended
    bench.run();
    ASSERT_TRUE(bench.dispatch->fault());
    const RaisedFault &fault = *bench.dispatch->fault();
    EXPECT_EQ(fault.warp.value(), 1U);
    EXPECT_EQ(fault.report.fault, Fault::kTrap);
    EXPECT_EQ(fault.report.detail, "of slot 1");
    EXPECT_EQ(fault.at.active, LaneMask(0x11));
    EXPECT_EQ(fault.cycle, 30U);
    ASSERT_FALSE(bench.ends.empty());
    EXPECT_EQ(bench.ends.front(), 31U);
    EXPECT_FALSE(bench.distributor.finished());
}
TEST(CtaDispatch, OfFaultsInOneCycleTheLowestSlotIsReported) {
    expect_fault_of_slot_1(1, 2);
}
TEST(CtaDispatch, OfFaultsInOneCycleTheLowestSlotIsReportedInReverseOrder) {
    expect_fault_of_slot_1(2, 1);
}

void expect_fault_of_cycle_20(Cycle first, Cycle second) {
    const Config config = bench_config();
    Bench bench(config, grid_of({1, 1, 1}, 128));
    bench.fault(30, 1, first);
    bench.fault(30, 1, second);
    bench.run();
    ASSERT_TRUE(bench.dispatch->fault());
    EXPECT_EQ(bench.dispatch->fault()->at.issued, 20U);
}
TEST(CtaDispatch, OfTwoFaultsOfAWarpInOneCycleThatOfTheEarlierInstructionIsReported) {
    expect_fault_of_cycle_20(20, 30);
}
TEST(CtaDispatch, OfTwoFaultsOfAWarpInOneCycleThatOfTheEarlierInstructionIsReportedInReverseOrder) {
    expect_fault_of_cycle_20(30, 20);
}

TEST(CtaDispatch, NothingIsLaunchedAfterAFault) {
    Config config = bench_config();
    config.sm.cta_launch_interval = 20;
    Bench bench(config, grid_of({4, 1, 1}, 32));
    bench.fault(30, 0);
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 0 in 0", "21: 1 in 1"));
}

// CTA 1 continues with only its first warp, in its place; CTA 2 begins next to it, and CTA 3 when one of them has
// ended.
TEST(CtaDispatchInMidFlight, ResidentsGoOnAndTheOthersFollow) {
    Config config = bench_config();
    config.sm.max_ctas = 2;
    const Grid grid = grid_of({4, 1, 1}, 64);
    const MidFlight from = one_in_flight(config, grid);
    Bench bench(config, grid, "bench", &from);
    bench.end(20, 0, 0);
    bench.run();
    EXPECT_THAT(bench.launches(), ElementsAre("1: 1 in 0", "1: 2 in 1 2", "22: 3 in 0 3"));
    const WarpStart &start = bench.messages.front().start;
    EXPECT_EQ(start.entry, 0x120U);
    EXPECT_EQ(start.resume, &*from.ctas[0].warps[0]);
    EXPECT_EQ(start.warps_in_cta, 2U);
    EXPECT_EQ(bench.messages.back().start.entry, 0x40U);
    EXPECT_EQ(bench.messages.back().start.resume, nullptr);
    EXPECT_EQ(bench.distributor.completed_ctas(), 2U) << "one before";
    EXPECT_EQ(bench.dispatch->completed(), 1U) << "and one here";
}

} // namespace
} // namespace smsim::sm
