// Every part that is built from a configuration refuses one that describes no machine.
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bcu/bcu.h"
#include "bru/bru.h"
#include "ibuffer/ibuffer.h"
#include "memory/global_memory.h"
#include "memory/instruction_memory.h"
#include "memory/l1_cache.h"
#include "memory/shared_memory.h"
#include "model/config/config.h"
#include "model/protocol/clock.h"
#include "sm/datapath/datapath.h"
#include "sm/dispatch/cta_dispatch.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/load_store/load_store_unit.h"
#include "sm/shared_pipe/shared_pipe.h"
#include "sm/streaming_multiprocessor.h"
#include "sm/timer/sleep_timer.h"

namespace smsim::sm {
namespace {

using ::testing::HasSubstr;

struct Case {
    const char *part;
    void (*build)(const Config &config);

    friend std::ostream &operator<<(std::ostream &out, const Case &one) { return out << one.part; }
};

sc_core::sc_time period() {
    return {1, sc_core::SC_NS};
}

const Case kWhole[] = {
    {"load_store_unit", [](const Config &c) { LoadStoreUnit part("part", c); }},
    {"shared_pipe", [](const Config &c) { SharedPipe part("part", c, isa::Unit::kFp64); }},
    {"streaming_multiprocessor",
     [](const Config &c) {
         GridDistributor distributor(sc_core::sc_gen_unique_name("distributor"));
         StreamingMultiprocessor part("part", c, distributor);
     }},
    {"cta_dispatch",
     [](const Config &c) {
         GridDistributor distributor(sc_core::sc_gen_unique_name("distributor"));
         CtaDispatch part("part", c, distributor);
     }},
    {"datapath", [](const Config &c) { Datapath part("part", c); }},
    {"sleep_timer", [](const Config &c) { SleepTimer part("part", c); }},
    {"ibuffer", [](const Config &c) { ibuffer::IBuffer part("part", c, 0); }},
    {"bru", [](const Config &c) { bru::Bru part("part", c); }},
    {"bcu", [](const Config &c) { bcu::Bcu part("part", c); }},
};

std::string refusal(const std::function<void()> &build) {
    try {
        build();
    } catch (const InputError &error) {
        return error.what();
    }
    return "none";
}

class ValidConfigurations : public testing::TestWithParam<Case> {};

TEST_P(ValidConfigurations, ValuesOutOfRangeAndImpossibleTogetherAreRefused) {
    Config config;
    config.shared.banks = 33;
    EXPECT_EQ(refusal([&] { GetParam().build(config); }),
              "configuration: shared.banks must be a power of two; found 33");
    config = {};
    config.sm.sub_partitions = 2;
    EXPECT_THAT(refusal([&] { GetParam().build(config); }), HasSubstr("bru.pipelines (4) must not exceed"));
    config = {};
    config.sm.sub_partitions = 0;
    EXPECT_THAT(refusal([&] { GetParam().build(config); }), HasSubstr("configuration: sm.sub_partitions"));
}

INSTANTIATE_TEST_SUITE_P(Parts, ValidConfigurations, testing::ValuesIn(kWhole),
                         [](const auto &one) { return one.param.part; });

TEST(ValidConfigurations, MemoriesCheckTheirSection) {
    EXPECT_THAT(refusal([] { memory::SharedMemory("a", {.banks = 33}, period()); }), HasSubstr("power of two"));
    EXPECT_THAT(refusal([] { memory::L1Cache("b", {.line_bytes = 48}, period()); }), HasSubstr("l1.line_bytes"));
    EXPECT_THAT(refusal([] { memory::L1Cache("c", {.bytes = 1000}, period()); }), HasSubstr("must be a multiple of"));
    EXPECT_THAT(refusal([] { memory::InstructionMemory("d", {.line_bytes = 48}, 1, period()); }),
                HasSubstr("icache.line_bytes"));
    EXPECT_THAT(refusal([] { memory::GlobalMemory("e", {.latency = 0}, period()); }), HasSubstr("global.latency"));
    EXPECT_THAT(refusal([] { memory::GlobalMemory("f", {}, period(), 1, {}, {.bytes = 1000}); }),
                HasSubstr("l2.bytes (1000) must be a multiple of"));
}

// What another section says is not for a memory to check: a bench has only the one.
TEST(ValidConfigurations, OtherSectionsDoNotMatterToAMemory) {
    EXPECT_NO_THROW(memory::SharedMemory("a", {.bytes = 4096}, period()));
    EXPECT_NO_THROW(memory::L1Cache("b", {.bytes = 4096, .line_bytes = 32, .ways = 2}, period()));
}

} // namespace
} // namespace smsim::sm
