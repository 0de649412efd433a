// Runs a kernel of a PTX module thread by thread: the result that PTX specifies, without warps and without cycles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/sections/tensor.h"
#include "model/launch/launch.h"
#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

/// Bytes of global memory that the caller provides, at an address of the caller's choice.
struct Buffer {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
};

struct Launch {
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint64_t dynamic_shared = 0;     ///< bytes
    std::vector<std::uint8_t> parameters; ///< each at the next multiple of its alignment
    std::vector<Buffer> buffers;
    std::uint64_t max_steps = 100'000'000; ///< instructions of all threads together
    std::uint64_t seed = 1;                ///< seed of the lengths of the threads' turns
    /// How products of matrices are rounded (tensor.md 2).
    TensorArithmetic tensor_arithmetic = TensorArithmetic::k8_0;
    bool tensor_zero_terms = true;
};

struct Result {
    std::string error; ///< why there is no result: trap, bad address, deadlock, too many steps; empty: there is one
    std::vector<std::vector<std::uint8_t>> buffers;
    std::string printed;     ///< by vprintf
    std::uint64_t steps = 0; ///< instructions of all threads together
};

/// The launch with the initial contents of its buffers; `addresses`: of each argument's buffer, ignored for scalars.
/// Throws InputError when a file of contents cannot be read.
Launch launch_of(const launch::Launch &launch, std::span<const std::uint64_t> addresses);

/// Runs `kernel`. CTAs run one after another; the threads of a CTA take turns of 1 to 50 instructions. Threads of a
/// warp meet only at instructions with masks, so `activemask` is the thread's own bit.
Result run(const CompiledModule &module, std::string_view kernel, const Launch &launch);

} // namespace smsim::ptx::interpreter
