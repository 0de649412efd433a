// Whether a configuration describes a machine that can be built: each value in the range of its key, and values that
// are possible together. Every part that is built from a configuration checks it so.
#pragma once

#include <string_view>

#include "model/config/config.h"
#include "model/error.h"

namespace smsim {

class GivenKeys;

/// Throws InputError "configuration: cause" when values of `config` are out of range or impossible together.
void validate(const Config &config);
/// The same for one section: its values, and what must hold between them.
void validate(const ICacheConfig &section);
void validate(const SharedMemoryConfig &section);
void validate(const L1Config &section);
void validate(const GlobalMemoryConfig &section);
void validate(const L2Config &section);

/// `config`, validated.
template <typename Some> const Some &valid(const Some &config) {
    validate(config);
    return config;
}
/// `name`, once `config` has been validated: for the base of a module, because SystemC does not take back all that a
/// constructor has built when it fails.
template <typename Name, typename Some> const Name &name_if_valid(const Name &name, const Some &config) {
    validate(config);
    return name;
}

/// Throws InputError when values are impossible together whose keys all begin with `section`; the message points at the
/// last given key among them. The values are in their ranges.
void check_together(const Config &config, const GivenKeys &given, std::string_view section = {});

} // namespace smsim
