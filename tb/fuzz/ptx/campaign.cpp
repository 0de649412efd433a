#include "tb/fuzz/ptx/campaign.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "model/config/config.h"
#include "model/config/schema.h"
#include "ptx/optimise/optimise.h"
#include "tb/fuzz/programs/vary.h"
#include "tb/fuzz/ptx/program_writer.h"

namespace smsim::ptx_fuzz {

namespace {

constexpr std::uint64_t kMostSteps = 100'000'000;
constexpr std::uint32_t kStackBytes = 16384; ///< for the frames of nested function calls
constexpr unsigned kFewRegisters = 32;       ///< few enough that values are spilled

std::string first_difference(const std::vector<std::vector<std::uint8_t>> &got,
                             const std::vector<std::vector<std::uint8_t>> &expected) {
    for (std::size_t buffer = 0; buffer < expected.size(); ++buffer) {
        for (std::size_t at = 0; at + 4 <= expected[buffer].size(); at += 4) {
            std::uint32_t x = 0;
            std::uint32_t y = 0;
            std::memcpy(&x, got.at(buffer).data() + at, 4);
            std::memcpy(&y, expected[buffer].data() + at, 4);
            if (x != y) {
                const std::string where = buffer == 0
                                              ? fmt::format("thread {} word {}", at / 4 / kOwnWords, at / 4 % kOwnWords)
                                              : fmt::format("shared word {}", at / 4);
                return fmt::format("{}: {:#x}, expected {:#x}", where, x, y);
            }
        }
    }
    return "";
}

/// Removes one piece after another from a list of statements while `fails` holds.
template <typename Fails> void cut(std::vector<Node> &nodes, const Fails &fails) {
    for (std::size_t length = std::max<std::size_t>(nodes.size() / 2, 1); length > 0; length /= 2) {
        for (std::size_t at = 0; at < nodes.size();) {
            const std::vector<Node> before = nodes;
            const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(at);
            nodes.erase(first, first + static_cast<std::ptrdiff_t>(std::min(length, nodes.size() - at)));
            if (!fails()) {
                nodes = before;
                at += length;
            }
        }
    }
    for (Node &node : nodes) {
        for (auto &child : node.children) {
            cut(child, fails);
        }
    }
}

/// The differences from the default design, as options of `smsim run`.
std::string settings_text(const Config &config) {
    std::string text;
    for (const ConfigKey &key : config_keys()) {
        if (const std::string value = value_text(config, key); value != value_text(Config{}, key)) {
            text += fmt::format(" --set {}={}", key.name, value);
        }
    }
    return text.empty() ? text : "\nwith" + text;
}

std::string passes_text(const ptx::CompileOptions &code) {
    const std::string only = code.passes.only.empty() ? "" : ", pass " + code.passes.only.front() + " alone";
    const bool few = code.passes.runs != ptx::PassChoice().runs;
    return fmt::format("\nat level {}{}{}", code.level, only, few ? fmt::format(", {} passes", code.passes.runs) : "");
}

} // namespace

ptx::CompileOptions varied_passes(std::uint64_t seed) {
    constexpr std::uint64_t kMostRuns = 24;
    ptx::CompileOptions code;
    const std::vector<std::string> &names = ptx::optimise::pass_names();
    const std::uint64_t choice = seed / 3;
    switch (seed % 3) {
    case 0:
        code.level = static_cast<unsigned>(choice % (ptx::optimise::kMostLevel + 1));
        break;
    case 1:
        code.passes.only = {names[choice % names.size()]};
        break;
    default:
        code.passes.runs = static_cast<unsigned>(choice % kMostRuns);
        break;
    }
    return code;
}

std::string judge(const Tree &tree, const Options &options, Summary &summary) {
    const std::string text = write_program(tree);
    const launch::Launch launch = launch_of(tree);
    const ptx_differential::Ran expected = ptx_differential::run_interpreter(text, launch, kMostSteps);
    if (!expected.error.empty()) {
        return "interpreter: " + expected.error;
    }
    Config config = options.vary_design ? fuzz::vary(tree.seed, tree.threads).config : Config{};
    config.bru.engine = tree.engine;
    ptx::CompileOptions code = options.vary_passes ? varied_passes(tree.seed) : ptx::CompileOptions();
    code.registers = tree.seed % 4 == 1 ? kFewRegisters : 255;
    code.stack_bytes = kStackBytes;
    const ptx_differential::Ran got = ptx_differential::run_model(text, launch, config, code);
    if (got.error.starts_with("refused: ") && got.error.find(", which ") != std::string::npos &&
        got.error.ends_with(" cannot hold")) {
        ++summary.refused;
        return "";
    }
    summary.thread_instructions += expected.instructions;
    summary.warp_instructions += got.instructions;
    const std::string wrong = got.error.empty() ? first_difference(got.buffers, expected.buffers) : got.error;
    return wrong.empty() ? wrong : wrong + settings_text(config) + passes_text(code);
}

Summary run_campaign(const Options &options) {
    Summary summary;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.programs; ++seed) {
        Tree tree = grow(seed);
        tree.engine = options.engine;
        tree.beyond_compiler = options.beyond_compiler;
        const std::string message = judge(tree, options, summary);
        ++summary.programs;
        summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!message.empty()) {
            summary.failures.push_back({seed, message});
        }
        if (options.progress) {
            options.progress(summary);
        }
    }
    return summary;
}

Tree shrink(Tree tree, const Options &options, unsigned runs) {
    Summary unused;
    const auto fails = [&] { return runs != 0 && (--runs, !judge(tree, options, unused).empty()); };
    for (std::size_t before = count_nodes(tree) + 1; count_nodes(tree) < before && runs != 0;) {
        before = count_nodes(tree);
        cut(tree.kernel, fails);
        for (auto &function : tree.functions) {
            cut(function, fails);
        }
    }
    const std::uint32_t ctas = std::exchange(tree.ctas, 1);
    tree.ctas = ctas == 1 || fails() ? 1 : ctas;
    return tree;
}

void write_reproducer(const Tree &tree, const std::string &message, const std::string &folder) {
    std::filesystem::create_directories(folder);
    const std::string name = "program" + std::to_string(tree.seed);
    const std::filesystem::path base = std::filesystem::path(folder) / name;
    std::string comment = "// " + message + "\n";
    for (std::size_t at = 0; (at = comment.find('\n', at)) + 1 < comment.size();) {
        comment.insert(++at, "// ");
    }
    std::ofstream(base.string() + ".ptx") << comment << write_program(tree);
    std::ofstream(base.string() + ".yaml") << ptx_differential::launch_text(launch_of(tree), name + ".ptx");
}

} // namespace smsim::ptx_fuzz
