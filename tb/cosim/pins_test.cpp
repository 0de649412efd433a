// Fields of pins, the check of a block's ports, and channels that are held up.
#include <gtest/gtest.h>

#include "cosim/handshakes.h"
#include "cosim/pin.h"
#include "model/config/config.h"
#include "tb/cosim/ports.h"

namespace smsim::cosim {
namespace {

TEST(Pins, FieldsOfAnyWidthKeepToTheirBits) {
    Ports ports;
    ports.add("three", 15, true);
    ports.add("wide", 256, true);
    const PinFinder find(ports, "test");
    const Pin three = find.input("three", 3, 5);
    three.put(0b101, 1);
    three.put(0xff, 3); // bits that do not fit are cut off
    EXPECT_EQ(three.get(0), 0U);
    EXPECT_EQ(three.get(1), 0b101U);
    EXPECT_EQ(three.get(2), 0U);
    EXPECT_EQ(three.get(3), 0b111U);
    EXPECT_EQ(three.get(4), 0U);
    three.put(0, 1);
    EXPECT_EQ(three.get(1), 0U);
    const Pin wide = find.input("wide", 64, 4);
    wide.put(0x0123456789abcdef, 2);
    EXPECT_EQ(wide.get(1), 0U);
    EXPECT_EQ(wide.get(2), 0x0123456789abcdefU);
    EXPECT_EQ(wide.bytes(2)[0], 0xefU);
    EXPECT_TRUE(wide.any());
    wide.clear();
    EXPECT_FALSE(wide.any());
    three.fill();
    EXPECT_EQ(three.get(4), 0b111U);
}

TEST(Pins, MissingPortsOfABlockAreNamed) {
    Ports ports;
    ports.add("req_valid", 4, true);
    ports.add("busy", 1, false);
    const PinFinder find(ports, "bru");
    EXPECT_NO_THROW(find.output("busy", 1));
    const auto message = [](const auto &call) -> std::string {
        try {
            call();
        } catch (const InputError &error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    EXPECT_EQ(message([&] { find.input("busy", 1); }), "block bru: there is no input busy; docs/pins.md has the pins");
    EXPECT_EQ(message([&] { find.input("req_valid", 1, 8); }), "block bru: input req_valid has 4 bits; expected 8");
}

TEST(Pins, ABlockHasTheSubPartitionsOfTheConfigurationAndAsManyWarps) {
    Ports ports;
    ports.add("req_valid", 4, true);
    ports.add("start", 32, true);
    Config config;
    config.sm.sub_partitions = 4;
    config.sm.warps_per_sub_partition = 6;
    EXPECT_EQ(warps_of(ports, "bru", "start", config), 32U) << "those of the block, which may be more";
    config.sm.warps_per_sub_partition = 9;
    EXPECT_THROW(warps_of(ports, "bru", "start", config), InputError);
    config.sm.sub_partitions = 2;
    EXPECT_THROW(warps_of(ports, "bru", "start", config), InputError);
}

TEST(Handshakes, StallAtTheRequestedRateAndReproducibly) {
    const Handshakes never;
    const Handshakes often(7, 30);
    const Handshakes same(7, 30);
    const Handshakes other(8, 30);
    unsigned held = 0;
    unsigned differ = 0;
    for (Cycle cycle = 0; cycle < 10000; ++cycle) {
        EXPECT_FALSE(never.hold(1, 2, cycle));
        EXPECT_EQ(often.hold(1, 2, cycle), same.hold(1, 2, cycle));
        held += often.hold(1, 2, cycle) ? 1 : 0;
        differ += often.hold(1, 2, cycle) != other.hold(1, 2, cycle) ? 1 : 0;
    }
    EXPECT_NEAR(held, 3000, 200);
    EXPECT_GT(differ, 3000U);
}

} // namespace
} // namespace smsim::cosim
