// The load/store unit alone: a bench plays the datapaths and two memories behind protocol checkers.
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "model/config/loader.h"
#include "sm/load_store/load_store_unit.h"
#include "tb/support/base_protocol_checker.h"

namespace smsim::sm {
namespace {

using isa::Access;
using isa::AtomicOp;
using isa::AtomicType;
using isa::Op;
using protocol::LoadStoreExtension;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Payload = tlm::tlm_generic_payload;
constexpr unsigned kQueues = 4;
constexpr std::uint64_t kMemoryBytes = 1 << 16;

/// How the stub memory answers.
enum class Style {
    kCompleted,   ///< TLM_COMPLETED with the latency annotated
    kAcceptedEnd, ///< TLM_ACCEPTED, END_REQ after a cycle, BEGIN_RESP after the latency
    kEndResponse, ///< TLM_UPDATED with END_REQ, BEGIN_RESP after the latency
    kUpdated,     ///< TLM_UPDATED with BEGIN_RESP at the latency
};

/// A memory of bytes. Every request is written down.
class StubMemory final : public sc_core::sc_module {
  public:
    protocol::Target<protocol::MemoryLink> socket{"socket"};

    StubMemory(const sc_core::sc_module_name &name, const Config &config) : sc_module(name), clock_(config) {
        SC_HAS_PROCESS(StubMemory);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        socket.on_request<&StubMemory::on_request>(this);
    }

    Style style = Style::kCompleted;
    Cycle latency = 20;
    bool knows_atomics = true;
    std::uint64_t bytes = kMemoryBytes;
    tlm::tlm_response_status refusal = tlm::TLM_ADDRESS_ERROR_RESPONSE; ///< beyond `bytes`
    std::vector<unsigned char> data = std::vector<unsigned char>(kMemoryBytes);
    /// "cycle R|W|A address+bytes", with the enabled bytes of a write where not all are.
    std::vector<std::string> log;
    std::vector<std::uint64_t> groups;
    std::vector<bool> bypasses;

    template <typename T> T get(std::uint64_t address) const {
        T value;
        std::memcpy(&value, &data[address], sizeof(T));
        return value;
    }
    template <typename T> void put(std::uint64_t address, T value) { std::memcpy(&data[address], &value, sizeof(T)); }

  private:
    tlm::tlm_sync_enum on_request(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        perform(payload, clock_.at(delay));
        const sc_core::sc_time span = clock_.span(latency);
        switch (style) {
        case Style::kCompleted:
            delay += span;
            return tlm::TLM_COMPLETED;
        case Style::kUpdated:
            delay += span;
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        case Style::kEndResponse:
            phase = tlm::END_REQ;
            later(latency, payload, tlm::BEGIN_RESP);
            return tlm::TLM_UPDATED;
        case Style::kAcceptedEnd:
            later(1, payload, tlm::END_REQ);
            later(latency, payload, tlm::BEGIN_RESP);
            return tlm::TLM_ACCEPTED;
        }
        return tlm::TLM_COMPLETED;
    }
    void later(Cycle cycles, Payload &payload, tlm::tlm_phase phase) {
        payload.acquire();
        calls_.emplace(clock_.now() + cycles, std::pair(&payload, phase));
        event_.notify(clock_.until(calls_.begin()->first));
    }
    void step() {
        while (!calls_.empty() && calls_.begin()->first <= clock_.now()) {
            auto [payload, phase] = calls_.begin()->second;
            calls_.erase(calls_.begin());
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            const auto answer = socket->nb_transport_bw(*payload, phase, delay);
            EXPECT_EQ(answer, phase == tlm::END_REQ ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED);
            payload->release();
        }
        if (!calls_.empty()) {
            event_.notify(clock_.until(calls_.begin()->first));
        }
    }
    void perform(Payload &payload, Cycle at) {
        const std::uint64_t address = payload.get_address();
        const unsigned length = payload.get_data_length();
        const char kind = payload.is_read() ? 'R' : payload.is_write() ? 'W' : 'A';
        std::string line = fmt::format("{} {} {:#x}+{}", at, kind, address, length);
        if (const unsigned char *enable = payload.get_byte_enable_ptr()) {
            EXPECT_EQ(payload.get_byte_enable_length(), length);
            line += ' ';
            for (unsigned i = 0; i < length; ++i) {
                line += enable[i] == TLM_BYTE_ENABLED ? '#' : '.';
            }
        }
        log.push_back(line);
        if (const auto *group = payload.get_extension<protocol::AccessGroupExtension>()) {
            groups.push_back(group->group);
            bypasses.push_back(group->bypass_l1);
        }
        if (address >= bytes || bytes - address < length) {
            payload.set_response_status(refusal);
            return;
        }
        unsigned char *const at_memory = &data[address];
        auto *atomic = payload.get_extension<protocol::AtomicExtension>();
        EXPECT_EQ(kind == 'A', atomic != nullptr && atomic->active);
        if (payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), at_memory, length);
        } else if (payload.is_write()) {
            for (unsigned i = 0; i < length; ++i) {
                if (payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_ptr()[i] == TLM_BYTE_ENABLED) {
                    at_memory[i] = payload.get_data_ptr()[i];
                }
            }
        } else if (knows_atomics) {
            std::uint64_t old = 0;
            std::memcpy(&old, at_memory, length);
            const std::uint64_t now =
                protocol::atomic_result(atomic->op, atomic->type, old, atomic->operand, atomic->compare);
            std::memcpy(payload.get_data_ptr(), &old, length);
            std::memcpy(at_memory, &now, length);
            atomic->performed = true;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    protocol::Clock clock_;
    std::multimap<Cycle, std::pair<Payload *, tlm::tlm_phase>> calls_;
    sc_core::sc_event event_;
};

/// One memory instruction and what becomes of it.
struct Job {
    isa::Instruction insn;
    LaneMask lanes = LaneMask::all();
    std::array<std::uint64_t, kLanes> address{};
    std::array<std::array<std::uint32_t, kLanes>, 4> data{};
    std::array<std::array<std::uint32_t, kLanes>, 2> compare{};
    std::uint64_t window_base = 0;
    std::uint64_t window_bytes = kMemoryBytes;
    // results
    tlm::tlm_sync_enum accepted = tlm::TLM_COMPLETED;
    Cycle end_req = 0;      ///< when a withheld END_REQ takes effect
    Cycle sources_read = 0; ///< when SOURCES_READ takes effect
    Cycle placed = 0;       ///< when PLACED takes effect
    Cycle answered = 0;     ///< when BEGIN_RESP takes effect
    bool ok = false;
    FaultReport fault;
};

isa::Instruction make(Op op, Access access = Access::k32) {
    isa::Instruction insn;
    insn.op = op;
    insn.form = isa::Form::kR;
    insn.unit = isa::Unit::kLoadStore;
    insn.mod[0] = static_cast<std::uint8_t>(access);
    return insn;
}
isa::Instruction make_atomic(Op op, AtomicOp what, AtomicType type = AtomicType::kU32) {
    isa::Instruction insn = make(op);
    insn.mod[0] =
        static_cast<std::uint8_t>(what == AtomicOp::kCas ? static_cast<unsigned>(type) : static_cast<unsigned>(what));
    insn.mod[1] = static_cast<std::uint8_t>(what == AtomicOp::kCas ? 0U : static_cast<unsigned>(type));
    return insn;
}

class Bench final : public sc_core::sc_module {
  public:
    explicit Bench(const Config &c, const sc_core::sc_module_name &name = "bench")
        : sc_module(name), config(c), clock(config), unit("unit", config), shared("shared_memory", config),
          global("global_memory", config) {
        SC_HAS_PROCESS(Bench);
        SC_METHOD(step);
        sensitive << event_;
        dont_initialize();
        for (unsigned i = 0; i < kQueues; ++i) {
            datapaths_.push_back(std::make_unique<protocol::Initiator<protocol::LoadStoreLink>>(
                sc_core::sc_gen_unique_name("datapath")));
            datapaths_.back()->on_response<&Bench::on_response>(this, i);
            datapaths_.back()->bind(*unit.datapaths[i]);
        }
        unit.shared.socket.bind(shared_checker.from_initiator);
        shared_checker.to_target.bind(shared.socket);
        unit.global.socket.bind(global_checker.from_initiator);
        global_checker.to_target.bind(global.socket);
    }

    /// Sends a job of sub-partition `queue` at cycle `at`.
    Job &add(Cycle at, unsigned queue, const isa::Instruction &insn) {
        Job &job = *jobs_.emplace_back(std::make_unique<Job>());
        job.insn = insn;
        actions_.emplace(at, [this, queue, &job] { send(queue, job); });
        return job;
    }
    /// A job whose thread t accesses address base + t * stride.
    Job &strided(Cycle at, unsigned queue, const isa::Instruction &insn, std::uint64_t base, std::uint64_t stride,
                 LaneMask lanes = LaneMask::all()) {
        Job &job = add(at, queue, insn);
        job.lanes = lanes;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            job.address[lane] = base + lane * stride;
        }
        return job;
    }
    void run() {
        event_.notify(clock.until(actions_.begin()->first));
        sc_core::sc_start();
        EXPECT_THAT(shared_checker.final_violations(), IsEmpty());
        EXPECT_THAT(global_checker.final_violations(), IsEmpty());
        EXPECT_EQ(unit.shared.outstanding() + unit.global.outstanding(), 0U);
        EXPECT_EQ(pool_.in_use(), 0U) << "the unit keeps a reference, or has not answered";
    }

    Config config;
    protocol::Clock clock;
    LoadStoreUnit unit;
    tb::BaseProtocolChecker shared_checker{"shared_checker"};
    tb::BaseProtocolChecker global_checker{"global_checker"};
    StubMemory shared;
    StubMemory global;

  private:
    void send(unsigned queue, Job &job) {
        Payload &payload = pool_.acquire();
        auto &ext = *protocol::extension_of<LoadStoreExtension>(payload);
        ext.warp = WarpSlot(queue);
        ext.insn = &job.insn;
        ext.lanes = job.lanes;
        ext.address = job.address;
        ext.data = job.data;
        ext.compare = job.compare;
        ext.window_base = job.window_base;
        ext.window_bytes = job.window_bytes;
        ext.upstream = nullptr;
        owners_[&payload] = &job;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        job.accepted = (*datapaths_[queue])->nb_transport_fw(payload, phase, delay);
        EXPECT_EQ(phase, job.accepted == tlm::TLM_UPDATED ? tlm::END_REQ : tlm::BEGIN_REQ);
        if (job.accepted == tlm::TLM_COMPLETED) {
            EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            job.fault = ext.fault;
        }
        payload.release();
    }
    tlm::tlm_sync_enum on_response(unsigned, Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
        Job &job = *owners_.at(&payload);
        EXPECT_GE(delay, clock.period()) << "takes effect in the cycle in which it is told";
        if (phase == tlm::END_REQ) {
            job.end_req = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == protocol::SOURCES_READ) {
            job.sources_read = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == protocol::PLACED) {
            EXPECT_EQ(job.answered, 0U);
            job.placed = clock.at(delay);
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        EXPECT_EQ(job.answered, 0U) << "answered twice";
        const auto &ext = *protocol::extension_of<LoadStoreExtension>(payload);
        job.answered = clock.at(delay);
        job.ok = payload.is_response_ok();
        if (!job.ok) {
            EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            job.fault = ext.fault;
        }
        job.data = ext.data;
        return tlm::TLM_COMPLETED;
    }
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= clock.now()) {
            const auto action = actions_.begin()->second;
            actions_.erase(actions_.begin());
            action();
        }
        if (!actions_.empty()) {
            event_.notify(clock.until(actions_.begin()->first));
        }
    }

    std::vector<std::unique_ptr<protocol::Initiator<protocol::LoadStoreLink>>> datapaths_;
    protocol::PayloadPool<LoadStoreExtension> pool_;
    std::map<const Payload *, Job *> owners_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event event_;
};

Config bench_config() {
    Config config;
    config.lsu.queue_depth = 2;
    config.lsu.issue_interval = 2;
    config.lsu.address_latency = 4;
    return config;
}

// --- data ----------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, LoadsOfAllWidthsExtendAsTheirTypeSays) {
    Bench bench(bench_config());
    for (unsigned i = 0; i < 1024; ++i) {
        bench.shared.data[i] = static_cast<unsigned char>(0x70 + i * 7);
    }
    struct Case {
        Access access;
        unsigned bytes;
        Job *job;
    };
    std::vector<Case> cases = {{Access::kU8, 1, nullptr},  {Access::kS8, 1, nullptr}, {Access::kU16, 2, nullptr},
                               {Access::kS16, 2, nullptr}, {Access::k32, 4, nullptr}, {Access::k64, 8, nullptr},
                               {Access::k128, 16, nullptr}};
    Cycle at = 10;
    for (Case &c : cases) {
        c.job = &bench.strided(at, 0, make(Op::kLds, c.access), 0, c.bytes);
        at += 100;
    }
    bench.run();
    for (const Case &c : cases) {
        ASSERT_TRUE(c.job->ok) << c.bytes;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const unsigned char *from = &bench.shared.data[lane * c.bytes];
            std::array<std::uint32_t, 4> expected{};
            std::memcpy(expected.data(), from, c.bytes);
            if (c.access == Access::kS8 && from[0] >= 0x80) {
                expected[0] |= 0xffffff00U;
            }
            if (c.access == Access::kS16 && from[1] >= 0x80) {
                expected[0] |= 0xffff0000U;
            }
            for (unsigned word = 0; word < (c.bytes + 3) / 4; ++word) {
                EXPECT_EQ(c.job->data[word][lane], expected[word]) << "lane " << lane << " word " << word;
            }
        }
    }
}

TEST(LoadStoreUnit, StoresOfAllWidthsWriteTheirLowBytes) {
    Bench bench(bench_config());
    const std::pair<Access, unsigned> kWidths[] = {
        {Access::kU8, 1}, {Access::kU16, 2}, {Access::k32, 4}, {Access::k64, 8}, {Access::k128, 16}};
    std::vector<Job *> jobs;
    std::uint64_t base = 0;
    for (const auto &[access, bytes] : kWidths) {
        Job &job = bench.strided(10 + jobs.size() * 100, 0, make(Op::kStg, access), base, bytes);
        for (unsigned word = 0; word < 4; ++word) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                job.data[word][lane] = 0x11223300U * (word + 1) + lane;
            }
        }
        base += 1024;
        jobs.push_back(&job);
    }
    bench.run();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        ASSERT_TRUE(jobs[i]->ok);
        const unsigned bytes = kWidths[i].second;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            std::array<unsigned char, 16> expected{};
            for (unsigned word = 0; word < 4; ++word) {
                const std::uint32_t value = 0x11223300U * (word + 1) + lane;
                std::memcpy(&expected[4 * word], &value, 4);
            }
            EXPECT_EQ(std::memcmp(&bench.global.data[1024 * i + lane * bytes], expected.data(), bytes), 0) << lane;
        }
        EXPECT_EQ(bench.global.data[1024 * i + 32 * bytes], 0) << "behind the last thread";
    }
}

TEST(LoadStoreUnit, InactiveThreadsNeitherReadNorWrite) {
    Bench bench(bench_config());
    const LaneMask lanes(0x80000101);
    for (unsigned i = 0; i < kLanes; ++i) {
        bench.shared.put<std::uint32_t>(4 * i, 1000 + i);
    }
    Job &load = bench.strided(10, 0, make(Op::kLds), 0, 4, lanes);
    load.data[0].fill(7);
    Job &store = bench.strided(200, 0, make(Op::kSts), 0, 4, lanes);
    store.data[0].fill(1);
    bench.run();
    for (unsigned i = 0; i < kLanes; ++i) {
        EXPECT_EQ(load.data[0][i], lanes.test(i) ? 1000 + i : 7U);
        EXPECT_EQ(bench.shared.get<std::uint32_t>(4 * i), lanes.test(i) ? 1U : 1000 + i);
    }
}

TEST(LoadStoreUnit, ASparseStoreCarriesByteEnablesAndADenseOneNone) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kSts, Access::kU8), 3, 2, LaneMask(0x7));
    bench.strided(100, 0, make(Op::kSts, Access::kU8), 64, 1, LaneMask(0x7));
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 W 0x3+5 #.#.#", "101 W 0x40+3"));
}

TEST(LoadStoreUnit, OfThreadsThatStoreToOneAddressTheHighestWins) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kSts), 0x40, 0, LaneMask(0x00ff00f0));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        job.data[0][lane] = lane;
    }
    bench.run();
    EXPECT_EQ(bench.shared.get<std::uint32_t>(0x40), 23U);
    EXPECT_THAT(bench.shared.log, SizeIs(1));
}

TEST(LoadStoreUnit, SharedAddressesAreRelativeToTheCtasWindow) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kSts), 0, 4, LaneMask(0x1));
    job.window_base = 0x400;
    job.window_bytes = 4;
    job.data[0][0] = 99;
    bench.run();
    EXPECT_TRUE(job.ok);
    EXPECT_EQ(bench.shared.get<std::uint32_t>(0x400), 99U);
}

TEST(LoadStoreUnit, LocalMemoryIsInterleavedByWordsSoThatOneVariableIsContiguous) {
    Bench bench(bench_config());
    Job &store = bench.strided(10, 0, make(Op::kStl, Access::k64), 8, 0);
    store.window_base = 0x1000;
    store.window_bytes = 16;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        store.data[0][lane] = lane;
        store.data[1][lane] = 100 + lane;
    }
    Job &byte = bench.strided(200, 0, make(Op::kLdl, Access::kU8), 12, 0);
    byte.window_base = 0x1000;
    byte.window_bytes = 16;
    bench.run();
    // Words 2 and 3 of each thread: rows of 128 bytes.
    EXPECT_EQ(bench.global.log[0], "11 W 0x1100+128");
    EXPECT_EQ(bench.global.log[1], "11 W 0x1180+128");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(bench.global.get<std::uint32_t>(0x1100 + 4 * lane), lane);
        EXPECT_EQ(bench.global.get<std::uint32_t>(0x1180 + 4 * lane), 100 + lane);
        EXPECT_EQ(byte.data[0][lane], 100 + lane);
    }
}

TEST(LoadStoreUnit, TransactionsOfOneInstructionShareAGroupAndCgBypassesTheL1) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0x3));
    isa::Instruction cg = make(Op::kLdg);
    cg.mod[1] = 1;
    bench.strided(100, 0, cg, 0, 128, LaneMask(0x3));
    bench.run();
    ASSERT_THAT(bench.global.groups, SizeIs(4));
    EXPECT_EQ(bench.global.groups[0], bench.global.groups[1]);
    EXPECT_EQ(bench.global.groups[2], bench.global.groups[3]);
    EXPECT_NE(bench.global.groups[0], bench.global.groups[2]);
    EXPECT_THAT(bench.global.bypasses, ElementsAre(false, false, true, true));
}

// --- faults --------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, AMisalignedAddressIsAFaultThatNamesTheLowestSuchThread) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kLdg, Access::k64), 0x100, 4, LaneMask(0xf0));
    bench.run();
    EXPECT_FALSE(job.ok);
    EXPECT_EQ(job.fault.fault, Fault::kMisalignedAddress);
    EXPECT_EQ(job.fault.detail, "thread 5 accesses 8 bytes at 0x114, which is not aligned to them");
    EXPECT_THAT(bench.global.log, IsEmpty());
    EXPECT_EQ(job.accepted, tlm::TLM_COMPLETED) << "on the call";
}

TEST(LoadStoreUnit, AnAddressBeyondTheWindowIsAFault) {
    Bench bench(bench_config());
    Job &shared = bench.strided(10, 0, make(Op::kLds, Access::k64), 0, 8, LaneMask(0x3));
    shared.window_bytes = 12;
    Job &local = bench.strided(50, 0, make(Op::kStl), 16, 0, LaneMask(0x2));
    local.window_bytes = 16;
    Job &wrap = bench.strided(90, 0, make(Op::kLds), 0xfffffffc, 0, LaneMask(0x1));
    wrap.window_base = 0x100;
    wrap.window_bytes = 64;
    Job &fits = bench.strided(130, 0, make(Op::kLds, Access::k64), 8, 0, LaneMask(0x1));
    fits.window_bytes = 16;
    bench.run();
    EXPECT_EQ(shared.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(shared.fault.detail, "thread 1 accesses 8 bytes at shared address 0x8; the CTA has 12 bytes");
    EXPECT_EQ(local.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(local.fault.detail, "thread 1 accesses 4 bytes at local address 0x10; the thread has 16 bytes");
    EXPECT_EQ(wrap.fault.fault, Fault::kIllegalAddress);
    for (const Job *job : {&shared, &local, &wrap}) {
        EXPECT_EQ(job->accepted, tlm::TLM_COMPLETED) << "on the call";
    }
    EXPECT_TRUE(fits.ok);
}

TEST(LoadStoreUnit, AnErrorResponseBecomesAFaultWithPlaceAndCause) {
    Bench bench(bench_config());
    bench.global.bytes = 0x100;
    Job &address = bench.strided(10, 0, make(Op::kLdg), 0x80, 4);
    Job &beyond = bench.strided(100, 0, make(Op::kLdg), 0xc0, 0x100, LaneMask(0x0e));
    bench.shared.bytes = 0;
    bench.shared.refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
    Job &other = bench.strided(200, 0, make(Op::kSts), 0, 4, LaneMask(0xc));
    bench.run();
    EXPECT_TRUE(address.ok);
    EXPECT_EQ(beyond.fault.fault, Fault::kIllegalAddress);
    EXPECT_EQ(beyond.fault.detail,
              "global memory refused 4 bytes at 0x1c0 (first thread 1): TLM_ADDRESS_ERROR_RESPONSE")
        << "of three refusals the lowest thread's";
    EXPECT_EQ(other.fault.fault, Fault::kMemoryError);
    EXPECT_EQ(other.fault.detail, "shared memory refused 8 bytes at 0x8 (first thread 2): TLM_COMMAND_ERROR_RESPONSE");
}

/// The unit with a check of two buffers that lie in one row.
class CheckedBounds : public ::testing::Test {
  protected:
    CheckedBounds() {
        regions.map(0x100, 0x20, "a");
        regions.map(0x140, 0x20, "b");
        bench.unit.check_bounds(&check);
    }
    const WarpStart warp;
    Bench bench{bench_config()};
    memory::Regions regions{GlobalMemoryConfig{}.bytes, GlobalBounds::kPageBytes};
    GlobalBounds check{regions, MemoryCheck::kStrict, [this](WarpSlot) -> const WarpStart & { return warp; }};
};

TEST_F(CheckedBounds, ThreadsMayAccessTwoBuffersWithAGapInOneRow) {
    Job &job = bench.strided(10, 0, make(Op::kStg), 0x100, 0x10, LaneMask(0x33));
    job.data[0].fill(7);
    bench.run();
    EXPECT_TRUE(job.ok) << job.fault.detail;
    EXPECT_EQ(bench.global.get<std::uint32_t>(0x150), 7U);
}

TEST_F(CheckedBounds, AnAccessOfWhichOneThreadIsOutsideIsRefusedOnTheCallAndChangesNothing) {
    Job &store = bench.strided(10, 0, make(Op::kStg), 0x100, 0x10, LaneMask(0x37));
    Job &atomic = bench.strided(50, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x100, 0x10, LaneMask(0x3f));
    bench.run();
    for (const Job *job : {&store, &atomic}) {
        EXPECT_EQ(job->accepted, tlm::TLM_COMPLETED) << "on the call";
        EXPECT_EQ(job->fault.fault, Fault::kIllegalAddress);
        EXPECT_EQ(job->fault.detail, "thread 2 accesses 4 bytes at 0x120, which no buffer holds");
        EXPECT_EQ(job->fault.address, 0x120U);
        EXPECT_EQ(job->fault.bytes, 4U);
    }
    EXPECT_THAT(bench.global.log, IsEmpty());
}

std::vector<std::string> global_requests(const std::vector<std::string> &settings) {
    Config config = load_config(std::nullopt, settings);
    config.lsu.issue_interval = 2;
    Bench bench(config);
    bench.strided(10, 0, make(Op::kLdg), 0x20, 4, LaneMask(0x00ffffff));
    bench.strided(200, 0, make(Op::kStg), 0x100, 4);
    bench.strided(400, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_EQ(bench.shared.log.size(), 1U) << "shared memory has no lines";
    std::vector<std::string> requests;
    for (const std::string &line : bench.global.log) {
        requests.push_back(line.substr(line.find(' ') + 1));
    }
    return requests;
}
TEST(LoadStoreUnit, GlobalRequestsAreCutAtTheLinesOfAnL1WithSmallOnes) {
    EXPECT_THAT(global_requests({"l1.line_bytes=32"}), ElementsAre("R 0x20+32", "R 0x40+32", "R 0x60+32", "W 0x100+32",
                                                                   "W 0x120+32", "W 0x140+32", "W 0x160+32"));
}
TEST(LoadStoreUnit, GlobalRequestsAreCutAtLinesOf64Bytes) {
    EXPECT_THAT(global_requests({"l1.line_bytes=64"}),
                ElementsAre("R 0x20+32", "R 0x40+64", "W 0x100+64", "W 0x140+64"));
}
TEST(LoadStoreUnit, LongLinesDoNotMakeLongRequests) {
    EXPECT_THAT(global_requests({"l1.line_bytes=256"}), ElementsAre("R 0x20+96", "W 0x100+128"));
}
TEST(LoadStoreUnit, LinesDoNotCountWithoutAnL1) {
    EXPECT_THAT(global_requests({"l1.line_bytes=32", "l1.enabled=false"}), ElementsAre("R 0x20+96", "W 0x100+128"));
}

// --- atomics -------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, ThreadsPerformAnAtomicInLaneOrder) {
    Bench bench(bench_config());
    bench.shared.put<std::uint32_t>(0x20, 1000);
    Job &job = bench.strided(10, 0, make_atomic(Op::kAtoms, AtomicOp::kAdd), 0x20, 0, LaneMask(0x8421));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        job.data[0][lane] = lane + 1;
    }
    bench.run();
    EXPECT_EQ(job.data[0][0], 1000U);
    EXPECT_EQ(job.data[0][5], 1001U);
    EXPECT_EQ(job.data[0][10], 1007U);
    EXPECT_EQ(job.data[0][15], 1018U);
    EXPECT_EQ(bench.shared.get<std::uint32_t>(0x20), 1034U);
}

TEST(LoadStoreUnit, AtomicsOf64BitsUseRegisterPairs) {
    Bench bench(bench_config());
    bench.global.put<std::uint64_t>(0x40, 0xffffffffULL);
    Job &job = bench.strided(10, 0, make_atomic(Op::kAtomg, AtomicOp::kAdd, AtomicType::kU64), 0x40, 8, LaneMask(0x1));
    job.data[0][0] = 1;
    job.data[1][0] = 2;
    bench.run();
    EXPECT_EQ(bench.global.get<std::uint64_t>(0x40), 0x300000000ULL);
    EXPECT_EQ(job.data[0][0], 0xffffffffU);
    EXPECT_EQ(job.data[1][0], 0U);
}

TEST(LoadStoreUnit, CompareAndSwapTakesComparandAndNewValueApart) {
    Bench bench(bench_config());
    bench.shared.put<std::uint32_t>(0, 5);
    bench.shared.put<std::uint32_t>(4, 6);
    Job &job = bench.strided(10, 0, make_atomic(Op::kAtomsCas, AtomicOp::kCas), 0, 4, LaneMask(0x3));
    job.compare[0].fill(5);
    job.data[0].fill(50);
    bench.run();
    EXPECT_EQ(bench.shared.get<std::uint32_t>(0), 50U);
    EXPECT_EQ(bench.shared.get<std::uint32_t>(4), 6U);
    EXPECT_EQ(job.data[0][0], 5U);
    EXPECT_EQ(job.data[0][1], 6U);
}

Config read_write_config() {
    Config config = bench_config();
    config.global.atomics = GlobalAtomics::kReadWrite;
    return config;
}

/// `global.atomics: read_write` on a target of each style of answering: reads and writes of the unit itself, one after
/// the other.
void expect_read_write(Style style) {
    Bench bench(read_write_config());
    bench.global.style = style;
    bench.global.put<std::uint32_t>(0x20, 1000);
    Job &job = bench.strided(10, 0, make_atomic(Op::kAtomg, AtomicOp::kAdd), 0x20, 0, LaneMask(0x7));
    Job &second = bench.strided(11, 1, make_atomic(Op::kAtomg, AtomicOp::kAdd), 0x20, 0, LaneMask(0x1));
    job.data[0] = {1, 10, 100};
    second.data[0][0] = 5000;
    bench.run();
    ASSERT_TRUE(job.ok && second.ok);
    EXPECT_EQ(bench.global.get<std::uint32_t>(0x20), 6111U);
    EXPECT_EQ(job.data[0][0], 1000U);
    EXPECT_EQ(job.data[0][1], 1001U);
    EXPECT_EQ(job.data[0][2], 1011U);
    EXPECT_EQ(second.data[0][0], 1111U) << "the second instruction is not torn into the first";
    EXPECT_GT(second.answered, job.answered);
    for (const std::string &access : bench.global.log) {
        EXPECT_THAT(access, Not(HasSubstr(" A "))) << "nothing but reads and writes reaches the memory";
    }
    EXPECT_THAT(bench.global.bypasses, Each(true)) << "a cache on the way does not answer";
    EXPECT_EQ(bench.unit.stats().transactions_global, 8U);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatCompletes) {
    expect_read_write(Style::kCompleted);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatAccepts) {
    expect_read_write(Style::kAcceptedEnd);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatEndsRequests) {
    expect_read_write(Style::kEndResponse);
}
TEST(LoadStoreUnit, AtomicsByReadsAndWritesOnATargetThatUpdates) {
    expect_read_write(Style::kUpdated);
}

TEST(LoadStoreUnit, AReadOrWriteOfAnAtomicStartsWhenTheOneBeforeHasEnded) {
    Bench bench(read_write_config());
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 4, LaneMask(0x3));
    bench.run();
    EXPECT_THAT(bench.global.log, ElementsAre("11 R 0x20+4", "31 W 0x20+4", "51 R 0x24+4", "71 W 0x24+4"));
    EXPECT_EQ(job.answered, 91 + 4U);
}

TEST(LoadStoreUnit, AnErrorInAnAtomicByReadsAndWritesEndsItAndLetsTheNextOneRun) {
    Bench bench(read_write_config());
    bench.global.style = Style::kEndResponse;
    Job &bad = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), kMemoryBytes, 0, LaneMask(0x1));
    Job &good = bench.strided(11, 1, make_atomic(Op::kRed, AtomicOp::kAdd), 0x40, 0, LaneMask(0x1));
    good.data[0][0] = 3;
    bench.run();
    EXPECT_EQ(bad.fault.fault, Fault::kIllegalAddress);
    EXPECT_TRUE(good.ok);
    EXPECT_EQ(bench.global.get<std::uint32_t>(0x40), 3U);
}

TEST(LoadStoreUnit, AtomicsOfSharedMemoryAreNeverReadsAndWrites) {
    Bench bench(read_write_config());
    bench.strided(10, 0, make_atomic(Op::kAtoms, AtomicOp::kAdd), 0x20, 0, LaneMask(0x1));
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 A 0x20+4"));
}

TEST(LoadStoreUnit, AMemoryThatAnswersANativeAtomicWithoutPerformingItRaisesMemoryError) {
    Bench bench(bench_config());
    bench.global.knows_atomics = false;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0x20, 0, LaneMask(0x6));
    bench.run();
    EXPECT_EQ(job.fault.fault, Fault::kMemoryError);
    EXPECT_EQ(job.fault.detail, "global memory refused 4 bytes at 0x20 (first thread 1): it answered an atomic without "
                                "performing it; a memory that does not perform atomics itself needs "
                                "global.atomics=read_write");
    EXPECT_THAT(bench.global.log, ElementsAre("11 A 0x20+4", "11 A 0x20+4")) << "no read, no write";
}

TEST(LoadStoreUnit, AMemoryThatRefusesTheCommandOfANativeAtomicRaisesMemoryErrorThatNamesTheKey) {
    Bench bench(bench_config());
    bench.global.refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), kMemoryBytes, 0, LaneMask(0x1));
    bench.run();
    EXPECT_EQ(job.fault.fault, Fault::kMemoryError);
    EXPECT_THAT(job.fault.detail, HasSubstr("TLM_COMMAND_ERROR_RESPONSE"));
    EXPECT_THAT(job.fault.detail, HasSubstr("global.atomics=read_write"));
}

// --- time ----------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, LatencyIsQueueMemoryAndAddressGeneration) {
    Bench bench(bench_config());
    Job &job = bench.strided(10, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 R 0x0+128"));
    EXPECT_EQ(job.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(job.answered, 11 + 20 + 4U);
}

void expect_latency(Style style) {
    Bench bench(bench_config());
    bench.global.style = style;
    Job &job = bench.strided(10, 0, make(Op::kLdg), 0, 4);
    bench.run();
    EXPECT_EQ(job.answered, 11 + 20 + 4U);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatAccepts) {
    expect_latency(Style::kAcceptedEnd);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatEndsRequests) {
    expect_latency(Style::kEndResponse);
}
TEST(LoadStoreUnit, LatencyIsTheSameOnATargetThatUpdates) {
    expect_latency(Style::kUpdated);
}

TEST(LoadStoreUnit, TheUnitIsBusyForTheIssueIntervalOrACyclePerGlobalTransaction) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLds), 0, 128); // 32 rows of shared memory: not the unit's business
    bench.strided(10, 1, make(Op::kLdg), 0, 128, LaneMask(0x1f));
    bench.strided(10, 2, make(Op::kLdg), 0x4000, 4);
    bench.run();
    EXPECT_EQ(bench.shared.log[0].substr(0, 2), "11");
    EXPECT_EQ(bench.global.log[0], "13 R 0x0+4");
    EXPECT_EQ(bench.global.log[5], "18 R 0x4000+128");
}

TEST(LoadStoreUnit, SourcesAreReadWhenTheInstructionIsServedIfAScoreboardAsks) {
    Bench bench(bench_config());
    isa::Instruction asks = make(Op::kSts);
    asks.rsb = 2;
    Job &with = bench.strided(10, 0, asks, 0, 4);
    Job &without = bench.strided(40, 0, make(Op::kSts), 0, 4);
    bench.run();
    EXPECT_EQ(with.sources_read, 12U);
    EXPECT_EQ(without.sources_read, 0U);
}

TEST(LoadStoreUnit, AnAccessThatIsAnsweredLaterHasItsPlaceWhenItIsServed) {
    Bench bench(bench_config());
    bench.global.style = Style::kEndResponse;
    Job &first = bench.strided(10, 0, make(Op::kLdg), 0, 4);
    Job &behind = bench.strided(10, 0, make(Op::kStg), 0x100, 4);
    Job &on_the_call = bench.strided(10, 1, make(Op::kSts), 0, 4);
    bench.run();
    EXPECT_EQ(first.placed, 11 + 1U);
    EXPECT_EQ(behind.placed, 11 + 4 + 1U) << "served third";
    EXPECT_EQ(on_the_call.placed, 0U) << "its answer says so";
}

TEST(LoadStoreUnit, AnAtomicHasItsPlaceWithItsAnswer) {
    Bench bench(read_write_config());
    bench.global.style = Style::kEndResponse;
    Job &job = bench.strided(10, 0, make_atomic(Op::kRed, AtomicOp::kAdd), 0, 4, LaneMask(0x3));
    bench.run();
    EXPECT_TRUE(job.ok);
    EXPECT_EQ(job.placed, 0U);
}

TEST(LoadStoreUnit, AFullQueueWithholdsEndReqUntilAnInstructionLeavesIt) {
    Bench bench(bench_config());
    Job &first = bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0xff)); // busy until 19
    Job &second = bench.strided(12, 0, make(Op::kLds), 0, 4);
    Job &third = bench.strided(13, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_EQ(first.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(second.accepted, tlm::TLM_UPDATED);
    EXPECT_EQ(third.accepted, tlm::TLM_ACCEPTED);
    EXPECT_EQ(third.end_req, 20U);
    EXPECT_EQ(second.end_req, 0U);
    EXPECT_TRUE(third.ok);
}

TEST(LoadStoreUnit, AQueueOfOneIsFullWithEachRequest) {
    Config config = bench_config();
    config.lsu.queue_depth = 1;
    Bench bench(config);
    Job &job = bench.strided(10, 0, make(Op::kLds), 0, 4);
    bench.run();
    EXPECT_EQ(job.accepted, tlm::TLM_ACCEPTED);
    EXPECT_EQ(job.end_req, 12U);
    EXPECT_EQ(job.answered, 35U);
}

TEST(LoadStoreUnit, QueuesAreServedInRotatingOrder) {
    Bench bench(bench_config());
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned queue = 0; queue < 3; ++queue) {
            bench.strided(10, queue, make(Op::kLds), 0x100 * (queue + 1) + 0x1000 * round, 4, LaneMask(0x1));
        }
    }
    bench.run();
    EXPECT_THAT(bench.shared.log, ElementsAre("11 R 0x100+4", "13 R 0x200+4", "15 R 0x300+4", "17 R 0x1100+4",
                                              "19 R 0x1200+4", "21 R 0x1300+4"));
}

/// Two requests in one cycle, in either order of the calls.
std::vector<std::string> served(unsigned first, unsigned second) {
    Bench bench(bench_config());
    bench.strided(10, first, make(Op::kLds), 0x100 * first, 4, LaneMask(0x1));
    bench.strided(10, second, make(Op::kLds), 0x100 * second, 4, LaneMask(0x1));
    bench.run();
    return bench.shared.log;
}
TEST(LoadStoreUnit, RequestsOfOneCycleAreServedInQueueOrder) {
    EXPECT_THAT(served(1, 3), ElementsAre("11 R 0x100+4", "13 R 0x300+4"));
}
TEST(LoadStoreUnit, RequestsOfOneCycleAreServedInQueueOrderWhateverTheOrderOfTheCalls) {
    EXPECT_THAT(served(3, 1), ElementsAre("11 R 0x100+4", "13 R 0x300+4"));
}

void expect_limit_of_outstanding(Style style) {
    Config config = bench_config();
    config.lsu.max_outstanding = 2;
    Bench bench(config);
    bench.global.style = style;
    bench.strided(10, 0, make(Op::kLdg), 0, 128, LaneMask(0x3));
    bench.strided(10, 0, make(Op::kLdg), 0x1000, 4, LaneMask(0x1));
    bench.strided(10, 1, make(Op::kLds), 0, 4, LaneMask(0x1));
    bench.run();
    EXPECT_EQ(bench.shared.log[0], "13 R 0x0+4") << "shared memory is not held up";
    EXPECT_EQ(bench.global.log[2].substr(3), "R 0x1000+4");
    // The first two answers are there at 31, or, on a target that takes one request per cycle, at 31 and 32.
    EXPECT_EQ(std::stoul(bench.global.log[2].substr(0, 2)), style == Style::kEndResponse ? 32U : 31U);
}
TEST(LoadStoreUnit, NoGlobalAccessStartsWhileTheLimitOfTransactionsIsUnderWay) {
    expect_limit_of_outstanding(Style::kCompleted);
}
TEST(LoadStoreUnit, TheLimitOfTransactionsHoldsForATargetThatAnswersLater) {
    expect_limit_of_outstanding(Style::kEndResponse);
}

// --- counters ------------------------------------------------------------------------------------------------------

TEST(LoadStoreUnit, CountsInstructionsTransactionsAndSectors) {
    Bench bench(bench_config());
    bench.strided(10, 0, make(Op::kLdg), 0, 64, LaneMask(0x7)); // rows 0 and 1: bytes 0..67, 128..131
    bench.strided(100, 0, make(Op::kLds), 0, 4);
    bench.run();
    const LoadStoreStats &stats = bench.unit.stats();
    EXPECT_EQ(stats.by_op[static_cast<std::size_t>(Op::kLdg)], 1U);
    EXPECT_EQ(stats.by_op[static_cast<std::size_t>(Op::kLds)], 1U);
    EXPECT_EQ(stats.transactions_global, 2U);
    EXPECT_EQ(stats.transactions_shared, 1U);
    EXPECT_EQ(stats.requested_global_bytes, 12U);
    EXPECT_EQ(stats.moved_global_bytes, 96U + 32U);
}

} // namespace
} // namespace smsim::sm
