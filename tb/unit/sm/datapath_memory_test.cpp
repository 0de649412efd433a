// The datapath of one sub-partition alone: memory instructions.
#include "model/config/config.h"
#include "tb/unit/sm/datapath_bench.h"

namespace smsim::sm::test {
namespace {

using ::testing::ElementsAre;

TEST(Datapath, AnAccessBringsTheWindowOfItsSpace) {
    Bench bench;
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1, [&](LoadStoreExtension &ext) {
        EXPECT_EQ(ext.warp, kWarp);
        base = ext.window_base;
        bytes = ext.window_bytes;
    });
    bench.run(memory(Op::kLds));
    EXPECT_EQ(base, 0x800U);
    EXPECT_EQ(bytes, 512U);
    bench.run(memory(Op::kLdl));
    EXPECT_EQ(base, 0x10000 + (5 * bench.config.warps() + 5) * 16 * 32U) << "the window of slot 5 of SM 5";
    EXPECT_EQ(bytes, 16U);
}

TEST(Datapath, AnAccessBringsAddressesAndDataOfTheLanesThatExecuteIt) {
    Bench bench;
    bench.run(mov(4, 0x10));
    bench.run(mov(6, 1006));
    Instruction store = memory(Op::kSts);
    store.ra = 4;
    store.rb = 6;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1, [](LoadStoreExtension &ext) {
        EXPECT_EQ(ext.lanes, LaneMask(0x80000001));
        EXPECT_EQ(ext.address[31], 0x10U);
        EXPECT_EQ(ext.data[0][31], 1006U);
    });
    bench.run(store, LaneMask(0x80000001));
}

TEST(Datapath, ALoadThatAnswersLaterIsWrittenWithItsAnswer) {
    Bench bench;
    LoadStorePayload *held = nullptr;
    bench.on_load_store_call = [&](LoadStorePayload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        return tlm::TLM_ACCEPTED;
    };
    Instruction load = memory(Op::kLdg, Access::k64);
    load.rd = 2;
    const Answer first = bench.issue(load, LaneMask(0x3));
    EXPECT_EQ(first.status, tlm::TLM_ACCEPTED);
    const auto back = [&](const tlm::tlm_phase &what, Cycle cycles) {
        tlm::tlm_phase phase = what;
        sc_core::sc_time delay = bench.clock.span(cycles);
        return bench.load_store->nb_transport_bw(*held, phase, delay);
    };
    EXPECT_EQ(back(tlm::END_REQ, 1), tlm::TLM_ACCEPTED);
    bench.advance(1);
    EXPECT_EQ(back(protocol::SOURCES_READ, 1), tlm::TLM_ACCEPTED);
    bench.advance(10);
    auto &ext = *protocol::extension_of(*held);
    ext.data[0].fill(5);
    ext.data[1].fill(6);
    held->set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back(tlm::BEGIN_RESP, 4), tlm::TLM_COMPLETED);
    held->release();
    EXPECT_THAT(bench.phases, ElementsAre("1 END_REQ", "2 SOURCES_READ", "15 BEGIN_RESP"));
    EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.peek(2), filled([](unsigned i) { return i < 2 ? 5U : 0U; }));
    EXPECT_EQ(bench.peek(3), filled([](unsigned i) { return i < 2 ? 6U : 0U; }));
}

TEST(Datapath, LdcAndShflAreExecutedAtIssueAndAnsweredByTheQueue) {
    Bench bench;
    bench.run(s2r(1, SpecialRegister::kLaneId));
    LoadStorePayload *held = nullptr;
    bench.on_load_store_call = [&](LoadStorePayload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.acquire();
        held = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    Instruction shuffle = make(Op::kShfl, Form::kI);
    shuffle.rd = 2;
    shuffle.ra = 1;
    Instruction constant = make(Op::kLdc, Form::kC);
    constant.rd = 3;
    constant.mod[0] = static_cast<std::uint8_t>(Access::k32);
    for (const Instruction *insn : {&shuffle, &constant}) {
        bench.phases.clear();
        const Answer first = bench.issue(*insn);
        EXPECT_EQ(first.status, tlm::TLM_UPDATED);
        const auto &ext = *protocol::extension_of(*held);
        EXPECT_EQ(ext.insn, insn);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = bench.clock.span(24);
        held->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.load_store->nb_transport_bw(*held, phase, delay), tlm::TLM_COMPLETED);
        held->release();
        EXPECT_THAT(bench.phases, ElementsAre(fmt::format("{} BEGIN_RESP", bench.clock.now() + 24)));
        EXPECT_EQ(bench.answered.response, tlm::TLM_OK_RESPONSE);
        bench.advance(50);
    }
    EXPECT_EQ(bench.peek(2), filled([](unsigned) { return 0U; })) << "lane 0 for all";
    EXPECT_EQ(bench.peek(3), filled([](unsigned) { return 0x03020100U; }));
}

TEST(Datapath, ALoadMayAlsoBeAnsweredOnTheCall) {
    Bench bench;
    bench.on_load_store_call =
        completes<LoadStoreExtension>(bench, 9, [](LoadStoreExtension &ext) { ext.data[0].fill(77); });
    Instruction load = memory(Op::kLds);
    load.rd = 2;
    const Answer answer = bench.run(load);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.latency, 9U);
    EXPECT_EQ(bench.peek(2)[31], 77U);
}

TEST(Datapath, ALoadToTheZeroRegisterAndAStoreWriteNoRegister) {
    Bench bench;
    bench.on_load_store_call =
        completes<LoadStoreExtension>(bench, 9, [](LoadStoreExtension &ext) { ext.data[0].fill(77); });
    bench.run(memory(Op::kLds));
    bench.run(memory(Op::kSts));
    for (std::uint8_t reg = 0; reg < 8; ++reg) {
        EXPECT_EQ(bench.peek(reg)[0], 0U);
    }
}

TEST(Datapath, AnErrorOfTheLoadStoreUnitReachesTheIBufferAndWritesNothing) {
    Bench bench;
    bench.on_load_store_call = [&](LoadStorePayload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        auto &ext = *protocol::extension_of(payload);
        ext.data[0].fill(77);
        ext.fault = {Fault::kMisalignedAddress, "odd"};
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    Instruction load = memory(Op::kLdg);
    load.rd = 2;
    const Answer answer = bench.issue(load);
    EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(answer.fault.fault, Fault::kMisalignedAddress);
    EXPECT_EQ(bench.peek(2)[0], 0U);
}

/// LDSM or STSM of two matrices.
Instruction move_of_two(Op op) {
    Instruction insn = memory(op, Access::k128);
    insn.mod[2] = 1;
    return insn;
}

TEST(Datapath, LdsmAsksForRowsWithSomeThreadsAndWritesElementsInAll) {
    Bench bench;
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 9, [](LoadStoreExtension &ext) {
        EXPECT_EQ(ext.lanes, LaneMask(0xffff));
        for (unsigned word = 0; word < 4; ++word) {
            for (unsigned row = 0; row < 16; ++row) {
                ext.data[word][row] = 4 * row + word;
            }
        }
    });
    Instruction load = move_of_two(Op::kLdsm);
    load.rd = 2;
    EXPECT_EQ(bench.run(load).executed, kAll);
    EXPECT_EQ(bench.peek(2), filled([](unsigned lane) { return lane; })) << "thread 4 r + w has word w of row r";
    EXPECT_EQ(bench.peek(3), filled([](unsigned lane) { return 32 + lane; }));
    EXPECT_EQ(bench.peek(4)[0], 0U);
}

TEST(Datapath, StsmBringsRows) {
    Bench bench;
    bench.run(s2r(4, SpecialRegister::kLaneId));
    bench.run(mov(5, 77));
    bench.on_load_store_call = completes<LoadStoreExtension>(bench, 1, [](LoadStoreExtension &ext) {
        EXPECT_EQ(ext.lanes, LaneMask(0xffff));
        EXPECT_EQ(ext.data[3][2], 11U);
        EXPECT_EQ(ext.data[0][15], 77U);
    });
    Instruction store = move_of_two(Op::kStsm);
    store.rb = 4;
    bench.run(store);
}

TEST(Datapath, AMoveOfMatricesBySomeThreadsIsRefusedBeforeTheQueue) {
    Bench bench;
    bench.on_load_store_call = [](LoadStorePayload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the load/store unit must not see it";
        return tlm::TLM_COMPLETED;
    };
    for (const Instruction &insn : {move_of_two(Op::kLdsm), move_of_two(Op::kStsm), make(Op::kMovm, Form::kR)}) {
        const Answer answer = bench.issue(insn, LaneMask(0xffff));
        EXPECT_EQ(answer.response, tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(answer.fault.fault, Fault::kMatrixDiverged);
    }
}

TEST(Datapath, AnAccessOfNoThreadsIsDroppedBeforeTheQueue) {
    Bench bench;
    bench.on_load_store_call = [](LoadStorePayload &, tlm::tlm_phase &, sc_core::sc_time &) {
        ADD_FAILURE() << "the load/store unit must not see it";
        return tlm::TLM_COMPLETED;
    };
    Instruction load = memory(Op::kLdg);
    load.pg = 0; // false in all threads of a new warp
    const Answer answer = bench.run(load);
    EXPECT_EQ(answer.status, tlm::TLM_COMPLETED);
    EXPECT_EQ(answer.latency, 2U);
    EXPECT_EQ(answer.executed, LaneMask{});
}

} // namespace
} // namespace smsim::sm::test
