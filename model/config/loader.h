// Where a Config comes from: defaults, then a YAML file, then `--set key=value`, checked once and constant from then
// on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/config/setting.h"
#include "model/error.h"

namespace smsim {

class GivenKeys;

/// Builds the configuration of a run. Precedence, lowest first: the defaults of `Config`, the YAML file at `path` when
/// given, each of `settings` ("section.member=value") in order. Throws InputError: in the file as "file:line:column:
/// cause", in a setting as "--set key=value: cause". Causes: an unknown key (the message names the nearest one), a
/// wrong type, a value out of range, a key given twice in the file, and values that are impossible together (the place
/// is that of the last given key among them).
Config load_config(const std::optional<std::string> &path, std::span<const std::string> settings = {});

/// A configuration requested by a file, which is read once, and by settings; presets from other sources rank below
/// both.
class ConfigInput {
  public:
    /// As load_config; throws InputError when the file cannot be read.
    ConfigInput(const std::optional<std::string> &path, std::vector<std::string> settings);
    /// From YAML text; `file` is its name in messages.
    ConfigInput(std::string text, std::string file, std::vector<std::string> settings);
    /// Uses `presets` instead of defaults: file and settings take precedence. Throws InputError as load_config does;
    /// for a preset the message begins with its place.
    Config with(std::span<const Setting> presets) const;

    /// A message for each given key that has no effect in `with(presets)`: "place: key has no effect with other:
    /// value". A file may be a listing of all keys, so that a key counts as given in it only with a value other than
    /// the default. Throws InputError as `with` does.
    std::vector<std::string> without_effect(std::span<const Setting> presets) const;

  private:
    Config build(std::span<const Setting> presets, GivenKeys &given) const;

    std::optional<std::string> path_;
    std::string text_; ///< of the file
    std::vector<std::string> settings_;
};

/// As load_config, from YAML text; `file` is its name in messages.
Config parse_config(const std::string &text, const std::string &file, std::span<const std::string> settings = {});

/// What a listing says of a key besides unit and meaning.
enum class Remarks : std::uint8_t {
    kNone,
    kEffect, ///< that it has no effect in this configuration, and why
};

/// The whole configuration as YAML with unit and meaning of each key as comment. Loads back to the same values.
std::string dump_config(const Config &config, Remarks remarks = Remarks::kNone);

} // namespace smsim
