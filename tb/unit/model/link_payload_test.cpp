// Payloads of the internal links: their extension, and its lifetime.
#include <gtest/gtest.h>

#include <concepts>
#include <memory>
#include <string>

#include <tlm>

#include "model/protocol/links.h"
#include "model/protocol/payload_pool.h"

namespace smsim::protocol {
namespace {

template <typename Payload, typename Link>
concept TravelsOn = std::derived_from<Payload, typename Link::tlm_payload_type>;
static_assert(TravelsOn<TimerPayload, TimerLink>);
static_assert(!TravelsOn<WakePayload, TimerLink>);
static_assert(!TravelsOn<tlm::tlm_generic_payload, TimerLink>);

TEST(LinkPayload, GenericAccessFindsTheExtensionOfTheLink) {
    PayloadPool<TimerExtension> pool;
    TimerPayload &payload = pool.acquire();
    payload.extension().cycles = 7;
    EXPECT_EQ(extension_of(payload), &payload.extension());
    tlm::tlm_generic_payload &generic = payload;
    EXPECT_EQ(extension_of<TimerExtension>(generic), &payload.extension());
    EXPECT_EQ(generic.get_extension<TimerExtension>()->cycles, 7U);
    EXPECT_EQ(extension_of<WakeExtension>(payload), nullptr);
    payload.release();
}

TEST(LinkPayload, ComesBackToItsPoolWithItsExtension) {
    PayloadPool<TimerExtension> pool;
    TimerPayload &payload = pool.acquire();
    payload.extension().cycles = 7;
    EXPECT_EQ(&pool.own(static_cast<tlm::tlm_generic_payload &>(payload)), &payload);
    EXPECT_EQ(pool.in_use(), 1U);
    payload.release();
    EXPECT_EQ(pool.in_use(), 0U);
    TimerPayload &again = pool.acquire();
    EXPECT_EQ(&again, &payload);
    EXPECT_EQ(again.extension().cycles, 7U);
    again.release();
}

/// Records that it is freed and that it is destroyed.
struct Further final : tlm::tlm_extension<Further> {
    explicit Further(std::string &to) : log(to) {}
    ~Further() override { log += "ended "; }
    tlm::tlm_extension_base *clone() const override { return nullptr; }
    void copy_from(const tlm::tlm_extension_base &) override {}
    void free() override { log += "freed "; }
    std::string &log;
};
std::string events;
struct WithFurther final : PooledExtension<WithFurther> {
    Further further{events};
};

TEST(LinkPayload, FreesAnExtensionThatItsOwnHoldsBeforeThatEnds) {
    auto payload = std::make_unique<LinkPayload<WithFurther>>(nullptr);
    payload->set_extension(&payload->extension().further);
    payload.reset();
    EXPECT_EQ(events, "freed ended ");
}

} // namespace
} // namespace smsim::protocol
