// The documented instruction set equals that of the table.
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/isa/isa.h"
#include "model/timing/pipes.h"

namespace smsim::isa {
namespace {

using ::testing::HasSubstr;

std::string document() {
    std::ifstream file(SMSIM_SOURCE_DIR "/docs/instruction-set.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(InstructionSetDocument, NamesEveryOperationWithNumberUnitAndMeaning) {
    const std::string text = document();
    for (const OpSpec &spec : all_operations()) {
        const std::string row = fmt::format("| {:#04x} | `{}` | {} |", static_cast<unsigned>(spec.op), spec.name,
                                            timing::pipe_spec(spec.unit).name);
        const std::size_t at = text.find(row);
        ASSERT_NE(at, std::string::npos) << row;
        const std::string line = text.substr(at, text.find('\n', at) - at);
        EXPECT_THAT(line, HasSubstr(std::string(spec.summary)));
        for (const ModifierSpec &modifier : spec.modifiers) {
            EXPECT_THAT(line, HasSubstr(fmt::format("`<{},{}>`", modifier.lsb, modifier.width)));
            for (std::size_t value = 0; value < modifier.names.size(); ++value) {
                if (!modifier.names[value].empty()) {
                    EXPECT_THAT(line, HasSubstr(fmt::format(".{} {}", modifier.names[value], value)));
                }
            }
        }
        for (const FormSpec &form : spec.forms) {
            EXPECT_THAT(line, HasSubstr(fmt::format("{}: ", form_name(form.form))));
        }
    }
}

TEST(InstructionSetDocument, NamesFormsAndSpecialRegistersWithTheirNumbers) {
    const std::string text = document();
    for (unsigned form = 0; form <= static_cast<unsigned>(Form::kRru); ++form) {
        EXPECT_THAT(text, HasSubstr(fmt::format("| {} | {} |", form, form_name(static_cast<Form>(form)))));
    }
    const auto names = special_register_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_THAT(text, HasSubstr(fmt::format("| {} | `{}` |", i, names[i])));
    }
}

} // namespace
} // namespace smsim::isa
