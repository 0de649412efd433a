// Speed of the scalar oracle: thread instructions per second of short launches such as random tests make by the
// million. Set-up is included.
#include <cstring>
#include <string>

#include <benchmark/benchmark.h>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "tb/oracle/oracle.h"

namespace {

/// Integer work, global memory, divergence and a barrier: about 300 instructions per thread.
constexpr const char *kProgram = R"(
.kernel mixed
    S2R R0, SR_TID.X;
    MOV R2, c[0x0][0x0];
    MOV R3, c[0x0][0x4];
    MOV R1, 0x4;
    IMAD.WIDE.U32 R[4:5], R0, R1, R[2:3];
    LOP3 R6, R0, 0x7, RZ, 0xc0;
    IADD3 R6, R6, 0x18, RZ;
loop:
    IMAD R7, R7, 0x19660d, R0;
    SHF.L.W R8, R7, 0x5, R7;
    LOP3 R9, R8, R7, R0, 0x96;
    LOP3 R10, R9, 0x1, RZ, 0xc0;
    ISETP.NE.AND P0, PT, R10, RZ, PT;
    @P0 BRA odd;
    IADD3 R7, R9, R8, RZ;
    STG [R[4:5]], R7;
odd:
    LDG R11, [R[4:5]];
    IADD3 R7, R7, R11, RZ;
    IADD3 R6, R6, -0x1, RZ;
    ISETP.GT.AND P1, PT, R6, RZ, PT;
    @P1 BRA loop;
    WARPSYNC 0xffffffff;
    BAR.SYNC 0x0;
    EXIT;
)";

void run_oracle(benchmark::State &state) {
    const smsim::Program program =
        smsim::assemble(kProgram, "mixed.sasm", smsim::timing::SchedulingModel(smsim::load_config(std::nullopt, {})));
    smsim::oracle::Launch launch;
    launch.program = &program;
    launch.block = {static_cast<std::uint32_t>(state.range(0)), 1, 1};
    launch.registers = 32;
    launch.regions.push_back({0x10000, std::vector<std::uint8_t>(4096)});
    launch.constants[0].resize(8);
    std::memcpy(launch.constants[0].data(), &launch.regions[0].base, 8);
    std::uint64_t instructions = 0;
    std::uint64_t seed = 0;
    for ([[maybe_unused]] auto unused : state) {
        const smsim::oracle::Result result = smsim::oracle::run(launch, {.seed = ++seed});
        if (result.failure) {
            state.SkipWithError(result.failure->detail.c_str());
            break;
        }
        instructions += result.instructions;
    }
    state.counters["thread instructions/s"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

BENCHMARK(run_oracle)->Arg(32)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
