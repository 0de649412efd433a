// Shared by the tests of the PTX interpreter: modules from text, and one instruction on given bits.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "ptx/checker.h"
#include "ptx/instruction_table.h"
#include "ptx/interpreter/interpreter.h"
#include "ptx/interpreter/operation.h"
#include "ptx/parser.h"

namespace smsim::ptx::interpreter::test {

inline constexpr std::uint64_t kOut = 0x20'0000'0000;

/// Runs kernel "k" of a module given without its header, on a buffer `out` of 32-bit words whose address is its
/// parameter.
inline Result run_words(const std::string &text, std::size_t words, std::uint32_t threads, std::uint32_t ctas = 1) {
    const ptx::Module module = ptx::parse_module(".version 8.0\n.target sm_80\n.address_size 64\n" + text, "t.ptx");
    ptx::check_module(module, "t.ptx");
    Launch launch;
    launch.block = {threads, 1, 1};
    launch.grid = {ctas, 1, 1};
    launch.max_steps = 1'000'000;
    launch.buffers = {{kOut, std::vector<std::uint8_t>(4 * words)}};
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &kOut, 8);
    return run(prepare(module), "k", launch);
}

inline std::vector<std::uint32_t> words_of(const Result &result) {
    std::vector<std::uint32_t> words;
    if (!result.buffers.empty()) {
        words.resize(result.buffers[0].size() / 4);
        std::memcpy(words.data(), result.buffers[0].data(), 4 * words.size());
    }
    return words;
}

/// "add.sat.s32" on operand bits.
inline Outputs outputs_of(const std::string &name, std::vector<std::uint64_t> values, bool carry = false) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('.', at), name.size());
        words.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    const std::string opcode = words.front();
    words.erase(words.begin());
    std::vector<ptx::Type> types;
    for (const std::string &word : words) {
        if (const auto type = ptx::find_type(word)) {
            types.push_back(*type);
        }
    }
    const ptx::InstructionForm *form = ptx::forms_of(opcode).data();
    Operation operation = make_operation(form->opcode, words, types);
    operation.inputs = static_cast<unsigned>(values.size());
    Inputs in;
    std::copy(values.begin(), values.end(), in.value.begin());
    in.carry = carry;
    return evaluate(operation, in);
}
inline std::uint64_t value_of(const std::string &name, std::vector<std::uint64_t> values) {
    return outputs_of(name, std::move(values)).value;
}

} // namespace smsim::ptx::interpreter::test
