// Every key of the configuration as data: name, type, range, unit, meaning, and its member of `Config`. Loader, dump,
// listing and report read this one table; a member of `Config` without a row here is a failing test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/config/config.h"

namespace smsim {

/// A pointer to a member of one `Config`, by type.
using ConfigReference =
    std::variant<std::uint32_t *, std::uint64_t *, std::int64_t *, double *, bool *, PolicyChoice<IssuePolicyKind> *,
                 FetchPolicyKind *, ReconvergenceEngineKind *, PolicyChoice<ElectionPolicy> *, BranchOrder *,
                 SimtStackOrder *, TokenStackOrder *, ReleaseOrder *, SecondFp32 *, TensorArithmetic *, GlobalAtomics *,
                 StreamPolicy *, Implementation *, OperationList *, SizeList *, PolicyChoice<L1ReplacementKind> *,
                 PolicyChoice<L1BypassKind> *, PolicyChoice<CtaDistributionKind> *>;
/// The value of a key as a plain type; enumerations as their name, implementations of parts and lists as their text.
using ConfigValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view>;

/// One key.
struct ConfigKey {
    std::string_view name;    ///< "section.member", for pipes "pipes.alu.latency"
    std::string_view unit;    ///< "cycles", "bytes", ...; empty for flags and enumerations
    std::string_view meaning; ///< one sentence
    ConfigReference (*member)(Config &config);
    double low = 0; ///< least and greatest value of a number; every limit is exact in a double
    double high = 0;
    std::uint32_t multiple_of = 1; ///< the value must be a multiple of this
    bool power_of_two = false;
};

/// All keys in the order of `Config`.
std::span<const ConfigKey> config_keys();

/// Another name under which a key may be given.
struct KeySynonym {
    std::string_view name;
    std::string_view key; ///< the name by which configurations and reports show it
};
std::span<const KeySynonym> key_synonyms();

/// The key of that name or synonym; null when there is none.
const ConfigKey *find_config_key(std::string_view name);

/// Names of the values of an enumeration key, index = value; for a policy those of the model's own. Empty for every
/// other key.
std::span<const std::string_view> enum_names(const ConfigKey &key);
/// Whether the key names a policy, which may also come from a library (PolicyChoice).
bool is_policy(const ConfigKey &key);

/// "unsigned", "integer", "number", "flag", "name", "part", "operations" or "sizes".
std::string_view type_name(const ConfigKey &key);

/// "1..64, power of two", "true, false" or the names of an enumeration.
std::string range_text(const ConfigKey &key);

/// The value of `key` in `config`; texts of `config` live as long as it.
ConfigValue value_of(const Config &config, const ConfigKey &key);

/// The value of `key` as the loader reads it. Numbers with a fraction are written so that they read back exactly.
std::string value_text(const Config &config, const ConfigKey &key);

/// A table of all keys with type, default, range, unit and meaning, for a person.
std::string schema_table();

/// The same as JSON: {"keys": [{"key", "type", "default", "unit", "meaning", "low", "high", ...}]}. "library": the key
/// names a policy, which may also be given as "library:LIB.so[:PARAMETERS]". "also": other names of the key. "needs" of
/// a key are lists of which one member each must hold so that it has an effect: [[{"key", "is" or "is_not"}]].
std::string schema_json();

} // namespace smsim
