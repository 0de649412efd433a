// Every PTX instruction gives the same results on the model and on the interpreter, and none is left out.
#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <set>

#include "tb/ptx_differential/differential.h"
#include "tb/ptx_differential/hand_written.h"
#include "tb/ptx_differential/writer_case.h"

namespace smsim::ptx_differential {
namespace {

class HandWrittenPrograms : public testing::TestWithParam<std::size_t> {};

std::vector<std::string> sorted_lines(const std::string &text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::ranges::sort(lines);
    return lines;
}

TEST_P(HandWrittenPrograms, GiveTheResultsOfTheInterpreter) {
    spdlog::set_level(spdlog::level::off);
    const HandWritten written = hand_written_programs().at(GetParam());
    SCOPED_TRACE(written.name);
    const Ran expected = run_interpreter(written.text, written.launch);
    const Ran got = run_model(written.text, written.launch);
    if (written.traps) {
        const std::size_t assertion = expected.error.find("assertion");
        EXPECT_THAT(expected.error, testing::HasSubstr(assertion == std::string::npos ? "trap" : "assertion"));
        if (assertion != std::string::npos) {
            EXPECT_THAT(got.error, testing::HasSubstr(expected.error.substr(assertion)));
        }
        EXPECT_NE(got.error, "");
        EXPECT_THAT(got.error, testing::Not(testing::HasSubstr("refused")));
        return;
    }
    ASSERT_EQ(expected.error, "");
    ASSERT_EQ(got.error, "");
    EXPECT_EQ(got.buffers, expected.buffers);
    EXPECT_EQ(sorted_lines(got.printed), sorted_lines(expected.printed)) << "their order is the machine's choice";
}

INSTANTIATE_TEST_SUITE_P(All, HandWrittenPrograms, testing::Range<std::size_t>(0, hand_written_programs().size()),
                         [](const auto &parameter) {
                             std::string name = hand_written_programs()[parameter.param].name;
                             std::ranges::replace(name, ' ', '_');
                             return name;
                         });

TEST(Instructions, GiveTheResultsOfTheInterpreter) {
    spdlog::set_level(spdlog::level::off);
    const Summary summary =
        compare_all({}, [](const std::string &text, const launch::Launch &launch) { return run_model(text, launch); });
    EXPECT_TRUE(summary.differences.empty()) << summary_text(summary);
    EXPECT_GT(summary.values, 1'000'000U);
}

TEST(Completeness, EveryCoveredFormIsGeneratedOrWrittenByHand) {
    std::set<std::string> by_hand;
    for (const HandWritten &written : hand_written_programs()) {
        by_hand.insert(written.opcodes.begin(), written.opcodes.end());
    }
    for (const ptx::InstructionForm &form : ptx::instruction_forms()) {
        if (is_covered(form) && manner_of(form.opcode) == Manner::kByHand) {
            EXPECT_TRUE(by_hand.contains(std::string(form.opcode))) << form.opcode;
        } else if (is_covered(form)) {
            EXPECT_FALSE(cached_variants(form).empty()) << form.opcode << ' ' << form.modifiers;
        }
    }
}

/// All words that any slot of the table accepts, found by trying words on the forms themselves.
TEST(Completeness, NoWordOfTheTableIsMissing) {
    std::set<std::string> words;
    for (const ptx::InstructionForm &form : ptx::instruction_forms()) {
        for (const std::string_view slot : slots_of(form)) {
            const auto choices = choices_of(slot);
            words.insert(choices.begin(), choices.end());
        }
    }
    for (const std::string_view more :
         {"f16", "f16x2",     "bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "f32x2", "b128", "s16x2",   "u16x2",  "rna",
          "rs",  "satfinite", "relu", "noftz",  "oob",  "cc",     "v8",     "weak",  "mmio", "unified", "cluster"}) {
        words.insert(std::string(more));
    }
    for (const ptx::InstructionForm &form : ptx::instruction_forms()) {
        if (!is_covered(form) || manner_of(form.opcode) == Manner::kByHand) {
            continue;
        }
        const std::vector<Variant> &variants = cached_variants(form);
        const Variant &base = variants.front();
        std::vector<ptx::Type> types;
        for (std::size_t at = 0; at < base.modifiers.size(); ++at) {
            for (const std::string &word : words) {
                Variant changed = base;
                changed.modifiers[at] = word;
                if (!match_modifiers(form, changed.modifiers, changed.types) || !excluded_by(changed).empty()) {
                    continue;
                }
                EXPECT_TRUE(std::ranges::any_of(variants, [&](const Variant &one) { return one.has(word); }))
                    << changed.name() << " is accepted and not generated";
            }
        }
    }
}

TEST(Completeness, EveryOperandIsOnceARegisterAndOnceAConstant) {
    Summary summary;
    std::map<const ptx::InstructionForm *, std::array<unsigned, 2>> seen;
    for (const KernelWriter &writer : all_kernels({}, summary)) {
        for (const Check &check : writer.checks()) {
            for (std::size_t i = 0; check.computed && i < check.inputs.size(); ++i) {
                seen[check.variant->form][check.inputs[i].constant ? 1 : 0] |= 1U << i;
            }
        }
    }
    EXPECT_GT(seen.size(), 50U);
    for (const auto &[form, positions] : seen) {
        const auto words = operand_words(*form);
        unsigned sources = 0;
        unsigned integers_only = 0;
        for (const std::string_view word : words) {
            const bool target = std::string_view("dDwePxvzZ").find(word.front()) != std::string_view::npos;
            integers_only |= !target && word == "i" ? 1U << sources : 0;
            sources += target ? 0 : 1;
        }
        const unsigned all = (1U << std::min(sources, 3U)) - 1;
        EXPECT_EQ(positions[0] & all, all & ~integers_only) << form->opcode << ' ' << form->modifiers;
    }
}

TEST(Comparison, AllowsTheDocumentedErrorsAndNoOther) {
    Summary summary;
    Options options;
    options.only = "ex2";
    // A machine that answers with the interpreter's results, wrong by some units in the last place.
    const auto off_by = [](std::uint32_t units) {
        return [units](const std::string &text, const launch::Launch &launch) {
            Ran ran = run_interpreter(text, launch);
            for (std::size_t at = 0; at < ran.buffers[1].size(); at += 8) {
                const bool finite = (ran.buffers[1][at + 3] & 0x7f) != 0x7f && (ran.buffers[1][at + 3] & 0x7f) != 0;
                ran.buffers[1][at] = static_cast<std::uint8_t>(
                    finite && ran.buffers[1][at] < 0x80 ? ran.buffers[1][at] + units : ran.buffers[1][at]);
            }
            return ran;
        };
    };
    const auto in_single_precision = [](const Summary &compared) {
        return std::ranges::count_if(compared.differences, [](const Difference &difference) {
            return difference.instruction.find(".f32") != std::string::npos;
        });
    };
    EXPECT_EQ(in_single_precision(compare_all(options, off_by(2))), 0);
    EXPECT_GT(in_single_precision(compare_all(options, off_by(3))), 0);
    options.only = "mul";
    EXPECT_FALSE(compare_all(options, off_by(1)).differences.empty());
}

} // namespace
} // namespace smsim::ptx_differential
