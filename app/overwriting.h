// What a run writes must not destroy its inputs or its other outputs.
#pragma once

#include <string>
#include <vector>

namespace smsim::app {

/// A file that a run reads or writes.
struct NamedFile {
    std::string name; ///< as in messages: "--trace t.jsonl", "the launch file l.yaml"
    std::string path; ///< empty: there is none
};

/// Throws InputError that names both when an output, written or removed, is the same file as an input, also under
/// another name.
void refuse_losing(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs);

/// Throws InputError that names both when an output is the same file as an input or as another output, also under
/// another name. Ignores devices and pipes: writing to them destroys nothing.
void refuse_overwriting(const std::vector<NamedFile> &inputs, const std::vector<NamedFile> &outputs);

} // namespace smsim::app
