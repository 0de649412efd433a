// Files of recorded transactions: what is written is read back, no damage goes unnoticed, and records that cannot
// follow one another are rejected.
#include <sstream>

#include <gmock/gmock.h>

#include "cosim/transactions/listing.h"
#include "model/config/config.h"
#include "model/transactions/file.h"
#include "model/transactions/sequence_check.h"

namespace smsim::transactions {
namespace {

using ::testing::HasSubstr;

isa::Instruction instruction(isa::Op op, Pc pc) {
    isa::Instruction insn;
    insn.op = op;
    insn.unit = isa::spec_of(op).unit;
    insn.form = isa::spec_of(op).forms.front().form;
    insn.pc = pc;
    return std::get<isa::Instruction>(isa::decode(std::get<isa::Word>(isa::encode(insn)), pc));
}

Event event(Cycle at, Event::Kind kind, std::uint32_t warp, Cycle cycles = 0) {
    return {at, kind, WarpSlot(warp), cycles};
}

Start start(Cycle at, std::uint32_t warp, std::uint32_t number = 0, std::uint32_t warps = 1, std::uint32_t cta = 0) {
    return {at, WarpSlot(warp), 0x40, 0x200, LaneMask(0xffff), CtaSlot(cta), 1234567890123, number, warps};
}

/// One record of each kind, with every member of the kind.
std::vector<std::pair<Part, Record>> samples() {
    std::vector<std::pair<Part, Record>> all;
    Branch branch;
    branch.at = 7;
    branch.warp = WarpSlot(3);
    branch.insn = instruction(isa::Op::kExit, 0x50);
    branch.guard = LaneMask(0xf0f0f0f0);
    branch.guard_pp = LaneMask::all();
    branch.scalar = ~std::uint64_t{0};
    Branch open = branch;
    branch.vectors[0].fill(0x123456789abcdef0);
    branch.vectors[0][5] = 1;
    BranchAnswer &answer = branch.answer.emplace();
    answer.at = 9;
    answer.outcome = Outcome::kSleep;
    answer.next_pc = 0x60;
    answer.next_active = LaneMask(0xff);
    answer.write_lanes = LaneMask(0x1);
    answer.value = 0x8000000000000000;
    answer.told = BranchDetail{LaneMask(0xff), LaneMask(0xf), true, 1, ReleaseKind::kTurn};
    Branch refused = open;
    refused.answer.emplace();
    refused.answer->at = 8;
    refused.answer->fault = Fault::kIllegalTarget;
    refused.answer->detail = "thread 3 would go to 0x11";
    all.emplace_back(Part::kBru, start(1, 3));
    all.emplace_back(Part::kBru, event(2, Event::Kind::kExpiry, 3));
    all.emplace_back(Part::kBru, event(2, Event::Kind::kRequest, 3, 1'000'000'000'000));
    all.emplace_back(Part::kBru, event(4, Event::Kind::kWake, 3));
    all.emplace_back(Part::kBru, branch);
    all.emplace_back(Part::kBru, refused);
    all.emplace_back(Part::kBru, open);
    Branch compared = open; // reads two registers
    compared.insn = instruction(isa::Op::kVbeq, 0x50);
    compared.vectors[0].fill(3);
    compared.vectors[1].fill(4);
    all.emplace_back(Part::kBru, compared);
    Barrier barrier;
    barrier.at = 12;
    barrier.warp = WarpSlot(1);
    barrier.insn = instruction(isa::Op::kB2r, 0x10);
    barrier.pmask = LaneMask(0x3);
    barrier.contribution = LaneMask(0x1);
    barrier.vectors[0].fill(7);
    barrier.vectors[1][31] = 0xffffffff;
    barrier.answer.emplace();
    barrier.answer->at = 20;
    barrier.answer->outcome = Outcome::kBlocked;
    barrier.answer->writes = true;
    barrier.answer->value = 0xfedcba98;
    barrier.answer->predicate = true;
    all.emplace_back(Part::kBcu, event(11, Event::Kind::kExit, 2));
    all.emplace_back(Part::kBcu, barrier);
    all.emplace_back(Part::kTimer, event(13, Event::Kind::kStop, 63));
    Access access;
    access.at = 14;
    access.kind = Access::Kind::kWrite;
    access.group = 99;
    access.address = 0x1234;
    access.length = 9;
    access.width = 3;
    access.enabled = {true, false, true, true, true, true, true, true, false};
    access.data = {1, 0, 3, 4, 5, 6, 7, 8, 0};
    access.answer = AccessAnswer{17, 1, false, {}};
    all.emplace_back(Part::kShared, access);
    Access atomic;
    atomic.at = 14;
    atomic.kind = Access::Kind::kAtomic;
    atomic.length = 8;
    atomic.width = 8;
    atomic.op = static_cast<std::uint8_t>(isa::AtomicOp::kCas);
    atomic.type = static_cast<std::uint8_t>(isa::AtomicType::kU64);
    atomic.operand = 5;
    atomic.compare = 6;
    atomic.answer = AccessAnswer{30, -2, true, {1, 2, 3, 4, 5, 6, 7, 8}};
    all.emplace_back(Part::kShared, atomic);
    return all;
}

const char *const kConfig = "sm:\n  sub_partitions: 4\n";

std::vector<std::uint8_t> file_of(const std::vector<std::pair<Part, Record>> &records, Cycle last = 1'000'000) {
    std::ostringstream stream;
    FileWriter writer(stream, kConfig);
    for (const auto &[part, record] : records) {
        writer.add(part, record);
    }
    writer.finish(last);
    const std::string bytes = stream.str();
    return {bytes.begin(), bytes.end()};
}

/// The records of all parts, one part after another.
std::vector<std::pair<Part, Record>> read(const std::vector<std::uint8_t> &bytes) {
    const File file(bytes, "x.smtx");
    std::vector<std::pair<Part, Record>> records;
    for (std::size_t i = 0; i < kParts; ++i) {
        RecordStream stream = file.stream(static_cast<Part>(i));
        while (auto record = stream.next()) {
            records.emplace_back(static_cast<Part>(i), std::move(*record));
        }
    }
    return records;
}

std::string refusal(const std::vector<std::uint8_t> &bytes) {
    try {
        read(bytes);
    } catch (const InputError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(TransactionFile, RecordsComeBackUnchanged) {
    const std::vector<std::uint8_t> bytes = file_of(samples());
    EXPECT_EQ(read(bytes), samples());
    const File file(bytes, "x.smtx");
    EXPECT_EQ(file.config(), kConfig);
    EXPECT_EQ(file.last(), 1'000'000U);
    EXPECT_EQ(file.records(Part::kBru), 8U);
    EXPECT_EQ(file.records(Part::kTimer), 1U);
}

TEST(TransactionFile, ARecordAfterTheLastCycleIsRefused) {
    EXPECT_THAT(refusal(file_of(samples(), 13)), ::testing::HasSubstr("cycle 14 beyond the last one, 13"));
    EXPECT_EQ(refusal(file_of(samples(), 14)), "accepted");
}

TEST(TransactionFile, RecordsOfManyPiecesComeBackInTheirOrder) {
    std::vector<std::pair<Part, Record>> records;
    for (Cycle at = 0; at < 200'000; ++at) {
        records.emplace_back(Part::kTimer, event(at * 3, Event::Kind::kRequest, at % 64, at));
    }
    EXPECT_EQ(read(file_of(records)), records);
}

TEST(TransactionFile, ThatIsFullTakesNoMoreAndIsWhole) {
    std::ostringstream stream;
    FileWriter writer(stream, kConfig, 10'000);
    Cycle at = 0;
    for (; at < 1'000'000 && !writer.is_full(); ++at) {
        writer.add(Part::kTimer, event(at, Event::Kind::kRequest, at % 64, at * at));
    }
    ASSERT_TRUE(writer.is_full());
    writer.add(Part::kTimer, event(at, Event::Kind::kStop, 0));
    writer.finish(at);
    const std::string bytes = stream.str();
    EXPECT_EQ(read({bytes.begin(), bytes.end()}).size(), at);
}

TEST(TransactionFile, IsRejectedWhenTruncatedAnywhere) {
    const std::vector<std::uint8_t> bytes = file_of(samples());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const std::string message = refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
        ASSERT_THAT(message, HasSubstr("x.smtx: byte 0x")) << length;
    }
    std::vector<std::uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_THAT(refusal(longer), HasSubstr("1 bytes after the end"));
}

TEST(TransactionFile, IsRejectedWhenAnyByteIsAltered) {
    const std::vector<std::uint8_t> bytes = file_of(samples());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::vector<std::uint8_t> altered = bytes;
        altered[at] ^= 0x41;
        ASSERT_THAT(refusal(altered), HasSubstr("x.smtx: byte 0x")) << at;
    }
}

TEST(TransactionFile, AnotherVersionIsNamed) {
    std::vector<std::uint8_t> bytes = file_of(samples());
    bytes[8] = 2;
    EXPECT_EQ(refusal(bytes), "x.smtx: byte 0x8: version 2 of the file; expected 1");
}

TEST(TransactionFile, APieceThatWouldBeTooLongIsRefusedBeforeItIsUnpacked) {
    std::vector<std::uint8_t> bytes = file_of(samples());
    constexpr std::size_t kUnpacked = 12 + 1 + 4; // after kind and count of the first piece
    bytes[kUnpacked + 3] = 0xff;
    EXPECT_THAT(refusal(bytes), HasSubstr("byte 0xc: a piece of 42"));
    bytes = file_of(samples());
    bytes[12 + 1 + 3] = 0xff;
    EXPECT_THAT(refusal(bytes), HasSubstr("records in"));
}

/// The given bytes of one record, in an otherwise intact file.
std::string refusal_of_record(Part part, const std::vector<std::uint8_t> &bytes) {
    ByteReader reader(bytes, [](std::size_t, const std::string &reason) { throw InputError(reason); });
    try {
        decode(part, 0, reader);
    } catch (const InputError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(TransactionRecords, InvalidRecordsAreRejected) {
    EXPECT_EQ(refusal_of_record(Part::kTimer, {9}), "9 is not a kind of record of timer");
    EXPECT_EQ(refusal_of_record(Part::kTimer, {4, 0, 0}), "4 is not a kind of record of timer") << "it wakes no warp";
    EXPECT_EQ(refusal_of_record(Part::kTimer, {1, 0}), "1 bytes are needed, 0 are left");
    EXPECT_EQ(refusal_of_record(Part::kTimer, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}),
              "a cycle beyond the last one");
    EXPECT_EQ(refusal_of_record(Part::kTimer, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0}),
              "a number of more than 64 bits");
    EXPECT_EQ(refusal_of_record(Part::kTimer, {1, 0, 0xff, 0xff, 0xff, 0xff, 0x1f}),
              "8589934591 is not a 32-bit number");
    EXPECT_EQ(refusal_of_record(Part::kShared, {8, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 1, 0}),
              "an access of 268435455 bytes");
    EXPECT_EQ(refusal_of_record(Part::kShared, {8, 0, 2, 0, 0, 4, 4, 0, 0, 2, 0, 0}),
              "an atomic of another length than that of its type");
    ByteWriter writer;
    encode(samples()[4].second, 0, writer);
    std::vector<std::uint8_t> exit = writer.bytes();
    exit[3] = 0xff; // first byte of its word
    EXPECT_THAT(refusal_of_record(Part::kBru, exit), HasSubstr("0x0050: word"));
    exit = writer.bytes();
    exit[0] = 7;
    EXPECT_THAT(refusal_of_record(Part::kBcu, exit), HasSubstr("EXIT is not an instruction of this unit"));
}

TEST(TransactionRecords, OneCycleHasAnOrder) {
    const std::vector<Record> ordered = {event(1, Event::Kind::kExit, 0),
                                         event(1, Event::Kind::kExpiry, 0),
                                         event(1, Event::Kind::kStop, 0),
                                         start(1, 0),
                                         event(1, Event::Kind::kRequest, 0),
                                         event(1, Event::Kind::kWake, 0),
                                         Branch{}};
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        EXPECT_EQ(rank_of(ordered[i]), i);
    }
}

TEST(TransactionRecords, AreShownAsALineEach) {
    std::vector<std::string> lines;
    for (const auto &[part, record] : samples()) {
        lines.push_back(text_of(record));
    }
    EXPECT_THAT(lines, ::testing::ElementsAre(
                           "cycle 1 warp 3 starts at 0x0040 of 512 bytes, threads 0x0000ffff, warp 0 of 1 of CTA "
                           "1234567890123 in slot 0",
                           "cycle 2 warp 3 expiry", "cycle 2 warp 3 timer request of 1000000000000 cycles",
                           "cycle 4 warp 3 wake",
                           "cycle 7 warp 3 0x0050 EXIT: guard 0xf0f0f0f0 -> cycle 9: sleeps, next 0x0060, active "
                           "0x000000ff, Rd of 0x00000001 is 0x8000000000000000",
                           "cycle 7 warp 3 0x0050 EXIT: guard 0xf0f0f0f0 -> cycle 8: IllegalTarget: thread 3 would go "
                           "to 0x11",
                           "cycle 7 warp 3 0x0050 EXIT: guard 0xf0f0f0f0 -> no answer",
                           "cycle 7 warp 3 0x0050 VBEQ RZ, RZ, 0x60: guard 0xf0f0f0f0, vector 0x3, vector 0x4 -> no "
                           "answer",
                           "cycle 11 warp 2 exit",
                           "cycle 12 warp 1 0x0010 B2R.WARP RZ: threads 0x00000003 -> cycle 20: blocked, value "
                           "0xfedcba98, predicate true",
                           "cycle 13 warp 63 stop",
                           "cycle 14 access 99 write of 9 bytes at 0x1234 in 3: 01..030405060708.. -> cycle 17: OK",
                           "cycle 14 atomic of 8 bytes at 0x0: CAS.U64 0x5, compare 0x6 -> cycle 30: address error, "
                           "0102030405060708"));
}

/// The first record of several that cannot follow those before it, as "number: why".
std::string misplaced(Part part, const std::vector<Record> &records) {
    const Config config;
    SequenceCheck check(config, part);
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (const auto error = check.error(records[i])) {
            return std::to_string(i) + ": " + *error;
        }
    }
    return "";
}

Barrier barrier(Cycle at, std::uint32_t warp, std::optional<Outcome> outcome) {
    Barrier one;
    one.at = at;
    one.warp = WarpSlot(warp);
    one.insn = instruction(isa::Op::kB2r, 0);
    if (outcome) {
        one.answer.emplace();
        one.answer->at = at + 10;
        one.answer->outcome = *outcome;
    }
    return one;
}

TEST(TransactionSequence, RecordsThatCannotFollowOneAnotherAreRefused) {
    const auto go_on = Outcome::kContinue;
    EXPECT_EQ(misplaced(Part::kBru, {start(1, 64)}), "0: warp slot 64; the SM has 64");
    EXPECT_EQ(misplaced(Part::kTimer, {event(1, Event::Kind::kStop, 99)}), "0: warp slot 99; the SM has 64");
    EXPECT_EQ(misplaced(Part::kBru, {Branch{}}), "0: an instruction of warp slot 0, which holds no warp");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0, 0, 2, 32)}), "0: CTA slot 32; the SM has 32");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0, 2, 2)}), "0: warp 2 of a CTA of 2 warps");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0, 0, 2), start(1, 1, 0, 2)}),
              "1: warp 0 of CTA 1234567890123 starts in warp slot 1 and CTA slot 0, which are in use");
    EXPECT_EQ(misplaced(Part::kBcu, {event(1, Event::Kind::kExit, 5)}), "0: warp slot 5 exits, which holds no warp");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0), barrier(2, 0, go_on), event(11, Event::Kind::kExit, 0)}),
              "2: warp slot 0 exits, which waits for an answer");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0), barrier(2, 0, Outcome::kBlocked), barrier(20, 0, go_on)}),
              "2: an instruction of warp slot 0, which waits at a barrier");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0), barrier(2, 0, std::nullopt), event(99, Event::Kind::kExit, 0)}),
              "2: warp slot 0 exits, which waits for an answer");
    EXPECT_EQ(misplaced(Part::kBcu, {start(1, 0), barrier(2, 0, Outcome::kBlocked), event(20, Event::Kind::kWake, 0),
                                     barrier(20, 0, go_on), event(30, Event::Kind::kExit, 0), start(31, 0)}),
              "");
    Branch open;
    open.at = 2;
    EXPECT_EQ(misplaced(Part::kBru, {start(1, 0), open, start(9, 0)}),
              "2: a warp starts in slot 0, where an instruction has no answer yet");
}

} // namespace
} // namespace smsim::transactions
