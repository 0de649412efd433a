// Readers of the common parts of a file of one launch and a file of several: names, the shape of a launch, checks and
// dumps. Each throws InputError "file:line:column: cause" at the wrong node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/read_contents.h"
#include "model/text/yaml.h"

namespace smsim::launch {

/// The keys `grid`, `block` and `dynamic_shared` of the map `node`; `what` describes the map in messages.
void read_shape(const yaml::Node &node, const std::string &what, Launch &launch);

/// The map `set`: keys of the configuration with values. The code that applies them checks whether they exist.
std::vector<Setting> read_settings(const yaml::Node &map);

/// Rejects arguments that do not fit the argument block; `list` is their place.
void require_argument_block(const yaml::Node &list, const Launch &launch);

/// The buffers of a file by their names, in the order in which they were added.
class BufferTable {
  public:
    /// Adds `buffer`. `find` returns `index` for it. The name must be new.
    void add(const Argument &buffer, std::size_t index);

    bool contains(const std::string &name) const { return indices_.contains(name); }

    /// The index of the buffer that `node` names; `key` is the name of the node in messages.
    std::size_t find(const yaml::Node &node, const std::string &key = "buffer") const;

  private:
    std::map<std::string, std::size_t, std::less<>> indices_;
    std::vector<std::string> names_;
};

/// A check of one of `buffers`, to which the indices of `table` refer.
Check read_check(const yaml::Node &node, const std::vector<Argument> &buffers, const BufferTable &table,
                 const Folder &folder);

/// The list of dumps.
std::vector<Dump> read_dumps(const yaml::Node &list, const BufferTable &table);

} // namespace smsim::launch
