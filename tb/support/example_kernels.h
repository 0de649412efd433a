// Finds the example kernels of the tree, kernels/GROUP/NAME, by their names alone.
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace smsim::test {

/// Folders of all example kernels, sorted by the kernels' names. Empty if the tree has none.
inline std::vector<std::filesystem::path> example_kernels() {
    std::vector<std::filesystem::path> folders;
    std::error_code missing;
    for (const auto &group : std::filesystem::directory_iterator(std::string(SMSIM_SOURCE_DIR) + "/kernels", missing)) {
        if (group.is_directory()) {
            for (const auto &folder : std::filesystem::directory_iterator(group)) {
                folders.push_back(folder.path());
            }
        }
    }
    std::ranges::sort(folders, {}, [](const std::filesystem::path &folder) { return folder.filename(); });
    return folders;
}

/// Path of a file of an example kernel, for instance "matmul/launch.yaml". Throws std::out_of_range when no kernel has
/// that name.
inline std::string example_file(const std::filesystem::path &file) {
    for (const std::filesystem::path &folder : example_kernels()) {
        if (folder.filename() == *file.begin()) {
            return folder.parent_path() / file;
        }
    }
    throw std::out_of_range("no example kernel " + file.string());
}

} // namespace smsim::test
