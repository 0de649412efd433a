#include "model/shared_library.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <dlfcn.h>
#include <elf.h>

#include <fmt/format.h>

namespace smsim {

namespace {

/// The size that a 64-bit ELF file must have for everything that is loaded from it; 0 if it is no such file, or cannot
/// be read.
std::uint64_t bytes_to_load(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header;
    if (!file.read(reinterpret_cast<char *>(&header), sizeof header) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr)) {
        return 0;
    }
    std::uint64_t needed = header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    if (!file.read(reinterpret_cast<char *>(segments.data()),
                   static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)))) {
        return needed;
    }
    for (const Elf64_Phdr &segment : segments) {
        if (segment.p_type == PT_LOAD) {
            needed = std::max(needed, segment.p_offset + segment.p_filesz);
        }
    }
    return needed;
}

} // namespace

SharedLibrary load_shared_library(const std::string &path) {
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    if (const std::uint64_t needed = error ? 0 : bytes_to_load(file); needed > size) {
        return {nullptr, fmt::format("the file is cut off: it has {} bytes of {}", size, needed)};
    }
    void *const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    return {handle, handle == nullptr ? dlerror() : ""};
}

} // namespace smsim
