// When a key of the configuration has an effect: many keys describe something that exists only with certain values of
// other keys, such as the stack of a reconvergence engine or a cache of size 0.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/config/schema.h"

namespace smsim {

/// A comparison with the value of another key.
struct Condition {
    std::string_view key;
    std::string_view value; ///< as value_text writes it
    bool equal = true;      ///< the other key has this value, or any other value

    bool holds(const Config &config) const;
};

/// What must hold so that a key has an effect: one of the alternatives of each requirement. Each requirement has at
/// least one; a key without requirements always has an effect.
std::vector<std::span<const Condition>> requirements(const ConfigKey &key);

/// The requirements in words: "only with l2.bytes other than 0". Empty when there are none.
std::string requirement_text(const ConfigKey &key);

/// Why `key` has no effect in `config`: the values of other keys, as "l2.bytes: 0". Empty when it has one.
std::string idle_cause(const Config &config, const ConfigKey &key);

} // namespace smsim
