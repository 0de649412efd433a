// Recordings and RTL: RTL gives the recorded answers of the model in the same cycles, and vice versa.
#include <gmock/gmock.h>

#include "model/config/config.h"
#include "tb/cosim/transactions_support.h"

namespace smsim {
namespace {

using cosim::transactions::ReplayResult;
using test::File;

class TransactionsAndRtl : public testing::TestWithParam<const char *> {
  protected:
    File recorded(const std::string &implementation, const std::vector<std::string> &more = {}) {
        std::vector<std::string> settings = test::all_parts(implementation);
        settings.insert(settings.end(), more.begin(), more.end());
        test::record(test::in_tree(GetParam()), settings, folder_ / implementation);
        return File::open(folder_ / implementation);
    }
    static ReplayResult replayed(const File &file, const std::string &implementation) {
        return test::replay_into_parts(file, test::config_of(file, test::all_parts(implementation)), test::kAllParts);
    }
    test::TemporaryFolder folder_;
};

TEST_P(TransactionsAndRtl, RecordingsOfModelAndRtlAreEqual) {
    const File model = recorded("model");
    const File rtl = recorded("rtl");
    for (const test::Part part : test::kAllParts) {
        EXPECT_TRUE(test::records_of(model, part) == test::records_of(rtl, part)) << part_name(part);
    }
}

TEST_P(TransactionsAndRtl, ReplayIntoRtlDoesNotDifferAndKeepsTheCycles) {
    const ReplayResult result = replayed(recorded("model"), "rtl");
    EXPECT_EQ(test::outcome(result), "");
    EXPECT_EQ(test::answers_of(result).second, 0U);
}

TEST_P(TransactionsAndRtl, ReplayIntoLockstepDoesNotDiffer) {
    EXPECT_EQ(test::outcome(replayed(recorded("model"), "lockstep")), "");
}

TEST_P(TransactionsAndRtl, TheModelGivesTheSameAnswersForStalledChannels) {
    const File file = recorded("rtl", {"rtl.stall_percent=30"});
    constexpr test::Part kOrdered[] = {test::Part::kBru, test::Part::kTimer, test::Part::kShared};
    EXPECT_EQ(test::outcome(test::replay_into_golden(file, test::config_of(file), kOrdered)), "");
    const Config config = test::config_of(file, test::all_parts("model"));
    EXPECT_EQ(test::outcome(test::replay_into_parts(file, config, kOrdered)), "");
}

INSTANTIATE_TEST_SUITE_P(All, TransactionsAndRtl,
                         testing::Values("kernels/control_flow/context_switch/launch.yaml",
                                         "kernels/synchronisation/producer_consumer/launch.yaml",
                                         "kernels/synchronisation/spin_lock_nanosleep/launch.yaml",
                                         "kernels/synchronisation/warpsync_groups/launch.yaml"),
                         [](const auto &one) { return "N" + std::to_string(one.index); });

} // namespace
} // namespace smsim
