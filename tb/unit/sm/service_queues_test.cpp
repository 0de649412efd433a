// The order of service and the limit of transactions under way, without simulation.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sm/load_store/service_queues.h"
#include "sm/load_store/transaction_limit.h"

namespace smsim::sm {
namespace {

/// Puts `item` into a queue, as code that makes items does.
Cycle enter(ServiceQueues<char> &queues, unsigned queue, char item, Cycle arrival, ServiceQueues<char>::Needs needs) {
    queues.place(queue) = item;
    return queues.push(queue, arrival, needs);
}

class ServiceQueuesTest : public ::testing::Test {
  protected:
    void push(unsigned queue, char item, Cycle arrival = 1, bool needs_room = false) {
        enter(queues, queue, item, arrival, {.room = needs_room});
    }
    /// The item served in `cycle`; '-' for none.
    char take(Cycle cycle, bool room = true) {
        const auto *served = queues.take(cycle, room);
        return served != nullptr ? served->item : '-';
    }
    ServiceQueues<char> queues{4, 2};
};

TEST_F(ServiceQueuesTest, QueuesAreServedInRotationAndEachInOrder) {
    for (const unsigned queue : {0, 1, 3}) {
        push(queue, static_cast<char>('a' + queue));
        push(queue, static_cast<char>('A' + queue));
    }
    std::string order;
    for (Cycle cycle = 1; cycle <= 7; ++cycle) {
        order += take(cycle);
    }
    EXPECT_EQ(order, "abdABD-");
}

TEST_F(ServiceQueuesTest, TheRotationContinuesAfterTheServedQueue) {
    push(2, 'c');
    EXPECT_EQ(take(1), 'c');
    push(0, 'a');
    push(3, 'd');
    EXPECT_EQ(take(2), 'd');
}

TEST_F(ServiceQueuesTest, AnInstructionIsServedFromItsArrivalOn) {
    push(0, 'a', 5);
    push(1, 'b', 4);
    EXPECT_EQ(queues.next(3, 0).at, 4U);
    EXPECT_EQ(take(3), '-');
    EXPECT_EQ(take(4), 'b');
    EXPECT_EQ(take(4), '-');
    EXPECT_EQ(take(5), 'a');
    EXPECT_EQ(queues.next(5, 0).at, kNever);
}

TEST_F(ServiceQueuesTest, NothingIsServedWhileTheUnitIsOccupied) {
    queues.occupy(9);
    EXPECT_EQ(enter(queues, 0, 'a', 3, {}), 9U);
    EXPECT_EQ(enter(queues, 0, 'b', 12, {}), 12U);
    EXPECT_EQ(queues.next(3, 0).at, 9U);
    EXPECT_EQ(take(8), '-');
    EXPECT_EQ(take(9), 'a');
    EXPECT_EQ(queues.next(20, 0).at, 21U) << "never in a cycle that is over";
}

TEST(ServiceQueuesOfSeveralUnits, AreServedWhileOneIsFree) {
    ServiceQueues<char> queues(4, 2, 1, 2);
    for (const unsigned queue : {0, 1, 2, 3}) {
        enter(queues, queue, static_cast<char>('a' + queue), 1, {});
    }
    std::string order;
    std::vector<unsigned> units;
    for (Cycle cycle = 1; cycle <= 9; ++cycle) {
        while (const auto *served = queues.take(cycle, true)) {
            order += static_cast<char>('0' + cycle);
            order += served->item;
            units.push_back(queues.occupy(cycle + (served->item == 'a' ? 5 : 3)));
        }
    }
    EXPECT_EQ(order, "1a1b4c6d");
    EXPECT_EQ(units, (std::vector<unsigned>{0, 1, 1, 0}));
}

TEST_F(ServiceQueuesTest, WithoutRoomOnlyQueuesWhoseFirstNeedsNoneAreServed) {
    push(0, 'G', 1, true);
    push(0, 's');
    push(1, 'S');
    EXPECT_EQ(take(1, false), 'S');
    EXPECT_EQ(take(2, false), '-') << "'s' waits after 'G'";
    EXPECT_EQ(take(3, true), 'G');
}

TEST_F(ServiceQueuesTest, TheNextServiceWaitsForRoomOnlyWhereItIsNeeded) {
    push(0, 'G', 1, true);
    EXPECT_EQ(queues.next(1, 8).at, 8U);
    EXPECT_TRUE(queues.next(1, 8).wants_room);
    EXPECT_EQ(queues.next(1, kNever).at, kNever);
    EXPECT_EQ(queues.next(1, 0).at, 2U);
    EXPECT_FALSE(queues.next(1, 0).wants_room);
    push(1, 's', 3);
    EXPECT_EQ(queues.next(1, 8).at, 3U);
    EXPECT_TRUE(queues.next(1, 8).wants_room);
}

TEST_F(ServiceQueuesTest, AQueueIsFullAtItsDepth) {
    push(0, 'a');
    EXPECT_EQ(queues.room_at(0, 5), 6U);
    push(0, 'b');
    EXPECT_EQ(queues.room_at(0, 5), kNever);
    EXPECT_EQ(queues.room_at(1, 5), 6U);
    take(6);
    EXPECT_EQ(queues.room_at(0, 6), 7U);
}

TEST_F(ServiceQueuesTest, AnEntryIsFreeWhenItsStayIsOver) {
    queues = ServiceQueues<char>(4, 2, 10);
    push(0, 'a');
    push(0, 'b');
    take(3);
    EXPECT_EQ(queues.room_at(0, 3), 13U);
    take(5);
    EXPECT_EQ(queues.room_at(0, 11), 13U) << "'a' has an entry up to 12";
    EXPECT_EQ(queues.room_at(0, 12), 13U);
    push(0, 'c');
    EXPECT_EQ(queues.room_at(0, 13), 15U);
}

TEST_F(ServiceQueuesTest, AQueueThatIsHeldWaitsAndOthersDoNot) {
    push(0, 'a');
    push(1, 'b');
    queues.hold(0, 7);
    EXPECT_EQ(take(1), 'b');
    EXPECT_EQ(take(6), '-');
    EXPECT_EQ(queues.next(6, 0).at, 7U);
    EXPECT_EQ(take(7), 'a');
    queues.hold(0, 12);
    EXPECT_EQ(enter(queues, 0, 'c', 9, {}), 12U);
}

TEST_F(ServiceQueuesTest, InstructionsWithoutTheUnitAreServedWhileItIsOccupiedAndKeepTheRotation) {
    queues.occupy(20);
    push(0, 'a');
    EXPECT_EQ(enter(queues, 1, 'c', 3, {.unit = false}), 3U);
    EXPECT_EQ(queues.next(1, 0).at, 3U);
    EXPECT_EQ(take(3), 'c');
    EXPECT_EQ(take(3), '-');
    push(1, 'b');
    EXPECT_EQ(take(20), 'a') << "as if nothing had been served";
}

TEST(TransactionLimit, ATransactionCountsUntilItsAnswerTakesEffect) {
    TransactionLimit limit(2);
    limit.start(10);
    EXPECT_TRUE(limit.has_room());
    limit.start(10);
    EXPECT_FALSE(limit.has_room());
    EXPECT_EQ(limit.room_at(), kNever) << "no end is known";
    limit.answer(30);
    limit.answer(20);
    EXPECT_FALSE(limit.has_room()) << "reported, but not yet in effect";
    EXPECT_EQ(limit.room_at(), 20U);
    limit.advance(19);
    EXPECT_FALSE(limit.has_room());
    limit.advance(20);
    EXPECT_EQ(limit.room_at(), 0U);
    EXPECT_EQ(limit.next_end(), 30U);
}

TEST(TransactionLimit, ThoseUnderWayCountCycleByCycleUpToTheLimit) {
    TransactionLimit limit(2);
    limit.start(10);
    for (int i = 0; i < 3; ++i) { // one access more than there is room for may begin
        limit.start(12);
    }
    for (const Cycle end : {40U, 20U, 15U, 30U}) {
        limit.answer(end);
    }
    EXPECT_EQ(limit.use(20).total(), 2U + 2 * 8);
    limit.start(25);
    EXPECT_EQ(limit.use(35).total(), 2U + 2 * (30 - 12) + 2 * 5) << "of the last one nothing is known";
    EXPECT_EQ(limit.use(50).total(), 2U + 2 * (40 - 12) + 10);
}

TEST(TransactionLimit, SeveralAtOnceAreAsManyOneByOne) {
    TransactionLimit limit(20);
    limit.start(10, 7);
    limit.start(10, 3);
    limit.answer(20, 4);
    limit.answer(30, 6);
    EXPECT_EQ(limit.use(25).total(), 10U * 10 + 5 * 6);
    limit.start(25, 14);
    EXPECT_FALSE(limit.has_room());
    EXPECT_EQ(limit.room_at(), 30U);
}

TEST(TransactionLimit, ALaunchCountsNothingOfTheOneBefore) {
    TransactionLimit limit(2);
    limit.start(10);
    limit.answer(20);
    limit.clear_use(100);
    limit.start(110);
    EXPECT_EQ(limit.use(115).total(), 5U);
}

TEST(ServiceQueues, EntriesAreTakenFromArrivalUntilTheyHaveLeft) {
    for (const Cycle stay : {1U, 4U}) {
        ServiceQueues<char> queues(2, 8, stay);
        enter(queues, 0, 'a', 10, {});
        enter(queues, 0, 'b', 12, {});
        enter(queues, 1, 'c', 12, {});
        EXPECT_EQ(queues.take(15, true)->item, 'a');
        EXPECT_EQ(queues.entry_use(0, 15).total(), 5U + 3) << "nothing after the end counts";
        EXPECT_EQ(queues.entry_use(0, 30).total(), 5U + stay + 18);
        EXPECT_EQ(queues.entry_use(1, 30).total(), 18U);
    }
}

} // namespace
} // namespace smsim::sm
