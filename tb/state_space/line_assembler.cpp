// Line by line, with the distances of labels filled in afterwards.
#include "tb/state_space/line_assembler.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tb/state_space/machine.h"

namespace smsim::state_space {
namespace {

/// Where the label of a jump begins in its line; npos for other lines.
std::size_t label_of(std::string_view line) {
    const bool jumps = line.find("BRA ") != std::string_view::npos || line.find("BSSY ") != std::string_view::npos;
    return jumps ? line.rfind(' ') + 1 : std::string_view::npos;
}

} // namespace

const LineAssembler::Line &LineAssembler::line(std::string_view text) {
    const std::size_t label = label_of(text);
    std::string key(text.substr(0, label));
    const auto known = lines_.find(key);
    if (known != lines_.end()) {
        return known->second;
    }
    const bool has_target = label != std::string_view::npos;
    const Program program = assemble_plain(has_target ? key + "0x0;" : key);
    return lines_.emplace(std::move(key), Line{program.code.at(0), program.kernels.at(0).registers, has_target})
        .first->second;
}

Program LineAssembler::assemble(std::string_view text) {
    Program program;
    Kernel kernel;
    kernel.name = "k";
    std::map<std::string_view, Pc> labels;
    std::vector<std::pair<std::size_t, std::string_view>> jumps;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view one = text.substr(begin, end - begin);
        begin = end + 1;
        if (one.empty()) {
            continue;
        }
        if (one.back() == ':') {
            labels[one.substr(0, one.size() - 1)] = program.size_bytes();
            continue;
        }
        const Line &known = line(one);
        program.code.push_back(known.insn);
        program.code.back().pc = program.size_bytes() - kInstructionBytes;
        kernel.registers = std::max(kernel.registers, known.registers);
        if (known.has_target) {
            const std::string_view label = one.substr(label_of(one));
            jumps.emplace_back(program.code.size() - 1, label.substr(0, label.find(';')));
        }
    }
    for (const auto &[index, label] : jumps) {
        const auto place = labels.find(label);
        if (place == labels.end()) {
            throw InputError("state_space: no label '" + std::string(label) + "'");
        }
        program.code[index].imm =
            static_cast<std::int64_t>(place->second / kInstructionBytes) - static_cast<std::int64_t>(index) - 1;
    }
    kernel.end = program.size_bytes();
    program.kernels.push_back(std::move(kernel));
    return program;
}

} // namespace smsim::state_space
