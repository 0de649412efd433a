#include "app/translation_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "app/children.h"
#include "app/exit_status.h"
#include "app/run_requests.h"
#include "model/error.h"
#include "model/launch/layout.h"
#include "model/timing/dependence.h"
#include "ptx/checker.h"
#include "ptx/interpreter/interpreter.h"
#include "ptx/launch_bounds.h"
#include "ptx/optimise/optimise.h"
#include "ptx/parser.h"
#include "ptx/simplify.h"

namespace smsim::app {

namespace {

/// A module in the form that the compiler and the interpreter take.
ptx::Module plain_module(const PtxSource &source) {
    ptx::Module module = ptx::parse_module(source.text, source.name);
    ptx::resolve_aliases(module, source.name);
    ptx::simplify(module);
    ptx::check_module(module, source.name);
    return module;
}

using Buffers = std::vector<std::vector<std::uint8_t>>;

/// Floats this close to the interpreter's may result from functions that PTX only approximates.
constexpr float kNear = 1e-3F;

/// Instructions of the interpreter after which a kernel is considered endless.
constexpr std::uint64_t kMostSteps = 50'000'000;

std::uint32_t word_at(const std::vector<std::uint8_t> &bytes, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(4, bytes.size() - at));
    return word;
}

bool is_near(std::uint32_t got, std::uint32_t expected) {
    const float a = std::bit_cast<float>(got);
    const float b = std::bit_cast<float>(expected);
    return std::abs(a - b) <= kNear * std::max(std::abs(a), std::abs(b));
}

struct Difference {
    std::string text; ///< of the first one; empty: none
    std::uint64_t near = 0;
};

/// Whether the buffer is compared: buffers that the launch file checks are, because others may depend on the order of
/// threads; all are when it checks none.
bool is_compared(const launch::Launch &launch, std::size_t argument) {
    return launch.arguments[argument].is_buffer &&
           (launch.checks.empty() ||
            std::ranges::any_of(launch.checks, [&](const launch::Check &check) { return check.argument == argument; }));
}

/// Compares the buffers of a launch; near floats are counted and are not differences.
Difference compare(const launch::Launch &launch, const Buffers &got, const Buffers &expected) {
    Difference difference;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (!is_compared(launch, i)) {
            continue;
        }
        for (std::size_t at = 0; at < expected[i].size(); at += 4) {
            const std::uint32_t a = word_at(got[i], at);
            const std::uint32_t b = word_at(expected[i], at);
            if (a == b) {
                continue;
            }
            if (is_near(a, b)) {
                ++difference.near;
                continue;
            }
            difference.text =
                fmt::format("{}, byte {}: {:#010x}, expected {:#010x}", launch.arguments[i].name, at, a, b);
            return difference;
        }
    }
    return difference;
}

/// FNV-1a.
std::uint64_t digest(const launch::Launch &launch, const Buffers &buffers) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        for (std::size_t at = 0; is_compared(launch, i) && at < buffers[i].size(); ++at) {
            hash = (hash ^ buffers[i][at]) * 0x100000001b3;
        }
    }
    return hash;
}

class Validation {
  public:
    Validation(const PtxSource &source, const launch::Launch &launch, const Config &config, ptx::CompileOptions compile,
               const Simulation &simulation)
        : source_(source), launch_(launch), config_(config), compile_(std::move(compile)), simulation_(simulation) {}

    TranslationVerdict run() {
        compile();
        interpret();
        if (verdict_.inconclusive.empty()) {
            model();
        }
        return verdict_;
    }

  private:
    void interpret() {
        const ptx::Module module = plain_module(source_);
        const launch::BufferLayout layout = launch::lay_out_buffers(launch_);
        ptx::interpreter::Launch inner = ptx::interpreter::launch_of(launch_, layout.addresses);
        inner.max_steps = kMostSteps;
        inner.tensor_arithmetic = config_.tensor.arithmetic;
        inner.tensor_zero_terms = config_.tensor.zero_terms;
        ptx::interpreter::Result result =
            ptx::interpreter::run(ptx::interpreter::prepare(module), verdict_.kernel, inner);
        verdict_.inconclusive = result.error.empty() ? "" : "the interpreter: " + result.error;
        verdict_.instructions = result.steps;
        std::size_t next = 0;
        for (std::size_t i = 0; i < launch_.arguments.size() && result.error.empty(); ++i) {
            expected_.push_back(launch_.arguments[i].is_buffer ? std::move(result.buffers[next++])
                                                               : std::vector<std::uint8_t>());
            verdict_.words += is_compared(launch_, i) ? (expected_.back().size() + 3) / 4 : 0;
        }
    }

    /// Finds the kernel, and the names of the passes, in the order of their runs, of the function that has most.
    void compile() {
        ptx::CompileLog log;
        ptx::CompileOptions options = compile_;
        options.log = &log;
        const Program program = ptx::compile(source_.text, source_.name, timing::SchedulingModel(config_), options);
        verdict_.kernel = select_kernel(program, launch_).name;
        const std::vector<std::string> &names = ptx::optimise::pass_names();
        std::vector<std::string> runs;
        for (const ptx::PassRecord &record : log.passes) {
            if (record.pass == ptx::pass_names().front()) { // the next function
                runs.clear();
            } else if (std::ranges::find(names, record.pass) != names.end()) {
                runs.push_back(record.pass);
            }
            if (runs.size() > passes_.size()) {
                passes_ = runs;
            }
        }
        verdict_.runs = static_cast<unsigned>(passes_.size());
    }

    /// Runs the states of the code, each in a process that compares and writes what it finds.
    void model() {
        Tasks tasks;
        tasks.count = passes_.size() + 1;
        tasks.run = [this](std::size_t index) { return state(index); };
        tasks.ended = [this](std::size_t index, const TaskEnd &end) {
            const std::string name =
                index == 0 ? "as selected" : fmt::format("after pass {} ({})", index, passes_[index - 1]);
            if (end.signal != 0) {
                verdict_.differences.push_back(fmt::format("{}: crashed, signal {}", name, end.signal));
            } else if (end.status == kCheckFailed) {
                verdict_.differences.push_back(fmt::format("{}: {}", name, end.output));
            } else {
                compare_states(index, name, end.output);
            }
        };
        tasks.stop = [] { return false; };
        run_in_children(tasks);
    }

    /// The code after `runs` passes: writes how many words are near, and what distinguishes results.
    int state(std::size_t runs) {
        try {
            const session::SimulationResult result = simulated(static_cast<unsigned>(runs));
            if (result.fault) {
                std::cout << result.exception << std::flush;
                return kCheckFailed;
            }
            std::vector<std::vector<std::uint8_t>> buffers;
            for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
                buffers.emplace_back(launch_.arguments[i].bytes());
                if (launch_.arguments[i].is_buffer) {
                    result.memory->read(i, 0, buffers.back());
                }
            }
            const Difference found = compare(launch_, buffers, expected_);
            std::cout << (found.text.empty() ? fmt::format("{} {:x}", found.near, digest(launch_, buffers))
                                             : found.text)
                      << std::flush;
            return found.text.empty() ? kSuccess : kCheckFailed;
        } catch (const std::exception &error) {
            std::cout << error.what() << std::flush;
            return kCheckFailed;
        }
    }

    /// What PTX approximates may differ from the interpreter, but not from one state of the code to the next.
    void compare_states(std::size_t index, const std::string &name, const std::string &found) {
        if (index == 0) {
            as_selected_ = found;
            verdict_.near = std::strtoull(found.c_str(), nullptr, 10);
        } else if (!as_selected_.empty() && found != as_selected_) {
            verdict_.differences.push_back(name + ": other floats than the code as it was selected");
        }
    }

    session::SimulationResult simulated(unsigned runs) {
        SimulationInput input;
        input.config = config_;
        input.launch = launch_;
        ptx::CompileOptions compile = compile_;
        compile.passes.runs = runs;
        input.program = ptx::compile(source_.text, source_.name, timing::SchedulingModel(config_), compile);
        input.kernel = &select_kernel(input.program, launch_);
        Progress progress(0, false);
        return simulation_(input, progress);
    }

    const PtxSource &source_;
    const launch::Launch &launch_;
    const Config &config_;
    ptx::CompileOptions compile_;
    const Simulation &simulation_;
    TranslationVerdict verdict_;
    Buffers expected_;
    std::vector<std::string> passes_;
    std::string as_selected_; ///< what state 0 has written
};

/// CTA dimensions that a kernel may be launched with, when none are specified.
std::array<std::uint32_t, 3> block_of(const ptx::Function &kernel) {
    constexpr std::uint32_t kUsual = 64;
    const ptx::LaunchBounds bounds = ptx::launch_bounds(kernel);
    if (bounds.threads_required) {
        return bounds.block;
    }
    return {std::min(bounds.most_threads.value_or(kUsual), kUsual), 1, 1};
}

/// A buffer of small numbers, of floats between -2 and 2, or of any words.
launch::Argument random_buffer(const std::string &name, std::uint64_t seed) {
    constexpr std::uint64_t kWords = 4096;
    launch::Argument argument{.name = name,
                              .type = launch::ElementType::kU32,
                              .is_buffer = true,
                              .value = {},
                              .count = kWords,
                              .init = {},
                              .place = name};
    switch (launch::random_word(seed, 0) % 3) {
    case 0:
        argument.init = launch::Random{seed, std::uint64_t{0}, std::uint64_t{63}};
        break;
    case 1:
        argument.type = launch::ElementType::kF32;
        argument.init = launch::Random{seed, -2.0, 2.0};
        break;
    default:
        argument.init = launch::Random{seed, std::uint64_t{0}, std::uint64_t{0xffffffff}};
        break;
    }
    return argument;
}

launch::Argument random_argument(const ptx::Variable &parameter, const PtxSource &source, std::uint64_t seed) {
    constexpr std::uint64_t kMostNumber = 64;
    const std::uint64_t number = 1 + launch::random_word(seed, 1) % kMostNumber;
    const bool is_float = parameter.type.kind == ptx::TypeClass::kFloat;
    if (parameter.dimensions.empty() && parameter.vector == 1 && !is_float && parameter.type.bits == 64) {
        return random_buffer(parameter.name, seed);
    }
    constexpr std::array kIntegers = {std::pair{8U, launch::ElementType::kU8},
                                      std::pair{16U, launch::ElementType::kU16},
                                      std::pair{32U, launch::ElementType::kU32}};
    const auto integer =
        std::ranges::find(kIntegers, parameter.type.bits, &std::pair<unsigned, launch::ElementType>::first);
    const bool known = is_float ? parameter.type.bits >= 32 : integer != kIntegers.end();
    if (!parameter.dimensions.empty() || parameter.vector != 1 || !known) {
        throw InputError(
            fmt::format("{}:{}:{}: parameter '{}' is neither a number nor a pointer; expected a launch file with "
                        "arguments (--launch)",
                        source.name, parameter.place.line, parameter.place.column, parameter.name));
    }
    launch::Argument argument{.name = parameter.name,
                              .type = launch::ElementType::kU32,
                              .is_buffer = false,
                              .value = number,
                              .count = 0,
                              .init = {},
                              .place = parameter.name};
    if (is_float) {
        argument.type = parameter.type.bits == 64 ? launch::ElementType::kF64 : launch::ElementType::kF32;
        argument.value = static_cast<double>(number) / kMostNumber;
    } else {
        argument.type = integer->second;
    }
    return argument;
}

} // namespace

std::vector<launch::Launch> random_launches(const PtxSource &source, unsigned count, std::uint64_t seed) {
    constexpr std::uint32_t kCtas = 2;
    constexpr std::uint32_t kDynamicShared = 16384;
    const ptx::Module module = plain_module(source);
    std::vector<launch::Launch> launches;
    for (const auto &item : module.items) {
        const auto *function = std::get_if<ptx::Function>(&item);
        for (unsigned i = 0; function != nullptr && function->entry && function->body && i < count; ++i) {
            launch::Launch launch;
            launch.path = source.name;
            launch.program = source.name;
            launch.kernel = function->name;
            launch.grid = {kCtas, 1, 1};
            launch.block = block_of(*function);
            launch.dynamic_shared = kDynamicShared;
            for (const ptx::Variable &parameter : function->signature.parameters) {
                launch.arguments.push_back(random_argument(
                    parameter, source, launch::random_word(seed, launches.size() * 64 + launch.arguments.size())));
            }
            launches.push_back(std::move(launch));
        }
    }
    if (launches.empty()) {
        throw InputError(source.name + ": has no kernel that could be run");
    }
    return launches;
}

TranslationVerdict check_translation(const PtxSource &source, const launch::Launch &launch, const Config &config,
                                     const ptx::CompileOptions &compile, const Simulation &simulation) {
    return Validation(source, launch, config, compile, simulation).run();
}

} // namespace smsim::app
