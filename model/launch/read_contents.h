// Readers of the contents of buffers: the files next to a launch file, and the `init` of a buffer. Each throws
// InputError "file:line:column: cause" at the wrong node.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/launch/launch.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// The folder of a launch file; paths in the launch file are relative to it.
class Folder {
  public:
    /// `file` is the launch file.
    explicit Folder(const std::string &file) : path_(std::filesystem::path(file).parent_path()) {}

    /// The path that `node` names, which must be a regular file; `key` is its name in messages.
    std::string file(const yaml::Node &node, const std::string &key) const;

    /// As `file`, for elements of `type`: sets `count` to their number, at least 1.
    FileData data(const yaml::Node &node, ElementType type, std::uint64_t &count) const;

  private:
    std::filesystem::path path_;
};

/// Contents for elements of `type`; sets `given` to the number of elements of a file or a list of values, and to 0 for
/// all others.
Init read_init(const yaml::Node &node, ElementType type, const Folder &folder, std::uint64_t &given);

/// Reads `count` and `init` of the map `node` into a buffer whose name and type are known; checks its size.
void read_buffer(const yaml::Node &node, const Folder &folder, Argument &buffer);

} // namespace smsim::launch
