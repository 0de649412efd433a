// Several SMs that share a grid and, through an arbiter, one global memory: correct results, and the same bytes
// whatever the order in which they were built.
#include <algorithm>
#include <memory>
#include <ostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "memory/global_memory.h"
#include "memory/memory_arbiter.h"
#include "model/config/config.h"
#include "model/launch/layout.h"
#include "model/protocol/clock.h"
#include "sm/streaming_multiprocessor.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/support/child_process.h"
#include "tb/support/example_kernels.h"
#include "tb/support/kernel_launch.h"
#include "views/trace/trace.h"

namespace smsim {
namespace {

struct Case {
    const char *kernel;
    unsigned sms;
    const char *distribution = "in_order";

    friend std::ostream &operator<<(std::ostream &out, const Case &one) {
        out << one.kernel << "_on_" << one.sms;
        return one.distribution == std::string_view("in_order") ? out : out << "_" << one.distribution;
    }
};

/// A GPU of SMs, as a user's own top level needs it.
class Gpu {
  public:
    Gpu(const test::KernelLaunch &loaded, unsigned sms, bool reverse)
        : loaded_(loaded), layout_(launch::lay_out_buffers(loaded.launch)),
          memory_("memory", loaded.config.global, protocol::Clock(loaded.config).period()),
          arbiter_("arbiter", sms, protocol::Clock(loaded.config).period()),
          distributor_("distributor", sm::make_cta_distribution(loaded.config.sm)), sms_(sms), trace_texts_(sms),
          traces_(sms) {
        for (unsigned k = 0; k < sms; ++k) {
            const unsigned i = reverse ? sms - 1 - k : k;
            sms_[i] = std::make_unique<sm::StreamingMultiprocessor>(fmt::format("sm_{}", i).c_str(), loaded.config,
                                                                    distributor_, SmId(i), reverse);
            checkers_.push_back(std::make_unique<tb::BaseProtocolChecker>(fmt::format("checker_{}", i).c_str()));
            sms_[i]->global.bind(checkers_.back()->from_initiator);
            checkers_.back()->to_target.bind(arbiter_.port(i));
            context_.code_base = sms_[i]->place(loaded.program);
            trace_texts_[i] = std::make_unique<std::ostringstream>();
            traces_[i] = std::make_unique<views::TraceWriter>(*trace_texts_[i],
                                                              [this, i](WarpSlot warp, std::optional<Pc> next) {
                                                                  return sms_[i]->branch_unit().snapshot(warp, next);
                                                              });
            traces_[i]->begin_launch(loaded.program, 0);
            sms_[i]->observe(traces_[i].get());
            sms_[i]->dispatch().on_fault([] { sc_core::sc_pause(); });
        }
        checkers_.push_back(std::make_unique<tb::BaseProtocolChecker>("checker"));
        arbiter_.memory.socket.bind(checkers_.back()->from_initiator);
        checkers_.back()->to_target.bind(memory_.socket);
        distributor_.on_end([] { sc_core::sc_pause(); });
        describe_launch();
    }

    /// Results for the checks of the launch file.
    session::SimulationResult run() {
        distributor_.begin(grid_);
        sc_core::sc_start();
        session::SimulationResult result{};
        for (const auto &unit : sms_) {
            if (const auto &fault = unit->dispatch().fault()) {
                result.fault = fault->report.fault;
                result.exception = fault->report.detail;
            }
        }
        for (std::size_t i = 0; i < loaded_.launch.arguments.size(); ++i) {
            result.buffers.emplace_back(loaded_.launch.arguments[i].bytes());
            if (loaded_.launch.arguments[i].is_buffer) {
                memory_.read(layout_.addresses[i], result.buffers.back());
            }
        }
        return result;
    }
    /// Everything that happened, as one text: traces in order of the SMs, then their counters.
    std::string history() {
        std::string text;
        for (unsigned i = 0; i < sms_.size(); ++i) {
            traces_[i]->end(0);
            text += trace_texts_[i]->str();
        }
        for (const auto &unit : sms_) {
            const RunStats stats = unit->collect(loaded_.program, false);
            text += fmt::format("{} CTAs, {} cycles, {} hits, {} misses, {} bytes\n", stats.ctas, stats.cycles,
                                stats.global.l1_hits, stats.global.l1_misses, stats.lsu.requested_global_bytes);
            for (const WarpStats &warp : stats.warps) {
                text += fmt::format("{}.{}: {} {}\n", warp.cta_number, warp.warp_in_cta, warp.start, warp.end);
            }
        }
        return text;
    }
    std::vector<std::uint64_t> ctas() {
        std::vector<std::uint64_t> counts;
        for (const auto &unit : sms_) {
            counts.push_back(unit->dispatch().completed());
        }
        return counts;
    }
    std::vector<std::string> violations() const {
        std::vector<std::string> all;
        for (const auto &checker : checkers_) {
            const auto &found = checker->violations();
            all.insert(all.end(), found.begin(), found.end());
        }
        return all;
    }

  private:
    void describe_launch() {
        const launch::Launch &launch = loaded_.launch;
        const Kernel &kernel = *loaded_.kernel;
        context_.program = &loaded_.program;
        context_.kernel = &kernel;
        context_.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
        context_.block = {launch.block[0], launch.block[1], launch.block[2]};
        for (const auto &[number, bytes] : loaded_.program.constants) {
            context_.set_bank(number, bytes);
        }
        context_.set_bank(0, launch::constant_bank0_bytes(launch, kernel, layout_.addresses));
        context_.local_base = layout_.end;
        context_.local_bytes = (kernel.local_bytes + 15) / 16 * 16;
        if (context_.local_bytes != 0) {
            memory_.map(layout_.end, context_.local_window() * loaded_.config.warps() * sms_.size(), "local memory");
        }
        if (loaded_.program.global_data_bytes != 0) {
            memory_.map_anywhere(kGlobalDataBase, loaded_.program.global_data_bytes, "global data");
            memory_.write(kGlobalDataBase, loaded_.program.global_data);
        }
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            if (const launch::Argument &argument = launch.arguments[i]; argument.is_buffer) {
                memory_.map(layout_.addresses[i], argument.bytes(), argument.name);
                memory_.write(layout_.addresses[i], launch::initial_bytes(argument));
            }
        }
        grid_.ctas = launch.grid;
        grid_.threads = launch.block;
        grid_.entry = kernel.entry;
        grid_.demand = {launch.block[0] * launch.block[1] * launch.block[2],
                        std::max<std::uint32_t>(kernel.registers, 1), launch::shared_bytes(launch, kernel)};
        grid_.launch = &context_;
    }

    const test::KernelLaunch &loaded_;
    launch::BufferLayout layout_;
    LaunchContext context_;
    sm::Grid grid_;
    memory::GlobalMemory memory_;
    memory::MemoryArbiter arbiter_;
    sm::GridDistributor distributor_;
    std::vector<std::unique_ptr<sm::StreamingMultiprocessor>> sms_;
    std::vector<std::unique_ptr<std::ostringstream>> trace_texts_;
    std::vector<std::unique_ptr<views::TraceWriter>> traces_; ///< by number of the SM
    std::vector<std::unique_ptr<tb::BaseProtocolChecker>> checkers_;
};

class SeveralSms : public testing::TestWithParam<Case> {
  protected:
    void load() {
        test::load(loaded, test::example_file(std::string(GetParam().kernel) + "/launch.yaml"),
                   {std::string("sm.cta_distribution=") + GetParam().distribution});
    }
    test::KernelLaunch loaded;
};

TEST_P(SeveralSms, ShareAGridAndGiveTheRightResults) {
    load();
    Gpu gpu(loaded, GetParam().sms, false);
    test::expect_checked(loaded, gpu.run());
    EXPECT_EQ(gpu.violations(), std::vector<std::string>{});
    const std::vector<std::uint64_t> ctas = gpu.ctas();
    const std::uint64_t grid = std::uint64_t{loaded.launch.grid[0]} * loaded.launch.grid[1] * loaded.launch.grid[2];
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < ctas.size(); ++i) {
        sum += ctas[i];
        if (grid >= ctas.size()) {
            EXPECT_GT(ctas[i], 0U) << "SM " << i << " has got nothing";
        }
    }
    EXPECT_EQ(sum, grid);
}

TEST_P(SeveralSms, DoTheSameInBothOrdersOfConstruction) {
    load();
    const test::TemporaryFolder folder;
    for (const bool reverse : {false, true}) { // SystemC elaborates once in a process
        ASSERT_TRUE(test::run_in_child([&] {
            Gpu gpu(loaded, GetParam().sms, reverse);
            gpu.run();
            test::write_file(folder / (reverse ? "reverse" : "forward"), gpu.history());
        }));
    }
    const std::string forward = test::read_file(folder / "forward");
    EXPECT_NE(forward, "");
    EXPECT_TRUE(forward == test::read_file(folder / "reverse"));
}

INSTANTIATE_TEST_SUITE_P(Kernels, SeveralSms,
                         testing::Values(Case{"vector_add", 2}, Case{"vector_add", 4}, Case{"vector_add", 16},
                                         Case{"matmul", 4}, Case{"spin_lock_yield", 2}, Case{"histogram", 4},
                                         Case{"cuda_spmv", 4}, Case{"cuda_scan", 2}, Case{"vector_add", 4, "blocked"},
                                         Case{"matmul", 4, "by_tile"}),
                         testing::PrintToStringParamName());

} // namespace
} // namespace smsim
