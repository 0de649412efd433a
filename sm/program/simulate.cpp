// Stands where a build has no model of the SM linked in: every other subcommand works, `run` says why it does not.
#include "sm/program/simulate.h"

namespace smsim::program {

SimulationResult simulate(const SimulationInput &, Progress &) {
    throw InputError("this build of smsim has no simulation linked in");
}

} // namespace smsim::program
