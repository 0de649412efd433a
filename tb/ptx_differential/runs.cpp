#include "tb/ptx_differential/runs.h"

#include <cstring>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/checker.h"
#include "ptx/interpreter/interpreter.h"
#include "ptx/parser.h"

namespace smsim::ptx_differential {

namespace {

constexpr std::uint64_t kFirstBuffer = 0x20'0000'0000;
constexpr std::uint64_t kBetweenBuffers = 0x1'0000'0000;

} // namespace

Ran run_interpreter(const std::string &text, const launch::Launch &launch, std::uint64_t max_steps,
                    const TensorConfig &tensor) {
    Ran ran;
    try {
        const ptx::Module module = ptx::parse_module(text, "kernel.ptx");
        ptx::check_module(module, "kernel.ptx");
        std::vector<std::uint64_t> addresses;
        while (addresses.size() < launch.arguments.size()) {
            addresses.push_back(kFirstBuffer + kBetweenBuffers * addresses.size());
        }
        ptx::interpreter::Launch inner = ptx::interpreter::launch_of(launch, addresses);
        inner.max_steps = max_steps;
        inner.tensor_arithmetic = tensor.arithmetic;
        inner.tensor_zero_terms = tensor.zero_terms;
        ptx::interpreter::Result result =
            ptx::interpreter::run(ptx::interpreter::prepare(module), launch.kernel, inner);
        ran.error = result.error;
        ran.printed = std::move(result.printed);
        ran.buffers = std::move(result.buffers);
        ran.instructions = result.steps;
    } catch (const InputError &error) {
        ran.error = fmt::format("refused: {}", error.what());
    }
    return ran;
}

launch::Argument buffer_argument(const std::string &name, const std::vector<std::uint32_t> &words) {
    launch::Argument argument;
    argument.name = name;
    argument.type = launch::ElementType::kU32;
    argument.is_buffer = true;
    argument.count = words.size();
    launch::Values values;
    for (const std::uint32_t word : words) {
        values.values.emplace_back(std::uint64_t{word});
    }
    argument.init = std::move(values);
    return argument;
}

launch::Argument scalar_argument(const std::string &name, std::uint64_t value) {
    launch::Argument argument;
    argument.name = name;
    argument.type = launch::ElementType::kU64;
    argument.value = value;
    return argument;
}

std::string launch_text(const launch::Launch &launch, const std::string &program) {
    std::string text =
        fmt::format("program: {}\nkernel: {}\ngrid: [{}, {}, {}]\nblock: [{}, {}, {}]\n", program, launch.kernel,
                    launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2]);
    text += fmt::format("dynamic_shared: {}\narguments:\n", launch.dynamic_shared);
    for (const launch::Argument &argument : launch.arguments) {
        if (!argument.is_buffer) {
            text += fmt::format("  - {{name: {}, type: u64, value: {}}}\n", argument.name,
                                std::get<std::uint64_t>(argument.value));
            continue;
        }
        const std::vector<std::uint8_t> bytes = launch::initial_bytes(argument);
        text += fmt::format("  - {{name: {}, type: u32, init: {{values: [", argument.name);
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes.data() + at, 4);
            text += fmt::format("{}{}", at == 0 ? "" : ", ", word);
        }
        text += "]}}\n";
    }
    return text;
}

} // namespace smsim::ptx_differential
