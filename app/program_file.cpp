// The interfaces of assembler and compiler, as the subcommands use them.
#include "app/program_file.h"
#include "assembler/load_program.h"

#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "app/cuda_source.h"
#include "app/output.h"
#include "assembler/container.h"
#include "assembler/disassembler.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/text/input_file.h"
#include "model/timing/dependence.h"
#include "ptx/compiler.h"
#include "ptx/parser.h"

namespace smsim::app {

namespace {

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

} // namespace

PtxSource read_ptx_source(const std::string &path, std::span<const launch::Macro> macros) {
    if (launch::is_cuda(path)) {
        CompiledCuda compiled = compile_cuda(path, macros);
        if (!compiled.messages.empty()) {
            spdlog::warn("{}: clang:\n{}", path, compiled.messages);
        }
        return {std::move(compiled.ptx), path + " (PTX)"};
    }
    return {text::read_file(path, ptx::kMaxBytes), path};
}

ptx::CompileOptions compiler_options(const CodeOptions &code) {
    ptx::CompileOptions options;
    options.level = code.optimisation.value_or(options.level);
    options.registers = code.registers.value_or(options.registers);
    options.stack_bytes = code.stack_bytes;
    options.force = code.force;
    return options;
}

void warn_of(const std::vector<ptx::LeftOut> &left_out) {
    for (const ptx::LeftOut &one : left_out) {
        spdlog::warn("kernel '{}' is left out: {}", one.kernel, one.message);
    }
}

Program load_program_file(const std::string &path, const Config &config, const CodeOptions &code,
                          std::vector<ptx::LeftOut> *left_out) {
    const timing::SchedulingModel model(config);
    if (launch::is_compiled(path)) {
        const PtxSource source = read_ptx_source(path, code.macros);
        std::vector<ptx::LeftOut> without;
        ptx::CompileOptions options = compiler_options(code);
        options.engine = config.bru.engine;
        options.matrix_steps = config.tensor.steps;
        options.left_out = &without;
        Program program = ptx::compile(source.text, source.name, model, options);
        warn_of(without);
        if (left_out != nullptr) {
            *left_out = std::move(without);
        }
        if (launch::is_cuda(path) && program.files.size() == 1 && program.source.empty()) {
            program.files.front() = path; // the user's name for it, and its text for the report
            program.source = lines_of(text::read_file(path, text::kMaxFileBytes));
        }
        return program;
    }
    return load_program(path, model);
}

void save_program_file(const Program &program, const std::string &path) {
    const std::vector<std::uint8_t> bytes = serialize_program(program);
    write_file(path, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

std::string listing(const Program &program) {
    return assembler::disassemble(program);
}

std::string instruction_text(const Program &program, Pc pc) {
    if (!program.contains(pc)) {
        return {};
    }
    return assembler::operation_text(program.at(pc));
}

} // namespace smsim::app
