#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <systemc>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "session/session.h"

namespace {

constexpr std::uint64_t kNumbers = 0x10000000; // any address past the first page

/// Each of 32 threads adds an argument to its number.
constexpr const char *kAdd = ".kernel add\n"
                             "    S2R R0, SR_TID.X;\n"
                             "    MOV R1, 0x4;\n"
                             "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
                             "    LDG R4, [R[2:3]];\n"
                             "    IADD3 R4, R4, c[0x0][0x168], RZ;\n"
                             "    STG [R[2:3]], R4;\n"
                             "    EXIT;\n";

} // namespace

int sc_main(int, char **) {
    const smsim::Config config = smsim::load_config(std::nullopt, {});
    const smsim::Program program = smsim::assemble(kAdd, "add.sasm", smsim::timing::SchedulingModel(config));

    smsim::session::Session session(config);
    session.map(kNumbers, 32 * 4, "numbers");
    session.write(kNumbers, std::vector<std::uint8_t>(32 * 4, 0));

    smsim::launch::Launch what;
    what.block = {32, 1, 1};
    what.arguments.resize(2);
    what.arguments[0].is_buffer = true;
    what.arguments[1].value = std::uint64_t{7};
    const std::vector<std::uint64_t> addresses = {kNumbers, 0};
    for (int i = 0; i < 2; ++i) {
        const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
        if (!result.completed()) {
            std::printf("%s\n", result.exception.c_str());
            return 1;
        }
        std::printf("launch %d began in cycle %llu and took %llu\n", i, static_cast<unsigned long long>(result.begin),
                    static_cast<unsigned long long>(result.stats.cycles));
    }
    std::vector<std::uint8_t> bytes(4);
    session.read(kNumbers, bytes);
    std::uint32_t first = 0;
    std::memcpy(&first, bytes.data(), 4);
    std::printf("the first number is %u\n", first);
    return first == 14 ? 0 : 1;
}
