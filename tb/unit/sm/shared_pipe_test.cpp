// An execution pipe that the sub-partitions share: when instructions enter it and when their results come.
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "model/config/config.h"
#include "sm/shared_pipe/shared_pipe.h"

namespace smsim::sm {
namespace {

using isa::Op;
using protocol::IssueExtension;
using ::testing::ElementsAre;

using Payload = protocol::IssuePayload;

Config figures() {
    Config config;
    config.pipes.fp64_per_sm = true;
    config.pipes.fp64 = {48, 16};
    config.pipes.fp64_fma = 6;
    config.pipes.fp64_queue = 3;
    return config;
}

/// One instruction and its outcome.
struct Job {
    isa::Instruction insn;
    unsigned from = 0;
    tlm::tlm_sync_enum accepted = tlm::TLM_COMPLETED;
    Cycle end_req = 0;  ///< when a withheld END_REQ takes effect
    Cycle answered = 0; ///< when the result arrives
};

/// Plays the datapaths of four sub-partitions.
class Bench final : public sc_core::sc_module {
  public:
    /// `calls_first`: in a time step the datapaths run before the unit.
    explicit Bench(const Config &config, bool calls_first = true, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), clock(config) {
        if (calls_first) {
            make_process();
        }
        unit = std::make_unique<SharedPipe>("unit", config, isa::Unit::kFp64);
        if (!calls_first) {
            make_process();
        }
        for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
            datapaths_.push_back(
                std::make_unique<protocol::Initiator<protocol::IssueLink>>(sc_core::sc_gen_unique_name("datapath")));
            datapaths_.back()->on_response<&Bench::on_response>(this, i);
            datapaths_.back()->bind(*unit->datapaths[i]);
        }
    }

    /// Issues `op` from sub-partition `from` at cycle `at`; those of one cycle in the order of these calls.
    Job &add(Cycle at, unsigned from, Op op = Op::kDadd) {
        Job &job = jobs_.emplace_back();
        job.insn.op = op;
        job.insn.unit = isa::Unit::kFp64;
        job.from = from;
        due_.emplace(at, &job);
        return job;
    }
    void run() {
        event_.notify(clock.until(due_.begin()->first));
        sc_core::sc_start(clock.span(2000));
        EXPECT_EQ(pool_.in_use(), 0U);
    }
    /// Cycles of the results, by job.
    std::vector<Cycle> results() const {
        std::vector<Cycle> cycles;
        for (const Job &job : jobs_) {
            cycles.push_back(job.answered);
        }
        return cycles;
    }

    protocol::Clock clock;
    std::unique_ptr<SharedPipe> unit;

  private:
    void make_process() {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
    }
    void step() {
        for (; !due_.empty() && due_.begin()->first == clock.now(); due_.erase(due_.begin())) {
            Job &job = *due_.begin()->second;
            Payload &payload = pool_.acquire();
            auto &ext = *protocol::extension_of(payload);
            ext.insn = &job.insn;
            ext.warp = WarpSlot(job.from);
            open_[&payload] = &job;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            job.accepted = (*datapaths_[job.from])->nb_transport_fw(payload, phase, delay);
            EXPECT_EQ(phase, job.accepted == tlm::TLM_UPDATED ? tlm::END_REQ : tlm::BEGIN_REQ);
        }
        if (!due_.empty()) {
            event_.notify(clock.until(due_.begin()->first));
        }
    }
    tlm::tlm_sync_enum on_response(unsigned from, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        Job &job = *open_.at(&payload);
        EXPECT_EQ(job.from, from);
        EXPECT_GT(clock.at(delay), clock.now());
        if (phase == tlm::END_REQ) {
            job.end_req = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_TRUE(payload.is_response_ok());
        job.answered = clock.at(delay);
        payload.release();
        return tlm::TLM_COMPLETED;
    }

    protocol::PayloadPool<IssueExtension> pool_;
    std::vector<std::unique_ptr<protocol::Initiator<protocol::IssueLink>>> datapaths_;
    std::deque<Job> jobs_;
    std::multimap<Cycle, Job *> due_;
    std::map<const Payload *, Job *> open_;
    sc_core::sc_event event_;
};

TEST(SharedPipe, TheResultOfASingleInstructionTakesItsLatency) {
    Bench bench(figures());
    const Job &sum = bench.add(10, 0);
    bench.add(100, 3, Op::kDfma);
    bench.run();
    EXPECT_EQ(sum.accepted, tlm::TLM_UPDATED);
    EXPECT_THAT(bench.results(), ElementsAre(10 + 48, 100 + 54));
}

TEST(SharedPipe, OneInstructionEntersPerIntervalForAllSubPartitions) {
    Bench bench(figures());
    bench.add(10, 0);
    bench.add(11, 0);
    bench.add(12, 1);
    bench.add(40, 2);
    bench.run();
    // The other queues have their turns before the first queue's second instruction.
    EXPECT_THAT(bench.results(), ElementsAre(58, 58 + 48, 58 + 16, 58 + 32));
}

TEST(SharedPipe, AFullQueueWithholdsEndReqUntilAnInstructionLeavesIt) {
    Bench bench(figures());
    bench.add(10, 0); // enters at 11
    bench.add(11, 0);
    const Job &third = bench.add(12, 0);
    const Job &fourth = bench.add(13, 0); // the queue of three is full until its next one enters, at 43
    const Job &other = bench.add(14, 1);  // other queues are not; enters at 27
    bench.run();
    EXPECT_EQ(third.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(fourth.accepted, tlm::TLM_ACCEPTED);
    EXPECT_EQ(other.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(fourth.end_req, 43 + 1U);
    EXPECT_EQ(third.end_req, 0U);
    EXPECT_THAT(bench.results(), ElementsAre(58, 58 + 32, 58 + 48, 58 + 64, 58 + 16));
}

TEST(SharedPipe, ALatencyOfOneCycleIsTwo) {
    Config config = figures();
    config.pipes.fp64 = {1, 1};
    Bench bench(config);
    bench.add(10, 0);
    bench.run();
    EXPECT_THAT(bench.results(), ElementsAre(12));
}

/// Results of many requests, four in most cycles: independent of the order of calls in a cycle, and of processes.
std::vector<Cycle> of_a_crowd(bool ascending, bool calls_first) {
    Config config = figures();
    config.pipes.fp64 = {7, 2};
    config.pipes.fp64_queue = 40;
    Bench bench(config, calls_first);
    std::vector<Cycle> results(4 * 20);
    for (Cycle cycle = 10; cycle < 30; ++cycle) {
        for (unsigned k = 0; k < 4; ++k) {
            bench.add(cycle, ascending ? k : 3 - k);
        }
    }
    bench.run();
    const std::vector<Cycle> by_call = bench.results();
    for (std::size_t i = 0; i < by_call.size(); ++i) {
        results[ascending ? i : i / 4 * 4 + 3 - i % 4] = by_call[i];
    }
    return results;
}
TEST(SharedPipe, TakesInstructionsOfOneCycleByTurns) {
    const std::vector<Cycle> results = of_a_crowd(true, true);
    for (unsigned i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i], 10 + 7 + 2 * i) << i;
    }
}
TEST(SharedPipe, TakesInstructionsOfOneCycleByTurnsInReverseCallOrder) {
    const std::vector<Cycle> results = of_a_crowd(false, true);
    for (unsigned i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i], 10 + 7 + 2 * i) << i;
    }
}
TEST(SharedPipe, TakesInstructionsOfOneCycleByTurnsWhetherItRunsFirstOrLast) {
    const std::vector<Cycle> results = of_a_crowd(true, false);
    for (unsigned i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i], 10 + 7 + 2 * i) << i;
    }
}

} // namespace
} // namespace smsim::sm
