// Pools of generic payloads with a sticky extension: no allocation once a link is warm.
#pragma once

#include <memory>
#include <vector>

#include <tlm>

namespace smsim::protocol {

/// Memory manager of the payloads of one initiator. Each payload carries one `Extension` for its whole life.
template <typename Extension> class PayloadPool final : public tlm::tlm_mm_interface {
  public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool &) = delete;
    PayloadPool &operator=(const PayloadPool &) = delete;
    ~PayloadPool() override = default;

    /// A payload with reference count 1, every standard field at the neutral value of a message without data
    /// (IGNORE command, streaming width 1, status INCOMPLETE, DMI hint off). The extension keeps its old content.
    tlm::tlm_generic_payload &acquire() {
        tlm::tlm_generic_payload &payload = reuse([](tlm::tlm_generic_payload &) {});
        set_neutral(payload);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return payload;
    }

    /// A payload with reference count 1 for transactions that are all alike: the standard fields are what
    /// `prepare(payload)` has made of the neutral values when the payload was new, and what its users left; status and
    /// DMI hint are whatever they are. The extension keeps its old content.
    template <typename Prepare> tlm::tlm_generic_payload &reuse(const Prepare &prepare) {
        if (free_.empty()) {
            all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
            extensions_.push_back(std::make_unique<Extension>());
            all_.back()->set_extension(extensions_.back().get());
            set_neutral(*all_.back());
            prepare(*all_.back());
            free_.push_back(all_.back().get());
        }
        tlm::tlm_generic_payload *payload = free_.back();
        free_.pop_back();
        payload->acquire();
        return *payload;
    }

    /// Payloads in use: zero after a clean end.
    std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
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
    void free(tlm::tlm_generic_payload *payload) override { free_.push_back(payload); }

    // Payloads are destroyed before the extensions they point to.
    std::vector<std::unique_ptr<Extension>> extensions_;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<tlm::tlm_generic_payload *> free_;
};

/// Base of the extensions: never copied, owned by their pool.
template <typename Derived> class PooledExtension : public tlm::tlm_extension<Derived> {
  public:
    tlm::tlm_extension_base *clone() const override { return nullptr; }
    void copy_from(const tlm::tlm_extension_base &) override {}
    void free() override {}
};

/// The extension of type `Extension` that a payload on its link must carry; null when a stranger left it out.
template <typename Extension> Extension *extension_of(tlm::tlm_generic_payload &payload) {
    return payload.template get_extension<Extension>();
}

} // namespace smsim::protocol
