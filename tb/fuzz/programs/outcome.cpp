#include "tb/fuzz/programs/outcome.h"

#include <cstring>

#include <fmt/format.h>

namespace smsim::fuzz {

std::string difference(const Case &test, const Outcome &got, const Outcome &expected) {
    if (got.threads.size() != expected.threads.size()) {
        return fmt::format("{} threads have ended, expected {}", got.threads.size(), expected.threads.size());
    }
    for (std::size_t t = 0; t < got.threads.size(); ++t) {
        const ThreadOutcome &a = got.threads[t];
        const ThreadOutcome &b = expected.threads[t];
        if (got.partial && a.registers.empty()) {
            continue;
        }
        const auto place = [&] {
            return fmt::format("CTA {} thread {}", t / test.launch.block[0], t % test.launch.block[0]);
        };
        for (unsigned r = 0; r < 64; ++r) {
            if ((test.compared_registers >> r & 1U) != 0 && a.registers.at(r) != b.registers.at(r)) {
                return fmt::format("{}: R{} is {:#x}, expected {:#x}", place(), r, a.registers[r], b.registers[r]);
            }
        }
        if (((a.predicates ^ b.predicates) & test.compared_predicates) != 0) {
            return fmt::format("{}: predicates are {:#x}, expected {:#x}", place(),
                               a.predicates & test.compared_predicates, b.predicates & test.compared_predicates);
        }
    }
    for (std::size_t i = 0; i < got.buffers.size(); ++i) {
        const auto &a = got.buffers[i];
        const auto &b = expected.buffers.at(i);
        for (std::size_t at = 0; at + 4 <= a.size() && at + 4 <= b.size(); at += 4) {
            if (std::memcmp(&a[at], &b[at], 4) != 0) {
                std::uint32_t word[2];
                std::memcpy(&word[0], &a[at], 4);
                std::memcpy(&word[1], &b[at], 4);
                return fmt::format("{}[{}] is {:#x}, expected {:#x}", test.launch.arguments[i].name, at / 4, word[0],
                                   word[1]);
            }
        }
    }
    return {};
}

} // namespace smsim::fuzz
