// Pools of payloads with their extension: no allocation once a link is warm.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tlm>

#include "model/protocol/link_payload.h"

namespace smsim::protocol {

/// Memory manager of the payloads of one initiator. Each payload carries one `Extension` for its whole life.
template <typename Extension> class PayloadPool final : public tlm::tlm_mm_interface {
  public:
    using Payload = LinkPayload<Extension>;

    PayloadPool() = default;
    PayloadPool(const PayloadPool &) = delete;
    PayloadPool &operator=(const PayloadPool &) = delete;
    ~PayloadPool() override = default;

    /// A payload with reference count 1, every standard field at the neutral value of a message without data
    /// (IGNORE command, streaming width 1, status INCOMPLETE, DMI hint off). The extension keeps its old content.
    Payload &acquire() {
        Payload &payload = reuse([](Payload &) {});
        set_neutral(payload);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return payload;
    }

    /// A payload with reference count 1 for transactions that are all alike: `prepare(payload)` set the standard
    /// fields, starting from the neutral values, when the payload was new; since then they are as its users left them.
    /// Status and DMI hint are arbitrary. The extension keeps its old content.
    template <typename Prepare> Payload &reuse(const Prepare &prepare) {
        if (free_ == nullptr) {
            all_.push_back(std::make_unique<Place>(this));
            free_ = all_.back().get();
            set_neutral(*free_);
            prepare(*free_);
        }
        Place &payload = *free_;
        free_ = payload.next_free;
        ++in_use_;
        payload.acquire();
        return payload;
    }

    /// For the owner of the pool: the payload of this pool that arrives as a generic one, as through a base-protocol
    /// socket. Only for payloads of this pool.
    static Payload &own(tlm::tlm_generic_payload &payload) { return static_cast<Payload &>(payload); }

    /// Payloads in use: zero after a clean end.
    std::size_t in_use() const { return in_use_; }

  private:
    struct Place final : Payload {
        using Payload::Payload;
        Place *next_free = nullptr; ///< while it is free
    };

    static void set_neutral(tlm::tlm_generic_payload &payload) {
        payload.set_command(tlm::TLM_IGNORE_COMMAND);
        payload.set_address(0);
        payload.set_data_ptr(nullptr);
        payload.set_data_length(0);
        payload.set_byte_enable_ptr(nullptr);
        payload.set_byte_enable_length(0);
        payload.set_streaming_width(1);
        payload.set_dmi_allowed(false);
    }
    void free(tlm::tlm_generic_payload *payload) override {
        auto &place = static_cast<Place &>(*payload);
        place.next_free = free_;
        free_ = &place;
        --in_use_;
    }

    std::vector<std::unique_ptr<Place>> all_;
    Place *free_ = nullptr; ///< the one released last; null: all are in use
    std::size_t in_use_ = 0;
};

/// Base of the extensions: never copied, owned by the payload that they are part of.
template <typename Derived> class PooledExtension : public tlm::tlm_extension<Derived> {
  public:
    tlm::tlm_extension_base *clone() const override { return nullptr; }
    void copy_from(const tlm::tlm_extension_base &) override {}
    void free() override {}
};

} // namespace smsim::protocol
