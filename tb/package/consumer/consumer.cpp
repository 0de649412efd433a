// Runs a kernel given as text through the installed library and checks its result.
#include <cstdio>
#include <cstring>

#include <systemc>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "model/launch/launch.h"
#include "session/simulation.h"

int sc_main(int, char **) {
    const smsim::Config config = smsim::load_config(std::nullopt, {});
    const smsim::Program program = smsim::assemble(".kernel k\n MOV R0, 0x2a;\n LDC.64 R[2:3], c[0x0][0x160];\n"
                                                   " STG [R[2:3]], R0;\n EXIT;\n",
                                                   "text", smsim::timing::SchedulingModel(config));
    smsim::launch::Launch launch; // built in code instead of read from a launch file
    launch.arguments.emplace_back();
    launch.arguments[0].name = "out";
    launch.arguments[0].is_buffer = true;
    launch.arguments[0].count = 1;
    const smsim::session::SimulationResult result =
        smsim::session::simulate(config, program, program.kernels.at(0), launch);
    std::uint32_t value = 0;
    std::memcpy(&value, result.buffers.at(0).data(), sizeof(value));
    std::printf("value %u after %llu cycles\n", value, static_cast<unsigned long long>(result.stats.cycles));
    return result.fault || value != 42 ? 1 : 0;
}
