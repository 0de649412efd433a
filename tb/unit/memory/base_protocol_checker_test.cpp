// The checker itself: each seeded violation is found, by name, and a clean exchange reports none.
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/protocol/memory.h"
#include "model/protocol/payload_pool.h"
#include "model/protocol/socket.h"
#include "tb/support/base_protocol_checker.h"
#include "tb/unit/memory/requester.h"
#include "tb/unit/memory/scripted_target.h"

namespace smsim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Payload = tlm::tlm_generic_payload;

/// An initiator that ignores the protocol: sends exactly what the test specifies.
class RudeInitiator final : public sc_core::sc_module {
  public:
    protocol::Initiator<protocol::MemoryLink> socket{"socket"};
    explicit RudeInitiator(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.on_response<&RudeInitiator::backward>(this);
    }

  private:
    tlm::tlm_sync_enum backward(unsigned, Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; }
};

class CheckerTest : public ::testing::Test {
  protected:
    struct NoExtension final : protocol::PooledExtension<NoExtension> {};

    CheckerTest() {
        initiator.socket.bind(checker.from_initiator);
        checker.to_target.bind(target.socket);
        target.on_forward = [this](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
            return forward(payload, phase, delay);
        };
        forward = [](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
    }
    Payload &good() {
        Payload &payload = pool.acquire();
        payload.set_read();
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        return payload;
    }
    tlm::tlm_sync_enum send(Payload &payload, tlm::tlm_phase phase = tlm::BEGIN_REQ,
                            sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        return initiator.socket->nb_transport_fw(payload, phase, delay);
    }
    /// Runs `body` in a method process and expects a violation that contains `rule`.
    void expect(const std::string &rule, std::function<void()> body) {
        script.at(1, std::move(body));
        sc_core::sc_start(10, sc_core::SC_NS);
        EXPECT_THAT(checker.final_violations(), Contains(HasSubstr(rule)));
    }
    static tlm::tlm_sync_enum accepted(Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_ACCEPTED; }

    std::array<std::uint8_t, 4> bytes{};
    protocol::PayloadPool<NoExtension> pool;
    RudeInitiator initiator{"initiator"};
    tb::BaseProtocolChecker checker{"checker"};
    tb::ScriptedTarget target{"target"};
    tb::Script script{"script"};
    std::function<tlm::tlm_sync_enum(Payload &, tlm::tlm_phase &, sc_core::sc_time &)> forward;
};

TEST_F(CheckerTest, FindsNothingInACleanExchange) {
    forward = [](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::END_RESP) {
            return tlm::TLM_COMPLETED;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    script.at(1, [&] {
        Payload &payload = good();
        send(payload);
        target.back(payload, tlm::BEGIN_RESP);
        send(payload, tlm::END_RESP);
    });
    sc_core::sc_start(10, sc_core::SC_NS);
    EXPECT_THAT(checker.final_violations(), IsEmpty());
}

TEST_F(CheckerTest, FindsMissingMemoryManager) {
    expect("without a memory manager", [&] {
        Payload payload;
        payload.set_read();
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        send(payload);
    });
}

TEST_F(CheckerTest, FindsStreamingWidthZero) {
    expect("streaming width 0", [&] {
        Payload &payload = good();
        payload.set_streaming_width(0);
        send(payload);
    });
}

TEST_F(CheckerTest, FindsMissingData) {
    expect("no data pointer", [&] {
        Payload &payload = good();
        payload.set_data_ptr(nullptr);
        send(payload);
    });
}

TEST_F(CheckerTest, FindsStaleStatus) {
    expect("status not INCOMPLETE", [&] {
        Payload &payload = good();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        send(payload);
    });
}

TEST_F(CheckerTest, FindsDmiHintInARequest) {
    expect("DMI hint", [&] {
        Payload &payload = good();
        payload.set_dmi_allowed(true);
        send(payload);
    });
}

TEST_F(CheckerTest, FindsResponseWithoutStatus) {
    forward = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &) { return tlm::TLM_COMPLETED; };
    expect("response without a status", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsRequestExclusionBroken) {
    forward = accepted;
    expect("BEGIN_REQ before the END_REQ", [&] {
        send(good());
        send(good());
    });
}

TEST_F(CheckerTest, FindsResponseExclusionBroken) {
    forward = [](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    expect("BEGIN_RESP before the END_RESP", [&] {
        Payload &first = good();
        Payload &second = good();
        send(first);
        send(second);
        target.back(first, tlm::BEGIN_RESP);
        target.back(second, tlm::BEGIN_RESP);
    });
}

TEST_F(CheckerTest, FindsPhasesOutOfOrder) {
    forward = accepted;
    expect("END_REQ twice", [&] {
        Payload &payload = good();
        send(payload);
        target.back(payload, tlm::END_REQ);
        target.back(payload, tlm::END_REQ);
    });
}

TEST_F(CheckerTest, FindsEndRespWithoutResponse) {
    forward = accepted;
    expect("END_RESP without a BEGIN_RESP", [&] {
        Payload &payload = good();
        send(payload);
        send(payload, tlm::END_RESP);
    });
}

TEST_F(CheckerTest, FindsTimeThatGoesBack) {
    forward = accepted;
    expect("time of a phase before", [&] {
        Payload &payload = good();
        send(payload, tlm::BEGIN_REQ, sc_core::sc_time(5, sc_core::SC_NS));
        target.back(payload, tlm::END_REQ);
    });
}

TEST_F(CheckerTest, FindsNestedCalls) {
    forward = [this](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        target.back(payload, tlm::END_REQ);
        return tlm::TLM_ACCEPTED;
    };
    expect("backward call nested in a forward call", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsChangedFieldsAndWriteData) {
    forward = [](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        payload.get_data_ptr()[0] = 77;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    expect("fields changed", [&] {
        Payload &payload = good();
        payload.set_write();
        send(payload);
    });
}

/// Changes to `payload` on its way are detected.
template <typename Change> auto changing(Change change) {
    return [change](Payload &payload, tlm::tlm_phase &, sc_core::sc_time &) {
        change(payload);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
}

TEST_F(CheckerTest, FindsAChangedLength) {
    forward = changing([](Payload &payload) { payload.set_data_length(3); });
    expect("fields changed", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsAChangedStreamingWidth) {
    forward = changing([](Payload &payload) { payload.set_streaming_width(2); });
    expect("fields changed", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsAChangedCommand) {
    forward = changing([](Payload &payload) { payload.set_command(tlm::TLM_IGNORE_COMMAND); });
    expect("fields changed", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsAChangedDataPointer) {
    forward = changing([](Payload &payload) { payload.set_data_ptr(payload.get_data_ptr() + 1); });
    expect("fields changed", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsChangedByteEnables) {
    static unsigned char enable = TLM_BYTE_ENABLED;
    forward = changing([](Payload &payload) {
        payload.set_byte_enable_ptr(&enable);
        payload.set_byte_enable_length(1);
    });
    expect("fields changed", [&] { send(good()); });
}

TEST_F(CheckerTest, AnInterconnectMayChangeTheAddressAndResponsesGoUpWithAnother) {
    forward = [](Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &) {
        if (phase == tlm::BEGIN_REQ) {
            EXPECT_EQ(payload.get_address(), 0x100U) << "requests pass unchanged";
            payload.set_address(0x200);
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        return tlm::TLM_COMPLETED;
    };
    script.at(1, [&] {
        Payload &payload = good();
        payload.set_address(0x100);
        send(payload);
        EXPECT_EQ(payload.get_address(), 0x200U);
        target.back(payload, tlm::BEGIN_RESP);
        EXPECT_NE(payload.get_address(), 0x100U);
        EXPECT_NE(payload.get_address(), 0x200U);
        send(payload, tlm::END_RESP);
    });
    sc_core::sc_start(10, sc_core::SC_NS);
    EXPECT_THAT(checker.final_violations(), IsEmpty());
}

TEST_F(CheckerTest, FindsArgumentsChangedWithAccepted) {
    forward = [](Payload &, tlm::tlm_phase &, sc_core::sc_time &delay) {
        delay += sc_core::sc_time(1, sc_core::SC_NS);
        return tlm::TLM_ACCEPTED;
    };
    expect("TLM_ACCEPTED with changed", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsTransactionsThatNeverEnd) {
    forward = accepted;
    expect("not ended in phase BEGIN_REQ", [&] { send(good()); });
}

TEST_F(CheckerTest, FindsBlockingCallsFromAMethod) {
    expect("other than a thread process", [&] {
        sc_core::sc_time delay;
        initiator.socket->b_transport(good(), delay);
    });
}

TEST_F(CheckerTest, FindsDirectMemoryAnswerThatMissesTheAddress) {
    expect("does not cover the address", [&] {
        tlm::tlm_dmi dmi;
        dmi.set_start_address(16);
        initiator.socket->get_direct_mem_ptr(good(), dmi);
    });
}

} // namespace
} // namespace smsim
