// The payload type of an internal link: a generic payload that has the link's extension in itself.
//
// Who takes part in a link knows what rides on its payloads and need not look it up. The extension is set on the
// payload as well, so that whoever knows nothing of the link finds it with `get_extension`.
#pragma once

#include <tlm>

namespace smsim::protocol {

/// A generic payload with one `Extension` (a tlm_extension) for its whole life; its traits are those of a link that
/// names it as its payload type. PayloadPool makes them.
template <typename Extension> class LinkPayload : public tlm::tlm_generic_payload {
  public:
    /// `manager` gets the payload back when nobody refers to it any more, and outlives it; null: there is none.
    explicit LinkPayload(tlm::tlm_mm_interface *manager) : tlm::tlm_generic_payload(manager) {
        set_extension(&extension_);
    }
    LinkPayload(const LinkPayload &) = delete;
    LinkPayload &operator=(const LinkPayload &) = delete;
    /// The extensions are freed here and not by the base: what `Extension` is, and holds and has set as further ones,
    /// is gone by then.
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
/// The extension of type `Extension` of any payload; null when whoever sent it left it out.
template <typename Extension> Extension *extension_of(const tlm::tlm_generic_payload &payload) {
    return payload.template get_extension<Extension>();
}

} // namespace smsim::protocol
