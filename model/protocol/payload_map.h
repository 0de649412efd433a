// What an initiator keeps of each of its transactions under way, by payload: found immediately, whatever the order of
// answers, and without allocation once there is room.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tlm>

namespace smsim::protocol {

/// `Value` must be default-constructible.
template <typename Value> class PayloadMap {
  public:
    using Payload = tlm::tlm_generic_payload;

    /// `payload` must not be in the map.
    void add(const Payload &payload, Value value) {
        if (2 * (count_ + 1) > places_.size()) {
            grow();
        }
        std::size_t at = home_of(&payload);
        while (places_[at].payload != nullptr) {
            at = next(at);
        }
        places_[at] = {&payload, std::move(value)};
        ++count_;
    }
    /// Null: it is not in the map. Valid until the next `add` or `remove`.
    Value *find(const Payload &payload) {
        if (count_ == 0) {
            return nullptr;
        }
        for (std::size_t at = home_of(&payload); places_[at].payload != nullptr; at = next(at)) {
            if (places_[at].payload == &payload) {
                return &places_[at].value;
            }
        }
        return nullptr;
    }
    /// Calls `body(payload, value)` for all of them, in any order.
    template <typename Body> void for_each(Body &&body) const {
        for (const Place &place : places_) {
            if (place.payload != nullptr) {
                body(*place.payload, place.value);
            }
        }
    }
    /// No effect when `payload` is not in the map.
    void remove(const Payload &payload) {
        if (count_ == 0) {
            return;
        }
        std::size_t hole = home_of(&payload);
        while (places_[hole].payload != &payload) {
            if (places_[hole].payload == nullptr) {
                return;
            }
            hole = next(hole);
        }
        // Later entries move forward if the hole would separate them from their home.
        for (std::size_t at = next(hole); places_[at].payload != nullptr; at = next(at)) {
            const std::size_t from_home = (at - home_of(places_[at].payload)) & (places_.size() - 1);
            const std::size_t from_hole = (at - hole) & (places_.size() - 1);
            if (from_home >= from_hole) {
                places_[hole] = std::move(places_[at]);
                hole = at;
            }
        }
        places_[hole] = {};
        --count_;
    }

  private:
    struct Place {
        const Payload *payload = nullptr; ///< null: free
        Value value{};
    };

    std::size_t home_of(const Payload *payload) const {
        const auto mixed = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(payload)) * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(mixed >> shift_);
    }
    std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
    void grow() {
        std::vector<Place> old(places_.empty() ? 16 : 2 * places_.size());
        old.swap(places_);
        shift_ = static_cast<unsigned>(64 - std::countr_zero(places_.size()));
        count_ = 0;
        for (Place &place : old) {
            if (place.payload != nullptr) {
                add(*place.payload, std::move(place.value));
            }
        }
    }

    std::vector<Place> places_; ///< a power of two of them, at least half of them free
    std::size_t count_ = 0;
    unsigned shift_ = 0;
};

} // namespace smsim::protocol
