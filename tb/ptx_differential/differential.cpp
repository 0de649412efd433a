#include "tb/ptx_differential/differential.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tb/ptx_differential/comparison.h"
#include "tb/ptx_differential/writer_case.h"

namespace smsim::ptx_differential {

namespace {

constexpr unsigned kSlotsPerKernel = 160;

std::vector<std::uint32_t> words_of(const std::vector<std::uint64_t> &values) {
    std::vector<std::uint32_t> words(2 * values.size());
    std::memcpy(words.data(), values.data(), 4 * words.size());
    return words;
}

class Comparison {
  public:
    Comparison(const Options &options, const Machine &machine, Summary &summary)
        : options_(options), machine_(machine), summary_(summary) {}

    void kernel(const KernelWriter &writer) {
        const launch::Launch launch = launch_of(writer);
        const std::string text = writer.text();
        if (options_.written) {
            options_.written(writer, launch);
        }
        ++summary_.kernels;
        const Ran expected = run_interpreter(text, launch);
        const Ran got = machine_(text, launch);
        if (!expected.error.empty() || !got.error.empty()) {
            return apart(writer, expected.error.empty() ? got.error : "interpreter: " + expected.error);
        }
        std::string last;
        for (const Check &check : writer.checks()) {
            one(writer, check, got.buffers.at(1), expected.buffers.at(1), last);
        }
    }

  private:
    /// For a kernel that did not run: runs its instructions one by one.
    void apart(const KernelWriter &writer, const std::string &error) {
        if (writer.added().size() <= 1) {
            const std::string name = writer.added().empty() ? "" : writer.added()[0].first->name();
            return report({name, error, writer.text()});
        }
        const std::size_t before = summary_.differences.size();
        const std::size_t half = writer.added().size() / 2;
        for (const bool second : {false, true}) {
            KernelWriter part(writer.batch());
            for (std::size_t i = second ? half : 0; i < (second ? writer.added().size() : half); ++i) {
                part.add(*writer.added()[i].first, writer.added()[i].second);
            }
            if (summary_.differences.size() < options_.most_differences) {
                kernel(part);
            }
        }
        if (summary_.differences.size() == before) {
            report({"", "only as a whole: " + error, writer.text()});
        }
    }

    void one(const KernelWriter &writer, const Check &check, const std::vector<std::uint8_t> &got,
             const std::vector<std::uint8_t> &expected, std::string &last) {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
            const std::size_t at = (std::size_t{check.slot} * kThreads + thread) * 8;
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            std::memcpy(&x, got.data() + at, 8);
            std::memcpy(&y, expected.data() + at, 8);
            const Verdict verdict = compare(check, writer.batch(), thread, x, y);
            ++summary_.values;
            summary_.undefined += verdict.kind == Verdict::Kind::kUndefined ? 1 : 0;
            if (verdict.kind == Verdict::Kind::kWithin) {
                double &worst = summary_.worst_ulps[check.variant->name()];
                worst = std::max(worst, verdict.ulps);
            }
            if (verdict.kind == Verdict::Kind::kDifferent && last != check.name) {
                last = check.name;
                KernelWriter alone(writer.batch());
                for (const auto &[variant, number] : writer.added()) {
                    KernelWriter tried(writer.batch());
                    tried.add(*variant, number);
                    if (variant == check.variant) {
                        alone = tried;
                    }
                }
                report({check.name,
                        fmt::format("thread {}: {:#x}, expected {:#x} ({})", thread, x, y,
                                    inputs_text(check, writer.batch(), thread)),
                        alone.text()});
            }
        }
    }

    void report(const Difference &difference) {
        if (summary_.differences.size() < options_.most_differences) {
            summary_.differences.push_back(difference);
        }
    }

    const Options &options_;
    const Machine &machine_;
    Summary &summary_;
};

} // namespace

launch::Launch launch_of(const KernelWriter &writer) {
    launch::Launch launch;
    launch.kernel = "k";
    launch.block = {kThreads, 1, 1};
    for (unsigned i = 0; i < KernelWriter::kParameterBytes / 8; ++i) {
        launch.arguments.push_back(
            scalar_argument("block" + std::to_string(i), value_of(writer.batch(), value_set("b64"), 0, i)));
    }
    launch.arguments.push_back(buffer_argument("in", words_of(all_values(writer.batch()))));
    launch.arguments.push_back(
        buffer_argument("out", std::vector<std::uint32_t>(std::size_t{std::max(writer.slots(), 1U)} * kThreads * 2)));
    launch.arguments.push_back(
        buffer_argument("scratch", std::vector<std::uint32_t>(KernelWriter::kScratchBytes * kThreads / 4)));
    return launch;
}

std::vector<KernelWriter> all_kernels(const Options &options, Summary &summary) {
    std::vector<KernelWriter> kernels;
    for (unsigned round = options.first_round; round < options.first_round + options.rounds; ++round) {
        unsigned number = 0;
        for (const ptx::InstructionForm &form : ptx::instruction_forms()) {
            const bool wanted = options.only.empty() || options.only == form.opcode;
            if (!wanted || !is_covered(form) || manner_of(form.opcode) == Manner::kByHand) {
                continue;
            }
            summary.forms += round == options.first_round ? 1 : 0;
            for (const Variant &variant : cached_variants(form)) {
                summary.variants += round == options.first_round ? 1 : 0;
                // A form with few variants is written several times, so that each operand is a constant once.
                const std::size_t times = cached_variants(form).size() < 8 ? 8 : 2;
                for (std::size_t i = 0; i < times; ++i) {
                    if (kernels.empty() || kernels.back().slots() >= kSlotsPerKernel ||
                        kernels.back().added().size() >= kSlotsPerKernel) {
                        kernels.emplace_back(static_cast<unsigned>(std::size_t{round} * 1000 + kernels.size()));
                    }
                    kernels.back().add(variant, number++ + round * 5);
                    ++summary.instructions;
                }
            }
        }
    }
    return kernels;
}

Summary compare_all(const Options &options, const Machine &machine) {
    Summary summary;
    for (const KernelWriter &writer : all_kernels(options, summary)) {
        if (summary.differences.size() < options.most_differences) {
            Comparison(options, machine, summary).kernel(writer);
        }
    }
    return summary;
}

std::string summary_text(const Summary &summary) {
    std::string text = fmt::format("{} forms, {} with types and modifiers, {} instructions in {} kernels\n"
                                   "{} values compared, {} of them undefined by PTX, {} differences\n",
                                   summary.forms, summary.variants, summary.instructions, summary.kernels,
                                   summary.values, summary.undefined, summary.differences.size());
    for (const auto &[name, ulps] : summary.worst_ulps) {
        text += fmt::format("  {}: {:.2f} ulp at most\n", name, ulps);
    }
    for (const Difference &difference : summary.differences) {
        text += fmt::format("{}\n  {}\n", difference.instruction, difference.message);
    }
    return text;
}

} // namespace smsim::ptx_differential
