// Every loss of a control field is reported or makes no difference.
#include "tb/fuzz/programs/control_field_losses.h"

namespace smsim::fuzz {
namespace {

TEST_F(ControlFields, EveryLossIsReportedOrMakesNoDifference) {
    examine(1, 150, 5);
    for (const Count &count : counts_) {
        EXPECT_GT(count.by_schedule, 0U);
        EXPECT_GT(count.by_run, 0U);
    }
}

} // namespace
} // namespace smsim::fuzz
