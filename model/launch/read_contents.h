// Readers of what buffers hold: the files beside a launch file, and the `init` of a buffer. Each throws InputError
// "file:line:column: cause" at the node that is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/launch/launch.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// The folder of a launch file, from which paths in it start.
class Folder {
  public:
    /// `file` is the launch file.
    explicit Folder(const std::string &file) : path_(std::filesystem::path(file).parent_path()) {}

    /// The path that `node` names, which must be a regular file; `key` is what the message calls it.
    std::string file(const yaml::Node &node, const std::string &key) const;

    /// As `file`, for elements of `type`: into `count` their number, at least 1.
    FileData data(const yaml::Node &node, ElementType type, std::uint64_t &count) const;

  private:
    std::filesystem::path path_;
};

/// Contents for elements of `type`; into `given` the number of elements that a file or a list of values brings along,
/// 0 for all others.
Init read_init(const yaml::Node &node, ElementType type, const Folder &folder, std::uint64_t &given);

/// Reads `count` and `init` of the map `node` into a buffer whose name and type are known; checks its size.
void read_buffer(const yaml::Node &node, const Folder &folder, Argument &buffer);

} // namespace smsim::launch
