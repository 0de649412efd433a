// For which reconvergence engine a program is written, and where it can run (engines.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/program/engine.h"

namespace smsim {
namespace {

TEST(Engine, OfAProgramThatNamesNoneIsOneThatExists) {
    EXPECT_EQ(Program().engine, "convergence_barrier");
    EXPECT_TRUE(is_engine_name(kDefaultEngine));
    EXPECT_FALSE(is_engine_name("no_such_engine"));
    EXPECT_THAT(engine_names(), testing::Contains(kDefaultEngine));
}

TEST(Engine, OfTheProgramMustBeThatOfTheSm) {
    Program program;
    program.files = {"k.sasm"};
    EXPECT_EQ(engine_mismatch(program, Config()), "");
    program.engine = "no_such_engine";
    EXPECT_EQ(engine_mismatch(program, Config()),
              "its program 'k.sasm' is for the reconvergence engine no_such_engine; this SM has convergence_barrier "
              "(bru.engine)");
}

} // namespace
} // namespace smsim
