#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "model/config/loader.h"
#include "session/session.h"
#include "sm/execution_observer.h"

namespace {

/// The greatest of 64 numbers: each thread proposes its own.
constexpr const char *kGreatest = ".kernel greatest\n"
                                  "    S2R R0, SR_TID.X;\n"
                                  "    MOV R1, 0x4;\n"
                                  "    IMAD.WIDE.U32 R[2:3], R0, R1, c[0x0][0x160];\n"
                                  "    LDG R4, [R[2:3]];\n"
                                  "    LDC.64 R[6:7], c[0x0][0x168];\n"
                                  "    RED.MAX [R[6:7]], R4;\n"
                                  "    EXIT;\n";

/// Counts executed warp instructions by mnemonic.
class Mix final : public smsim::sm::ExecutionObserver {
  public:
    void executed(const smsim::sm::ExecutedInstruction &instruction) override {
        ++counts[std::string(instruction.insn.spec().name)];
    }
    std::map<std::string, unsigned> counts;
};

int run() {
    const smsim::Config config = smsim::load_config(std::nullopt, std::vector<std::string>{"ibuffer.depth=4"});
    const smsim::Program program = smsim::assemble(kGreatest, "greatest.sasm", smsim::timing::SchedulingModel(config));

    Mix mix;
    smsim::session::Options options;
    options.observer = &mix;
    smsim::session::Session session(config, options);
    constexpr std::uint64_t kNumbers = 0x10000000; // any address past the first page
    constexpr std::uint64_t kGreatestAt = 0x20000000;
    std::vector<std::uint32_t> numbers(64);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = i * 37 % 64;
    }
    std::vector<std::uint8_t> bytes(numbers.size() * 4);
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    session.map(kNumbers, bytes.size(), "numbers");
    session.write(kNumbers, bytes);
    session.map(kGreatestAt, 4, "greatest");

    smsim::launch::Launch what;
    what.block = {64, 1, 1};
    what.arguments.resize(2); // two pointers
    what.arguments[0].is_buffer = true;
    what.arguments[1].is_buffer = true;
    const std::vector<std::uint64_t> addresses = {kNumbers, kGreatestAt};
    const smsim::session::LaunchResult result = session.launch(program, program.kernels.at(0), what, addresses);
    if (!result.completed()) { // an exception of the kernel, with its place and its lanes
        std::fprintf(stderr, "%s\n", result.exception.c_str());
        return 1;
    }
    std::vector<std::uint8_t> greatest(4);
    session.read(kGreatestAt, greatest);
    const smsim::WarpSums totals = result.stats.totals();
    std::printf("greatest %u after %llu cycles, %llu warp instructions of %llu warps\n", greatest[0],
                static_cast<unsigned long long>(result.stats.cycles),
                static_cast<unsigned long long>(totals.instructions), static_cast<unsigned long long>(totals.warps));
    for (const auto &[mnemonic, count] : mix.counts) {
        std::printf("  %-5s %u\n", mnemonic.c_str(), count);
    }
    return greatest[0] == 63 ? 0 : 1;
}

} // namespace

int main() {
    try {
        return run();
    } catch (
        const smsim::InputError &error) { // a bad configuration, program or launch: one message with place and cause
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
