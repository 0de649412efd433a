// The positions of the lists in a snapshot of the control state.
#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/state/control_snapshot.h"

namespace smsim {
namespace {

using Kind = ControlField::Kind;
using ::testing::ElementsAre;

TEST(ControlSnapshot, AListIsFoundByTheNumberOfItsField) {
    static constexpr std::array<ControlField, 2> kColumns = {{{"PC", Kind::kAddress}, {"Active"}}};
    static constexpr std::array<ControlField, 5> kFields = {{{"PC", Kind::kAddress},
                                                             {"stack", Kind::kEntries, {}, kColumns},
                                                             {"own", Kind::kThreadAddresses},
                                                             {"empty", Kind::kEntries, {}, kColumns},
                                                             {"calls", Kind::kEntries, {}, kColumns}}};
    ControlSnapshot snapshot;
    snapshot.fields = kFields;
    snapshot.add(std::uint64_t{64});
    snapshot.add(2, std::vector<std::uint64_t>{16, 1, 32, 2});
    std::array<Pc, kLanes> own{};
    own[31] = 48;
    snapshot.add(LaneMask(0x80000000), own);
    snapshot.add(0, {});
    snapshot.add(1, std::vector<std::uint64_t>{80, 3});
    EXPECT_TRUE(snapshot.list_of(0).empty());
    EXPECT_THAT(snapshot.list_of(1), ElementsAre(16, 1, 32, 2));
    ASSERT_EQ(snapshot.list_of(2).size(), kLanes);
    EXPECT_EQ(snapshot.list_of(2)[31], 48U);
    EXPECT_TRUE(snapshot.list_of(3).empty());
    EXPECT_THAT(snapshot.list_of(4), ElementsAre(80, 3));
}

} // namespace
} // namespace smsim
