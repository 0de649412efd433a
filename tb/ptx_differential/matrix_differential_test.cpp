// Every matrix instruction of PTX gives the bits of the interpreter, in every arithmetic.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <string_view>

#include "tb/ptx_differential/matrix_comparison.h"

namespace smsim::ptx_differential {
namespace {

class MatrixInstructions : public testing::TestWithParam<std::string_view> {};

TEST_P(MatrixInstructions, GiveTheBitsOfTheInterpreter) {
    spdlog::set_level(spdlog::level::off);
    unsigned compared = 0;
    for (const MatrixCase &one : matrix_cases()) {
        if (!one.name.starts_with(GetParam())) {
            continue;
        }
        for (const TensorArithmetic arithmetic : arithmetics_of(one)) {
            EXPECT_EQ(compare_matrix(one, arithmetic, 4, 1), "") << one.name;
            ++compared;
        }
    }
    EXPECT_GT(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixInstructions,
                         testing::Values("mma.sync", "mma.sp.", "mma.sp::", "wmma", "ldmatrix"),
                         [](const auto &parameter) {
                             std::string name;
                             for (const char one : parameter.param) {
                                 name += one == ':' ? "o" : one == '.' ? "_" : std::string(1, one);
                             }
                             return name;
                         });

} // namespace
} // namespace smsim::ptx_differential
