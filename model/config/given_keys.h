// Which keys a configuration was given, and where: for messages that point at the last one.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace smsim {

class GivenKeys {
  public:
    struct Place {
        unsigned order; ///< greater than those of keys given earlier
        std::string text;
        bool is_in_file; ///< a file may list all keys
    };

    /// `key` must outlive this; of several places the last counts.
    void note(std::string_view key, const std::string &place, bool is_in_file) {
        places_[key] = {++count_, place, is_in_file};
    }
    /// Place of the last given of `keys`; "configuration" when all are defaults.
    std::string last_of(std::initializer_list<std::string_view> keys) const {
        unsigned newest = 0;
        std::string place = "configuration";
        for (const std::string_view key : keys) {
            const auto found = places_.find(key);
            if (found != places_.end() && found->second.order > newest) {
                newest = found->second.order;
                place = found->second.text;
            }
        }
        return place;
    }
    /// Whether the last place of `key` is in a file.
    bool is_in_file(std::string_view key) const {
        const auto found = places_.find(key);
        return found != places_.end() && found->second.is_in_file;
    }
    /// By key.
    const std::map<std::string_view, Place> &places() const { return places_; }

  private:
    std::map<std::string_view, Place> places_;
    unsigned count_ = 0;
};

} // namespace smsim
