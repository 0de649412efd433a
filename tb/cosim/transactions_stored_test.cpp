// The recordings of tb/data/transactions, which do not change: every implementation of the parts answers as recorded.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "model/isa/engine_operations.h"
#include "tb/cosim/transactions_support.h"

namespace smsim {
namespace {

using cosim::transactions::ReplayResult;
using test::File;
using test::Part;

std::vector<std::string> stored() {
    std::vector<std::string> files;
    std::error_code missing;
    for (const auto &entry : std::filesystem::directory_iterator(test::in_tree("tb/data/transactions"), missing)) {
        if (entry.path().extension() == ".smtx") {
            files.push_back(entry.path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

TEST(StoredTransactions, HaveEveryInstructionOfBranchAndBarrierUnit) {
    std::set<std::string> found;
    for (const std::string &path : stored()) {
        const File file = File::open(path);
        for (const Part part : {Part::kBru, Part::kBcu}) {
            for (const auto &record : test::records_of(file, part)) {
                found.insert(cosim::transactions::operation_of(record));
            }
        }
    }
    for (const isa::OpSpec &spec : isa::all_operations()) {
        const bool of_these = spec.unit == isa::Unit::kBranch || spec.unit == isa::Unit::kBarrier;
        if (of_these && isa::engine_has(kDefaultEngine, spec.op)) {
            EXPECT_TRUE(found.contains(std::string(spec.name))) << spec.name;
        }
    }
}

class StoredTransactionsOf : public testing::TestWithParam<std::string> {
  protected:
    static void expect_none_differs(const std::string &implementation, const std::vector<std::string> &more = {}) {
        const File file = File::open(GetParam());
        std::vector<std::string> settings = test::all_parts(implementation);
        settings.insert(settings.end(), more.begin(), more.end());
        const ReplayResult result = test::replay_into_parts(file, test::config_of(file, settings), test::kAllParts);
        EXPECT_EQ(test::outcome(result), "");
        std::uint64_t answers = 0;
        for (const auto &part : result.parts) {
            EXPECT_EQ(part.records, file.records(part.part));
            for (const auto &[operation, count] : part.answers) {
                answers += count;
            }
        }
        EXPECT_GT(answers, 5U);
    }
};

TEST_P(StoredTransactionsOf, DoNotDifferFromTheRules) {
    EXPECT_EQ(test::into_golden(File::open(GetParam())), "");
}

TEST_P(StoredTransactionsOf, DoNotDifferFromTheModel) {
    expect_none_differs("model");
}

#ifdef SMSIM_WITH_RTL
TEST_P(StoredTransactionsOf, DoNotDifferFromTheRtl) {
    expect_none_differs("rtl");
}

TEST_P(StoredTransactionsOf, DoNotDifferInLockstep) {
    expect_none_differs("lockstep");
}

TEST_P(StoredTransactionsOf, DoNotDifferWithStalledChannelsOfTheRtl) {
    expect_none_differs("rtl", {"rtl.stall_percent=40", "rtl.stall_seed=7"});
}
#endif

INSTANTIATE_TEST_SUITE_P(All, StoredTransactionsOf, testing::ValuesIn(stored()),
                         [](const auto &one) { return std::filesystem::path(one.param).stem().string(); });

} // namespace
} // namespace smsim
