// Shared by the tests of the golden model: handles that release themselves, and requests from assembly text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include "assembler/assembler.h"
#include "cosim/golden/smsim_golden.h"
#include "model/isa/instruction.h"

namespace smsim::golden {

template <typename Handle, auto Destroy> struct Destroyer {
    void operator()(Handle *handle) const { Destroy(handle); }
};
template <typename Handle, auto Destroy> using Owner = std::unique_ptr<Handle, Destroyer<Handle, Destroy>>;
using Bru = Owner<smsim_golden_bru, smsim_golden_bru_destroy>;
using Bcu = Owner<smsim_golden_bcu, smsim_golden_bcu_destroy>;
using Timer = Owner<smsim_golden_timer, smsim_golden_timer_destroy>;
using Shared = Owner<smsim_golden_shared, smsim_golden_shared_destroy>;

inline Bru new_bru(const smsim_golden_bru_options *options = nullptr) {
    smsim_golden_bru *unit = nullptr;
    EXPECT_EQ(smsim_golden_bru_create(options, &unit), SMSIM_GOLDEN_OK) << smsim_golden_error();
    return Bru(unit);
}
inline Bcu new_bcu() {
    smsim_golden_bcu *unit = nullptr;
    EXPECT_EQ(smsim_golden_bcu_create(8, 2, &unit), SMSIM_GOLDEN_OK) << smsim_golden_error();
    return Bcu(unit);
}
inline Timer new_timer(std::uint32_t granularity = 1) {
    smsim_golden_timer *timer = nullptr;
    EXPECT_EQ(smsim_golden_timer_create(4, granularity, &timer), SMSIM_GOLDEN_OK) << smsim_golden_error();
    return Timer(timer);
}
inline Shared new_shared() {
    smsim_golden_shared *memory = nullptr;
    EXPECT_EQ(smsim_golden_shared_create(1024, 32, &memory), SMSIM_GOLDEN_OK) << smsim_golden_error();
    return Shared(memory);
}

inline void put_word(const isa::Instruction &insn, std::uint32_t (&words)[4]) {
    const auto word = std::get<isa::Word>(isa::encode(insn));
    std::memcpy(&words[0], &word.lo, 8);
    std::memcpy(&words[2], &word.hi, 8);
}

/// The first instruction of a text.
inline isa::Instruction instruction(const std::string &text) {
    return assemble(".kernel k\n x: " + text + ";\n EXIT;\n", "k.sasm", timing::SchedulingModel()).code.at(0);
}

/// The request that the threads `guard` execute `insn`.
inline smsim_golden_bru_request request(const isa::Instruction &insn, std::uint32_t guard = ~0U) {
    smsim_golden_bru_request made{};
    made.pc = insn.pc;
    put_word(insn, made.insn);
    made.guard = guard;
    made.guard_pp = ~0U;
    return made;
}

/// The operation in a text, as executed by all threads of a warp.
inline smsim_golden_bcu_request operation(const std::string &text, std::uint32_t pp = 0) {
    smsim_golden_bcu_request made{};
    put_word(instruction(text), made.insn);
    made.pmask = ~0U;
    made.pp = pp;
    return made;
}

} // namespace smsim::golden
