// Alignment and windows: which accesses are legal, and which thread is named in a fault.
#include <gtest/gtest.h>

#include "sm/load_store/address_check.h"

namespace smsim::sm {
namespace {

using isa::Op;

std::array<std::uint64_t, kLanes> addresses(std::uint64_t base, std::uint64_t stride) {
    std::array<std::uint64_t, kLanes> all{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        all[lane] = base + lane * stride;
    }
    return all;
}

std::string check(Op op, std::uint32_t bytes, const std::array<std::uint64_t, kLanes> &address,
                  std::uint64_t window_bytes, LaneMask lanes = LaneMask::all()) {
    const auto fault = address_fault(isa::spec_of(op), bytes, lanes, address, window_bytes);
    return fault ? std::string(fault_name(fault->fault)) + ": " + fault->detail : "";
}

TEST(AddressCheck, AWindowHoldsAccessesUpToItsEnd) {
    for (const Op op : {Op::kLds, Op::kStl}) {
        EXPECT_EQ(check(op, 4, addresses(0, 4), 128), "");
        EXPECT_EQ(check(op, 4, addresses(0, 4), 128, LaneMask(0x8000'0001)), "");
        EXPECT_NE(check(op, 4, addresses(0, 4), 127), "");
        EXPECT_NE(check(op, 4, addresses(0, 4), 127, LaneMask(0x8000'0001)), "");
        EXPECT_NE(check(op, 16, addresses(0, 0), 8), "") << "longer than the window";
        EXPECT_NE(check(op, 4, addresses(0, 0), 0), "");
        EXPECT_NE(check(op, 4, addresses(0xffff'fffc, 0), 128), "");
    }
    EXPECT_EQ(check(Op::kLds, 8, addresses(0, 8), 12, LaneMask(0x3)),
              "IllegalAddress: thread 1 accesses 8 bytes at shared address 0x8; the CTA has 12 bytes");
    EXPECT_EQ(check(Op::kStl, 4, addresses(16, 0), 16, LaneMask(0x4)),
              "IllegalAddress: thread 2 accesses 4 bytes at local address 0x10; the thread has 16 bytes");
}

TEST(AddressCheck, GlobalAddressesAreTheMemorysBusiness) {
    EXPECT_EQ(check(Op::kLdg, 4, addresses(~std::uint64_t{3}, 0), 0), "");
}

TEST(AddressCheck, AnAccessIsAlignedToItsSize) {
    auto one_off = addresses(0x100, 16);
    one_off[9] += 8;
    EXPECT_EQ(check(Op::kLdg, 8, one_off, 0), "");
    EXPECT_EQ(check(Op::kLdg, 16, one_off, 0),
              "MisalignedAddress: thread 9 accesses 16 bytes at 0x198, which is not aligned to them");
    EXPECT_EQ(check(Op::kLdg, 16, one_off, 0, ~LaneMask::lane(9)), "") << "it does not take part";
    EXPECT_EQ(check(Op::kLdg, 1, addresses(0x101, 3), 0), "");
}

TEST(AddressCheck, TheFaultOfTheLowestThreadIsReportedForEveryKind) {
    auto both = addresses(0, 4);
    both[3] = 64;
    both[5] = 2;
    EXPECT_EQ(check(Op::kLds, 4, both, 64).substr(0, 24), "IllegalAddress: thread 3");
    both[2] = 70;
    EXPECT_EQ(check(Op::kLds, 4, both, 64).substr(0, 27), "MisalignedAddress: thread 2");
}

} // namespace
} // namespace smsim::sm
