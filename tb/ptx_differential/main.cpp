// `ptx_differential`: compares every PTX instruction on the model with the interpreter.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include "tb/ptx_differential/differential.h"
#include "tb/ptx_differential/matrix_comparison.h"

namespace {

using namespace smsim;
using namespace smsim::ptx_differential;

void write_text(const std::filesystem::path &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
}

int run(const Options &options, const std::string &folder, bool alone) {
    if (!folder.empty()) {
        std::filesystem::create_directories(folder);
    }
    const Machine interpreter = [](const std::string &text, const launch::Launch &launch) {
        return run_interpreter(text, launch);
    };
    const Machine model = [](const std::string &text, const launch::Launch &launch) { return run_model(text, launch); };
    const Summary summary = compare_all(options, alone ? interpreter : model);
    fmt::print("{}", summary_text(summary));
    for (std::size_t i = 0; i < summary.differences.size() && !folder.empty(); ++i) {
        write_text(std::filesystem::path(folder) / fmt::format("difference{}.ptx", i),
                   fmt::format("// {}\n// {}\n{}", summary.differences[i].instruction, summary.differences[i].message,
                               summary.differences[i].text));
    }
    return summary.differences.empty() ? 0 : 1;
}

/// Compares a case in parts of which the buffers of one fit into what processes share. Returns the first difference.
std::string compare_in_parts(const MatrixCase &one, TensorArithmetic arithmetic, unsigned sets, std::uint64_t seed) {
    constexpr unsigned kMostSets = 1000;
    for (unsigned done = 0; done < sets; done += kMostSets) {
        const unsigned part = std::min(kMostSets, sets - done);
        if (std::string message = compare_matrix(one, arithmetic, part, seed + done); !message.empty()) {
            return message;
        }
    }
    return {};
}

/// `sets` for each form, spread over its layouts, selectors and spellings, and over all arithmetics; no two alike.
int run_matrix(const Options &options, unsigned sets) {
    std::vector<MatrixCase> cases = matrix_cases();
    std::erase_if(cases, [&](const MatrixCase &one) { return one.name.find(options.only) == std::string::npos; });
    std::map<std::string, std::size_t> comparisons; // by form
    for (const MatrixCase &one : cases) {
        comparisons[one.form] += arithmetics_of(one).size();
    }
    unsigned differences = 0;
    std::uint64_t compared = 0;
    for (const MatrixCase &one : cases) {
        const std::size_t of_form = comparisons[one.form];
        const auto share = static_cast<unsigned>((sets + of_form - 1) / of_form);
        for (const TensorArithmetic arithmetic : arithmetics_of(one)) {
            const std::string message = compare_in_parts(one, arithmetic, share, options.first_round + compared);
            compared += share;
            differences += message.empty() ? 0 : 1;
            if (!message.empty()) {
                fmt::print("{}\n  {}\n", one.name, message);
            }
        }
    }
    fmt::print("{} forms, {} sets: {} differences\n", comparisons.size(), compared, differences);
    return differences == 0 ? 0 : 1;
}

} // namespace

int sc_main(int argc, char **argv) {
    spdlog::set_level(spdlog::level::off);
    CLI::App app{"Runs every PTX instruction on the model and compares the results with the interpreter's."};
    Options options;
    std::string folder;
    bool alone = false;
    unsigned sets = 0;
    app.add_option("--only", options.only, "this opcode only");
    app.add_option("--rounds", options.rounds, "rounds, each with other values");
    app.add_option("--first-round", options.first_round, "number of the first round");
    app.add_option("--differences", options.most_differences, "end after that many differences");
    app.add_option("-o", folder, "folder for modules that show a difference each");
    app.add_flag("--interpreter-only", alone, "compare the interpreter with itself: shows what is generated");
    app.add_option("--matrix-sets", sets,
                   "instead, compares matrix instructions, with so many sets of operands for each form");
    CLI11_PARSE(app, argc, argv);
    if (sets != 0) {
        return run_matrix(options, sets);
    }
    return run(options, folder, alone);
}
