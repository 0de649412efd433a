// The same for more programs, and every second loss in a run.
#include "tb/fuzz/control_field_losses.h"

namespace smsim::fuzz {
namespace {

TEST_F(ControlFields, EveryLossOfManyProgramsIsReportedOrMakesNoDifference) {
    examine(1000, 2000, 2);
}

} // namespace
} // namespace smsim::fuzz
