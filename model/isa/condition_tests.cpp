// Names of condition tests, and the reasons for rejecting others.
#include "model/isa/condition_tests.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace smsim::isa {
namespace {

constexpr std::string_view kClipUnit = "it asks a clip unit for graphics, which the model does not have";
constexpr std::string_view kUndefined = "no description says when it holds";

struct Refused {
    std::string_view name;
    std::string_view reason;
};
// By number, after those that exist.
constexpr std::array kRefused = {Refused{"CSM_TA", kClipUnit},  Refused{"CSM_TR", kClipUnit},
                                 Refused{"CSM_MX", kClipUnit},  Refused{"FCSM_TA", kClipUnit},
                                 Refused{"FCSM_TR", kClipUnit}, Refused{"FCSM_MX", kClipUnit},
                                 Refused{"RLE", kUndefined},    Refused{"RGT", kUndefined}};

std::string refusal(const Refused &test) {
    return std::string("condition test ").append(test.name).append(" is not possible: ").append(test.reason);
}

} // namespace

std::optional<ConditionTest> find_condition_test(std::string_view name) {
    for (unsigned number = 0; number < kConditionTests; ++number) {
        const auto test = static_cast<ConditionTest>(number);
        if (condition_test_name(test) == name) {
            return test;
        }
    }
    return std::nullopt;
}

std::string condition_test_refusal(std::string_view name) {
    if (const auto *const found = std::ranges::find(kRefused, name, &Refused::name); found != kRefused.end()) {
        return refusal(*found);
    }
    std::string names;
    for (unsigned number = 0; number < kConditionTests; ++number) {
        names.append(names.empty() ? "" : ", ").append(condition_test_name(static_cast<ConditionTest>(number)));
    }
    return std::string("there is no condition test '").append(name).append("'; expected one of ").append(names);
}

std::string condition_test_refusal(unsigned number) {
    return number < kConditionTests ? std::string() : refusal(kRefused.at(number - kConditionTests));
}

} // namespace smsim::isa
