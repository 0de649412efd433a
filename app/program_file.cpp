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
#include "model/error.h"
#include "model/text/input_file.h"
#include "model/timing/dependence.h"
#include "ptx/compiler.h"
#include "ptx/parser.h"

namespace smsim::app {

bool is_ptx_source(const std::string &path) {
    return path.ends_with(".ptx") || path.ends_with(".cu");
}

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

PtxSource read_ptx_source(const std::string &path) {
    if (path.ends_with(".cu")) {
        CompiledCuda compiled = compile_cuda(path);
        if (!compiled.messages.empty()) {
            spdlog::warn("{}: clang:\n{}", path, compiled.messages);
        }
        return {std::move(compiled.ptx), path + " (PTX)"};
    }
    return {text::read_file(path, ptx::kMaxBytes), path};
}

void warn_of(const std::vector<ptx::LeftOut> &left_out) {
    for (const ptx::LeftOut &one : left_out) {
        spdlog::warn("kernel '{}' is left out: {}", one.kernel, one.message);
    }
}

Program load_program_file(const std::string &path, const Config &config, const CodeOptions &code,
                          std::vector<ptx::LeftOut> *left_out) {
    const timing::SchedulingModel model(config);
    if (is_ptx_source(path)) {
        const PtxSource source = read_ptx_source(path);
        std::vector<ptx::LeftOut> without;
        Program program = ptx::compile(source.text, source.name, model,
                                       {.level = code.level,
                                        .stack_bytes = code.stack_bytes,
                                        .engine = config.bru.engine,
                                        .force = code.force,
                                        .left_out = &without});
        warn_of(without);
        if (left_out != nullptr) {
            *left_out = std::move(without);
        }
        if (path.ends_with(".cu") && program.files.size() == 1 && program.source.empty()) {
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
