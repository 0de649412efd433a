// The same for more programs, and every second loss in a run.
#include "tb/fuzz/programs/control_field_losses.h"
#include "tb/support/sanitized.h"

namespace smsim::fuzz {
namespace {

TEST_F(ControlFields, EveryLossOfManyProgramsIsReportedOrMakesNoDifference) {
    examine(1000, kSanitized ? 300 : 2000, 2);
}

} // namespace
} // namespace smsim::fuzz
