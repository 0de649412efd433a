// Replay finds every difference and nothing else: recordings of kernels pass on the model and on the rules, and
// altered recordings do not.
#include <gmock/gmock.h>

#include "model/config/config.h"
#include "tb/cosim/transactions_support.h"

namespace smsim {
namespace {

using cosim::transactions::ReplayResult;
using test::File;
using test::Part;
using test::Record;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transactions::Access;
using transactions::Barrier;
using transactions::Branch;
using transactions::Event;
using transactions::Start;

class TransactionReplay : public testing::Test {
  protected:
    File recorded(const std::string &launch, const std::vector<std::string> &settings = {}) {
        test::record(test::in_tree(launch), settings, folder_ / "k.smtx");
        return File::open(folder_ / "k.smtx");
    }
    test::TemporaryFolder folder_;
};

class TransactionReplayOf : public TransactionReplay, public testing::WithParamInterface<const char *> {};

TEST_P(TransactionReplayOf, DiffersNeitherInTheModelNorInTheRules) {
    const File file = recorded(GetParam());
    EXPECT_EQ(test::into_golden(file), "");
    const ReplayResult result = test::replay_into_parts(file, test::config_of(file), test::kAllParts);
    EXPECT_EQ(test::outcome(result), "");
    const auto [answers, apart] = test::answers_of(result);
    EXPECT_GT(answers, 100U);
    EXPECT_EQ(apart, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, TransactionReplayOf,
                         testing::Values("kernels/control_flow/call_return/launch.yaml",
                                         "kernels/control_flow/nested_divergence/launch.yaml",
                                         "kernels/synchronisation/producer_consumer/launch.yaml",
                                         "kernels/synchronisation/spin_lock_nanosleep/launch.yaml",
                                         "kernels/synchronisation/spin_lock_yield/launch.yaml",
                                         "kernels/compiled/cuda_scan/launch.yaml"),
                         [](const auto &one) { return "N" + std::to_string(one.index); });

TEST_F(TransactionReplay, ContinuesLaterAfterLateAnswers) {
    const File file = recorded("kernels/control_flow/context_switch/launch.yaml");
    const ReplayResult result = test::replay_into_parts(
        file, test::config_of(file, {"bru.branch_latency=9", "bru.sync_latency=11"}), test::kAllParts);
    EXPECT_EQ(test::outcome(result), "");
    EXPECT_EQ(result.parts[0].cycles_apart.at("BRA").begin()->first, 7) << "and not more by what came later before it";
    EXPECT_EQ(result.parts[0].cycles_apart.at("BRA").size(), 1U);
    EXPECT_EQ(result.parts[0].cycles_apart.at("BSYNC").begin()->first, 7);
}

TEST_F(TransactionReplay, OfSharedPipelinesAndOfRandomSchedulesDoesNotDiffer) {
    const File shared = recorded("kernels/synchronisation/spin_lock_nanosleep/launch.yaml", {"bru.pipelines=1"});
    EXPECT_EQ(test::into_golden(shared), "");
    const File random = recorded("kernels/synchronisation/spin_lock_nanosleep/launch.yaml", {"jitter.seed=3"});
    EXPECT_EQ(test::into_golden(random), "");
    EXPECT_EQ(test::outcome(test::replay_into_parts(random, test::config_of(random), test::kAllParts)), "");
}

TEST_F(TransactionReplay, OfBothIntoTheRulesIsRefused) {
    const File file =
        recorded("kernels/synchronisation/spin_lock_nanosleep/launch.yaml", {"bru.pipelines=1", "jitter.seed=3"});
    EXPECT_THROW(test::into_golden(file), InputError);
    EXPECT_EQ(test::outcome(test::replay_into_parts(file, test::config_of(file), test::kAllParts)), "");
}

/// A change to a recording, and how the rules and the model detect it.
struct Change {
    const char *name;
    Part part;
    std::function<bool(Record &)> apply; ///< false: not in this record
    std::string golden;
    std::string model;

    friend void PrintTo(const Change &change, std::ostream *to) { *to << change.name; }
};

template <typename Kind> std::function<bool(Record &)> in(std::function<bool(Kind &)> apply) {
    return [apply = std::move(apply)](Record &record) {
        auto *one = std::get_if<Kind>(&record);
        return one != nullptr && apply(*one);
    };
}
/// In the answer of an instruction.
template <typename Kind> std::function<bool(Record &)> in_answer(isa::Op op, std::function<void(Kind &)> apply) {
    return in<Kind>([op, apply = std::move(apply)](Kind &one) {
        if (one.insn.op != op || !one.answer) {
            return false;
        }
        apply(one);
        return true;
    });
}

std::vector<Change> changes() {
    using isa::Op;
    const auto access = [](Access::Kind kind, std::function<void(Access &)> apply) {
        return in<Access>([kind, apply = std::move(apply)](Access &one) {
            if (one.kind == kind) {
                apply(one);
            }
            return one.kind == kind;
        });
    };
    return {
        {"NextPc", Part::kBru, in_answer<Branch>(Op::kBra, [](Branch &b) { b.answer->next_pc += 16; }),
         "next PC: recorded 0x", "next PC: recorded 0x"},
        {"NextActive", Part::kBru, in_answer<Branch>(Op::kBssy, [](Branch &b) { b.answer->next_active = LaneMask(1); }),
         "next active: recorded 0x00000001, rules 0xffffffff", "next active: recorded 0x00000001, replayed 0xffffffff"},
        {"Outcome", Part::kBru, in_answer<Branch>(Op::kExit, [](Branch &b) { b.answer->outcome = Outcome::kSleep; }),
         "outcome: recorded sleeps, rules goes on", "outcome: recorded sleeps, replayed goes on"},
        {"Value", Part::kBru, in_answer<Branch>(Op::kLepc, [](Branch &b) { b.answer->value ^= 1; }), "value: recorded",
         "value: recorded"},
        {"Told", Part::kBru, in_answer<Branch>(Op::kBsync, [](Branch &b) { b.answer->told->sync ^= 3; }),
         "sync: recorded", "sync: recorded"},
        {"Guard", Part::kBru, in_answer<Branch>(Op::kBra, [](Branch &b) { b.guard = ~b.guard; }), "jumped: recorded",
         "jumped: recorded"},
        {"Exception", Part::kBru, in_answer<Branch>(Op::kBra, [](Branch &b) { b.answer->fault = Fault::kTrap; }),
         "exception: recorded Trap, rules none", "exception: recorded Trap, replayed none"},
        {"Sleep", Part::kBru, in<Event>([](Event &e) { return e.kind == Event::Kind::kRequest && ++e.cycles != 0; }),
         "cycles: recorded", "cycles: recorded"},
        {"Arrival", Part::kBcu,
         in_answer<Barrier>(Op::kBar, [](Barrier &b) { b.answer->outcome = Outcome::kContinue; }),
         "outcome: recorded goes on, rules blocked", "outcome: recorded goes on, replayed blocked"},
        {"BarrierValue", Part::kBcu, in_answer<Barrier>(Op::kB2rResult, [](Barrier &b) { ++b.answer->value; }),
         "value: recorded 0x", "value: recorded 0x"},
        {"Expiry", Part::kTimer, in<Event>([](Event &e) {
             e.kind = e.kind == Event::Kind::kRequest ? Event::Kind::kStop : e.kind;
             return e.kind == Event::Kind::kStop && e.cycles != 0;
         }),
         "expiry: recorded one, rules none", "expiry: recorded one, replayed none"},
        {"Read", Part::kShared, access(Access::Kind::kRead, [](Access &a) { a.answer->bytes.back() ^= 0x80; }),
         "bytes: recorded", "bytes: recorded"},
        {"Atomic", Part::kShared, access(Access::Kind::kAtomic, [](Access &a) { ++a.operand; }), "bytes: recorded",
         "bytes: recorded"},
        {"Status", Part::kShared, access(Access::Kind::kWrite, [](Access &a) { a.answer->status = -2; }),
         "status: recorded address error, rules OK", "status: recorded address error, replayed OK"},
    };
}

class TransactionChange : public testing::TestWithParam<Change> {};

TEST_P(TransactionChange, IsFound) {
    const Change &change = GetParam();
    const File stored = File::open(test::in_tree("tb/data/transactions/control.smtx"));
    ASSERT_EQ(test::into_golden(stored), "");
    std::optional<std::size_t> first;
    const File file = test::changed(stored, change.part, [&](std::vector<Record> &records) {
        for (std::size_t i = 0; i < records.size() && !first; ++i) {
            first = change.apply(records[i]) ? std::optional(i) : std::nullopt;
        }
    });
    ASSERT_TRUE(first);
    const std::string part = part_name(change.part);
    // Every queried item appears in an answer, perhaps a later one; a changed answer is found where it is.
    const std::string golden = test::into_golden(file);
    EXPECT_THAT(golden, StartsWith(part + " "));
    EXPECT_THAT(golden, HasSubstr(change.golden));
    const std::string model = test::outcome(test::replay_into_parts(file, test::config_of(file), test::kAllParts));
    EXPECT_THAT(model, StartsWith(part + " "));
    EXPECT_THAT(model, HasSubstr(change.model));
    if (change.model.starts_with("next") || change.model.starts_with("outcome")) {
        EXPECT_THAT(golden, StartsWith(part + " " + std::to_string(*first) + ": "));
        EXPECT_THAT(model, StartsWith(part + " " + std::to_string(*first) + ": "));
    }
}

INSTANTIATE_TEST_SUITE_P(All, TransactionChange, testing::ValuesIn(changes()),
                         [](const auto &one) { return one.param.name; });

TEST_F(TransactionReplay, AWakeThatIsMissingInTheRecordingIsFound) {
    const File stored = File::open(test::in_tree("tb/data/transactions/context_switch.smtx"));
    const File file = test::changed(stored, Part::kBcu, [](std::vector<Record> &records) {
        // The last one: what follows a wake could not have been sent.
        const auto is_wake = [](const Record &record) {
            const auto *event = std::get_if<Event>(&record);
            return event != nullptr && event->kind == Event::Kind::kWake;
        };
        const auto last = std::find_if(records.rbegin(), records.rend(), is_wake);
        records.erase(std::next(last).base(), records.end());
    });
    EXPECT_THAT(test::outcome(test::replay_into_parts(file, test::config_of(file), test::kAllParts)),
                testing::MatchesRegex("bcu [0-9]+: wake of warp [0-9]+: recorded none, replayed one"));
}

TEST_F(TransactionReplay, DetectsAMissingAnswer) {
    const File stored = File::open(test::in_tree("tb/data/transactions/context_switch.smtx"));
    const File file = test::changed(stored, Part::kBcu, [](std::vector<Record> &records) {
        Event wake;
        wake.kind = Event::Kind::kWake;
        wake.at = cycle_of(records.back());
        wake.warp = warp_of(records.back());
        records.push_back(wake);
    });
    EXPECT_THAT(test::into_golden(file), HasSubstr("wake: recorded one, rules none"));
    EXPECT_THAT(test::outcome(test::replay_into_parts(file, test::config_of(file), test::kAllParts)),
                HasSubstr("wake: recorded one, replayed none"));
}

TEST_F(TransactionReplay, RecordsThatCannotFollowOneAnotherAreRefusedWithTheirNumber) {
    const File stored = File::open(test::in_tree("tb/data/transactions/control.smtx"));
    const File file = test::changed(
        stored, Part::kBru, [](std::vector<Record> &records) { std::get<Start>(records.front()).warp = WarpSlot(99); });
    for (const bool golden : {true, false}) {
        try {
            const Config config = test::config_of(file);
            golden ? test::replay_into_golden(file, config, test::kAllParts)
                   : test::replay_into_parts(file, config, test::kAllParts);
            FAIL();
        } catch (const InputError &error) {
            EXPECT_THAT(error.what(), HasSubstr("control.smtx: bru 0: warp slot 99; the SM has 64"));
        }
    }
}

/// The records left after some of their bytes were changed: up to the first invalid one.
std::vector<Record> damaged(const std::vector<Record> &records, Part part, std::uint64_t &seed) {
    transactions::ByteWriter writer;
    Cycle previous = 0;
    for (const Record &record : records) {
        encode(record, previous, writer);
        previous = cycle_of(record);
    }
    std::vector<std::uint8_t> bytes = writer.bytes();
    const auto random = [&seed](std::uint64_t below) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        return (seed >> 33) % below;
    };
    for (std::uint64_t left = 1 + random(3); left != 0; --left) {
        bytes[random(bytes.size())] = static_cast<std::uint8_t>(random(256));
    }
    transactions::ByteReader reader(bytes, [](std::size_t, const std::string &why) { throw InputError(why); });
    std::vector<Record> left;
    previous = 0;
    try {
        while (!reader.at_end()) {
            left.push_back(transactions::decode(part, previous, reader));
            previous = cycle_of(left.back());
        }
    } catch (const InputError &) {
    }
    return left;
}

/// A replay that ends, with or without a difference, or rejects the records.
template <typename Replay> void expect_end(const Replay &replay) {
    try {
        replay();
    } catch (const InputError &) {
    }
}

class DamagedTransactions : public testing::TestWithParam<Part> {};

TEST_P(DamagedTransactions, EndEveryReplay) {
    const File stored = File::open(test::in_tree("tb/data/transactions/control.smtx"));
    const std::vector<Record> records = test::records_of(stored, GetParam());
    const Part parts[] = {GetParam()};
    const Config config = test::config_of(stored);
    std::uint64_t seed = 1;
    for (unsigned i = 0; i < 600; ++i) {
        const File file = test::changed(stored, GetParam(),
                                        [&](std::vector<Record> &all) { all = damaged(records, GetParam(), seed); });
        EXPECT_NO_THROW(expect_end([&] { test::replay_into_golden(file, config, parts); })) << i;
        if (i < 30) {
            EXPECT_TRUE(test::run_in_child([&] { expect_end([&] { test::replay_into_parts(file, config, parts); }); }))
                << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedTransactions, testing::ValuesIn(test::kAllParts),
                         [](const auto &one) { return std::string(part_name(one.param)); });

} // namespace
} // namespace smsim
