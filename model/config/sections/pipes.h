// Execution pipes.
#pragma once

#include <cstdint>

namespace smsim {

/// The second FP32 pipe of a sub-partition, which takes FFMA, FADD and FMUL besides `pipes.fma`: there is none, it is a
/// separate pipe, or it is the integer and logic pipe.
enum class SecondFp32 : std::uint8_t { kNone, kOwn, kAlu };

/// Result latency and initiation interval of one execution pipe, cycles.
struct PipeConfig {
    std::uint32_t latency = 4;
    std::uint32_t interval = 1;
};

struct PipesConfig {
    PipeConfig alu{4, 1};
    PipeConfig fma{4, 1};
    PipeConfig xu{15, 4};
    PipeConfig fp64{16, 4};
    PipeConfig half{5, 1};
    PipeConfig tensor{17, 4}; ///< of one step of a product of matrices (TensorConfig)
    PipeConfig uniform{6, 1};
    SecondFp32 second_fp32 = SecondFp32::kNone;
    bool fp64_per_sm = false;               ///< one double-precision pipe for all sub-partitions, after queues
    std::uint32_t fp64_queue = 3;           ///< fp64_per_sm: instructions that wait for it per sub-partition
    std::uint32_t fp64_fma = 0;             ///< additional cycles of DFMA over fp64.latency
    std::uint32_t i2f_on_alu = 0;           ///< latency of integer to FP32 on the ALU pipe; 0: the XU pipe executes it
    std::uint32_t alu_to_fma = 5;           ///< RAW latency from ALU to FMA pipe
    std::uint32_t fma_to_alu = 1;           ///< RAW latency from FMA pipe to ALU
    std::uint32_t to_half = 5;              ///< RAW latency from another pipe to the pipe of 16-bit floats
    std::uint32_t half_to_others = 5;       ///< RAW latency from the pipe of 16-bit floats to another unit
    std::uint32_t to_tensor = 7;            ///< RAW latency from another pipe to an operand of the tensor pipe
    std::uint32_t to_memory = 6;            ///< RAW latency of a fixed-latency result to memory, XU and FP64 operands
    std::uint32_t to_branch = 6;            ///< RAW latency to BRU and BCU register operands
    std::uint32_t predicate_to_branch = 13; ///< RAW latency from a predicate to a control instruction's guard
    std::uint32_t predicate_to_guard = 13;  ///< RAW latency from a predicate to another instruction's guard
    std::uint32_t predicate_to_alu = 5;     ///< RAW latency from a predicate to a predicate source
    std::uint32_t predicate_to_fma = 5;     ///< RAW latency from a predicate to a predicate source of the FMA pipe
    std::uint32_t uniform_to_branch = 10;   ///< RAW latency from a uniform register to a control instruction
    std::uint32_t uniform_to_memory = 9;    ///< RAW latency from a uniform register to the address of an access
    std::uint32_t special_register = 16;    ///< S2R, S2UR latency
    std::uint32_t shuffle = 15;             ///< SHFL latency
    std::uint32_t redux = 15;               ///< REDUX latency
    std::uint32_t match = 15;               ///< MATCH latency, with one value in all lanes
    std::uint32_t match_value = 0;          ///< additional cycles of MATCH.ANY for each further value
    std::uint32_t vote = 0;                 ///< latency of VOTE's register result; 0: pipes.alu.latency
    std::uint32_t imad_high = 0;            ///< latency of IMAD.HI; 0: pipes.fma.latency
};

} // namespace smsim
