#include "ptx/interpreter/memory.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{1} << 26;

} // namespace

Memories::Memories(const CompiledModule &module, const Launch &launch)
    : global_(module.global), constant_(module.constant), parameters_(launch.parameters), buffers_(launch.buffers) {
    if (launch.dynamic_shared > kMostShared) {
        throw Stop("more dynamic shared memory than the interpreter covers");
    }
    shared_.resize(module.static_shared + launch.dynamic_shared);
}

void Memories::start_cta() {
    std::ranges::fill(shared_, std::uint8_t{0});
}

Memory memory_of(std::uint64_t generic) {
    switch (generic >> 32) {
    case kSharedWindow:
        return Memory::kShared;
    case kLocalWindow:
        return Memory::kLocal;
    case kParameterWindow:
        return Memory::kParameter;
    case kConstWindow:
        return Memory::kConst;
    default:
        return Memory::kGlobal;
    }
}

std::span<std::uint8_t> Memories::global_region(std::uint64_t &address) {
    if (address >= kModuleGlobals && address - kModuleGlobals < global_.size()) {
        address -= kModuleGlobals;
        return global_;
    }
    for (Buffer &buffer : buffers_) {
        if (address >= buffer.address && address - buffer.address < buffer.bytes.size()) {
            address -= buffer.address;
            return buffer.bytes;
        }
    }
    return {};
}

std::span<std::uint8_t> Memories::region(Memory memory, std::uint64_t &address, std::span<std::uint8_t> local) {
    switch (memory) {
    case Memory::kShared:
        return shared_;
    case Memory::kLocal:
        return local;
    case Memory::kConst:
        return constant_;
    case Memory::kParameter:
        return parameters_;
    default:
        return global_region(address);
    }
}

std::uint8_t *Memories::at(Memory memory, std::uint64_t address, unsigned bytes, unsigned align,
                           std::span<std::uint8_t> local, bool written) {
    const std::uint64_t asked = address;
    if (memory == Memory::kGeneric) {
        memory = memory_of(address);
        address = memory == Memory::kGlobal ? address : low_bits(address, 32);
    }
    if (written && (memory == Memory::kConst || memory == Memory::kParameter)) {
        throw Stop(fmt::format("write to read-only memory at {:#x}", asked));
    }
    const std::span<std::uint8_t> bytes_there = region(memory, address, local);
    if (address > bytes_there.size() || bytes > bytes_there.size() - address) {
        throw Stop(fmt::format("no {} bytes at {:#x} of memory {}", bytes, asked, static_cast<int>(memory)));
    }
    if (align != 0 && asked % align != 0) {
        throw Stop(fmt::format("address {:#x} is not a multiple of {}", asked, align));
    }
    return bytes_there.data() + address;
}

std::uint64_t load_bytes(const std::uint8_t *from, unsigned bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, std::min(bytes, 8U));
    return value;
}

void store_bytes(std::uint8_t *to, std::uint64_t value, unsigned bytes) {
    std::memcpy(to, &value, std::min(bytes, 8U));
}

} // namespace smsim::ptx::interpreter
