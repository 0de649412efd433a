// The test of one seeded bug that legal programs rarely or never show, such as a missing exception: the rules of the
// engine written a second time must see it, in random states.
//
// mutant_NAME --engine ENGINE: prints the first difference. Exit status 0: there is one; 1: there is none.
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <systemc>

#include "tb/independent_rules/stack_comparison.h"

int sc_main(int argc, char **argv) {
    constexpr std::uint32_t kPrograms = 3000;
    std::string engine;
    CLI::App app("Looks for a seeded bug with a second implementation of the rules.");
    app.add_option("--engine", engine)->required()->check(CLI::IsMember({"simt_stack", "token_stack"}));
    CLI11_PARSE(app, argc, argv);
    namespace independent_rules = smsim::independent_rules;
    independent_rules::Seen seen;
    std::optional<std::string> difference = engine == "simt_stack"
                                                ? independent_rules::simt_difference(kPrograms, seen)
                                                : independent_rules::token_difference(kPrograms, seen);
    if (!difference) {
        difference = independent_rules::condition_test_difference();
    }
    std::cout << difference.value_or("the seeded bug has not been found") << '\n';
    return difference ? 0 : 1;
}
