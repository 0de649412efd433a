// Cases: from text to verdict.
#include "tb/state_space/case.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"

namespace smsim::state_space {

Rules rules_of(const std::vector<std::string> &settings) {
    std::vector<std::string> keys;
    std::vector<std::string> names;
    for (const std::string &setting : settings) {
        (setting.find('=') != std::string::npos ? keys : names).push_back(setting);
    }
    BruConfig bru = load_config(std::nullopt, keys).bru;
    if (bru.election.is_library()) {
        throw InputError(
            "bru.election: a choice from a library may have a state that the search does not see; expected "
            "one of the model's own");
    }
    return {std::move(bru), independent_rules::readings_of(names)};
}

Machine machine_of(const Case &program, const std::vector<std::string> &settings) {
    std::vector<std::string> all = program.settings;
    all.insert(all.end(), settings.begin(), settings.end());
    const Rules rules = rules_of(all);
    Setup setup;
    setup.program = assemble_plain(program.text);
    setup.threads = program.threads;
    setup.bru = rules.bru;
    setup.readings = rules.readings;
    setup.sleep_steps = program.sleep_steps;
    return Machine(std::move(setup));
}

ResultCheck check_of(const Case &program) {
    return [&program](const Machine &machine, const State &state) -> std::optional<std::string> {
        for (const Expected &expected : program.registers) {
            for (unsigned lane = 0; lane < expected.lanes.size(); ++lane) {
                const std::uint32_t value = machine.value(state, expected.warp, expected.reg, lane);
                if (value != expected.lanes[lane]) {
                    return fmt::format("R{} of thread {} of warp {} is {:#x}, expected {:#x}", expected.reg, lane,
                                       expected.warp, value, expected.lanes[lane]);
                }
            }
        }
        for (std::size_t word = 0; word < program.shared.size(); ++word) {
            std::uint32_t value = 0;
            std::memcpy(&value, state.shared.data() + 4 * word, sizeof value);
            if (value != program.shared[word]) {
                return fmt::format("shared word {} is {:#x}, expected {:#x}", word, value, program.shared[word]);
            }
        }
        return std::nullopt;
    };
}

SearchResult run(const Case &program, const std::vector<std::string> &settings, const Limits &limits) {
    Machine machine = machine_of(program, settings);
    return search(machine, check_of(program), limits);
}

std::optional<std::string> judge(const Case &program, const SearchResult &searched) {
    if (program.endless) {
        return judge_endless(searched);
    }
    return program.fault ? judge_illegal(searched, *program.fault) : judge_legal(searched);
}

} // namespace smsim::state_space
