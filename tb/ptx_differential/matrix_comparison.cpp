#include "tb/ptx_differential/matrix_comparison.h"

#include <cstring>

#include <fmt/format.h>

#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_differential {

std::vector<TensorArithmetic> arithmetics_of(const MatrixCase &one) {
    using enum TensorArithmetic;
    return one.blocks ? std::vector{k7_0, k7_5, k8_0, k8_9, k9_0, kExact} : std::vector{k8_0};
}

std::string compare_matrix(const MatrixCase &one, TensorArithmetic arithmetic, unsigned sets, std::uint64_t seed) {
    Config config = matrix_config(arithmetic);
    if (one.name.starts_with("wmma") &&
        (arithmetic == TensorArithmetic::k7_0 || arithmetic == TensorArithmetic::k7_5)) {
        config.tensor.steps = 1; // as these generations have it: a product of wmma becomes several instructions
    }
    const launch::Launch launch = matrix_launch(one, sets, seed);
    constexpr std::uint64_t kMostSteps = 10'000'000'000;
    const Ran expected = run_interpreter(one.text, launch, kMostSteps, config.tensor);
    const Ran got = run_model(one.text, launch, config);
    if (!expected.error.empty() || !got.error.empty()) {
        return fmt::format("interpreter: {}; model: {}", expected.error, got.error);
    }
    const std::vector<std::uint8_t> &x = got.buffers.at(1);
    const std::vector<std::uint8_t> &y = expected.buffers.at(1);
    for (std::size_t at = 0; at + 4 <= y.size(); at += 4) {
        std::uint32_t found = 0;
        std::uint32_t wanted = 0;
        std::memcpy(&found, x.data() + at, 4);
        std::memcpy(&wanted, y.data() + at, 4);
        if (found != wanted) {
            const std::size_t word = at / 4;
            return fmt::format("arithmetic {}, set {}, thread {}, word {}: {:#010x}, expected {:#010x}",
                               static_cast<unsigned>(arithmetic), word / one.output_words / 32,
                               word / one.output_words % 32, word % one.output_words, found, wanted);
        }
    }
    return {};
}

} // namespace smsim::ptx_differential
