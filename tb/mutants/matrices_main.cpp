// The test of one seeded bug in matrix instructions: those of PTX, with random and special operands, must have other
// bits than the interpreter gives them, which multiplies matrices in its own way.
//
// mutant_NAME [--only TEXT]: prints the first difference. Exit status 0: there is one; 1: there is none.
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>
#include <systemc>

#include "tb/ptx_differential/matrix_comparison.h"

int sc_main(int argc, char **argv) {
    using namespace smsim::ptx_differential;
    constexpr unsigned kSets = 4; // as many as the test without a bug has
    std::string only;
    CLI::App app("Looks for a seeded bug with matrix instructions.");
    app.add_option("--only", only, "Only instructions whose names contain this");
    CLI11_PARSE(app, argc, argv);
    spdlog::set_level(spdlog::level::off);
    for (const MatrixCase &one : matrix_cases()) {
        if (one.name.find(only) == std::string::npos) {
            continue;
        }
        for (const smsim::TensorArithmetic arithmetic : arithmetics_of(one)) {
            const std::string message = compare_matrix(one, arithmetic, kSets, 1);
            if (!message.empty()) {
                std::cout << one.name << '\n' << message << '\n';
                return 0;
            }
        }
    }
    std::cout << "the seeded bug has not been found\n";
    return 1;
}
