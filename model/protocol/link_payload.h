// The payload type of an internal link: a generic payload that contains the link's extension.
//
// The parts of a link know the extension of its payloads and need not look it up. It is also set on the payload, so
// that code that does not know the link finds it with `get_extension`.
#pragma once

#include <tlm>

namespace smsim::protocol {

/// A generic payload with one `Extension` (a tlm_extension) for its whole life; its traits are those of a link that
/// names it as its payload type. PayloadPool creates them.
template <typename Extension> class LinkPayload : public tlm::tlm_generic_payload {
  public:
    /// `manager` gets the payload back when nothing refers to it any more, and must outlive it; null: none.
    explicit LinkPayload(tlm::tlm_mm_interface *manager) : tlm::tlm_generic_payload(manager) {
        set_extension(&extension_);
    }
    LinkPayload(const LinkPayload &) = delete;
    LinkPayload &operator=(const LinkPayload &) = delete;
    /// The extensions are freed here and not by the base class, because `Extension`, and further extensions that it
    /// holds and has set, no longer exist by then.
    ~LinkPayload() override { free_all_extensions(); }

    Extension &extension() { return extension_; }
    const Extension &extension() const { return extension_; }

  private:
    Extension extension_;
};

/// The extension of a payload of its link; never null.
template <typename Extension> Extension *extension_of(LinkPayload<Extension> &payload) {
    return &payload.extension();
}
template <typename Extension> const Extension *extension_of(const LinkPayload<Extension> &payload) {
    return &payload.extension();
}
/// The extension of type `Extension` of any payload; null when the sender left it out.
template <typename Extension> Extension *extension_of(const tlm::tlm_generic_payload &payload) {
    return payload.template get_extension<Extension>();
}

} // namespace smsim::protocol
