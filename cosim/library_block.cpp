#include "cosim/library_block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "cosim/channels.h"
#include "cosim/smsim_block.h"
#include "model/error.h"
#include "model/shared_library.h"

namespace smsim::cosim {
namespace {

using Library = smsim_block_interface;

[[noreturn]] void refuse(const BlockRequest &request, const std::string &cause) {
    throw InputError(fmt::format("{}: {}: {}", request.key, request.path, cause));
}

/// The table of functions that the library exports; all are present.
const Library &open_library(const BlockRequest &request) {
    const SharedLibrary loaded = load_shared_library(request.path);
    if (loaded.handle == nullptr) {
        refuse(request, fmt::format("the library cannot be loaded: {}", loaded.error));
    }
    using Entry = const Library *();
    auto *const entry = reinterpret_cast<Entry *>(dlsym(loaded.handle, SMSIM_BLOCK_SYMBOL));
    if (entry == nullptr) {
        refuse(request, "the library exports no function '" SMSIM_BLOCK_SYMBOL
                        "'; expected a block (scripts/verilate makes one, cosim/smsim_block.h says what it is)");
    }
    const Library *const library = entry();
    if (library == nullptr || library->version != SMSIM_BLOCK_VERSION) {
        refuse(request, fmt::format("the library was made for version {} of the interface of blocks; expected version "
                                    "{}: make it again with the scripts/verilate of this smsim",
                                    library == nullptr ? 0 : library->version, SMSIM_BLOCK_VERSION));
    }
    const std::pair<const char *, bool> functions[] = {
        {"create", library->create != nullptr},   {"ports", library->ports != nullptr},
        {"settle", library->settle != nullptr},   {"edge", library->edge != nullptr},
        {"failure", library->failure != nullptr}, {"destroy", library->destroy != nullptr}};
    for (const auto &[name, there] : functions) {
        if (!there) {
            refuse(request, fmt::format("the library has no function '{}'", name));
        }
    }
    if (library->kind == nullptr || library->kind != request.kind) {
        refuse(request, fmt::format("the library holds a block of kind '{}'; expected '{}'",
                                    library->kind == nullptr ? "" : library->kind, request.kind));
    }
    return *library;
}

class LibraryBlock final : public Block {
  public:
    LibraryBlock(const BlockRequest &request, const Library &library, std::uint64_t initial) : library_(library) {
        std::vector<smsim_block_parameter> parameters;
        parameters.reserve(request.parameters.size());
        for (const BlockParameter &one : request.parameters) {
            parameters.push_back({one.name, one.value});
        }
        std::array<char, 512> message{};
        block_ = library.create(parameters.data(), parameters.size(), initial, message.data(), message.size());
        if (block_ == nullptr) {
            message.back() = '\0';
            refuse(request, fmt::format("the block refuses what this configuration needs: {}", message.data()));
        }
        try {
            read_ports(request);
        } catch (...) {
            library_.destroy(block_);
            throw;
        }
    }
    ~LibraryBlock() override { library_.destroy(block_); }

    std::span<const Port> ports() const override { return ports_; }
    void settle() override { note(library_.settle(block_)); }
    void edge(std::uint64_t cycle) override { note(library_.edge(block_, cycle)); }
    const std::string &failure() const override { return failure_; }

    void trace(const BlockRequest &request) {
        if (library_.trace == nullptr) {
            refuse(request, "the library writes no waveforms (scripts/verilate --trace)");
        }
        if (library_.trace(block_, request.waveform.c_str()) != 0) {
            refuse(request, fmt::format("the waveform '{}' cannot be written: {}", request.waveform, cause()));
        }
    }

  private:
    void read_ports(const BlockRequest &request) {
        std::size_t count = 0;
        const smsim_block_port *const ports = library_.ports(block_, &count);
        std::set<std::string_view> names;
        for (std::size_t i = 0; ports != nullptr && i < count; ++i) {
            const smsim_block_port &port = ports[i];
            if (port.name == nullptr || port.bits == 0 || port.data == nullptr) {
                refuse(request, fmt::format("port {} of {}: a name, bits and a value are expected", i, count));
            }
            if (!names.insert(port.name).second) {
                refuse(request, fmt::format("there are two ports '{}'", port.name));
            }
            if (port.input != 0) { // an input not driven yet must not hold a random number
                std::memset(port.data, 0, (std::size_t{port.bits} + 7) / 8);
            }
            ports_.push_back({port.name, port.bits, port.input != 0, port.data, port.unknown});
        }
    }
    std::string cause() const {
        const char *const text = library_.failure(block_);
        return text == nullptr ? "no cause is given" : text;
    }
    void note(int status) {
        if (status != 0 && failure_.empty()) {
            failure_ = fmt::format("its simulator has failed: {}", cause());
        }
    }

    const Library &library_;
    void *block_ = nullptr;
    std::vector<Port> ports_;
    std::string failure_;
};

/// Whether the output `name` must be zero after a reset. A reset leaves the contents of a memory as they are.
bool is_cleared(std::string_view name) {
    return name == "busy" || name == "expiry" || name.ends_with("_valid") ||
           (name.starts_with("dbg_") && name != "dbg_data");
}

std::uint64_t value_of(const BlockRequest &request, std::string_view parameter) {
    for (const BlockParameter &one : request.parameters) {
        if (one.name == parameter) {
            return one.value;
        }
    }
    return 1;
}

/// Resets `block`, whose registers hold what `before` says, and checks its outputs: nothing may be valid or busy, and
/// no register that a debug port shows may be set.
void check_reset(const BlockRequest &request, Block &block, const char *before) {
    Pin rst;
    std::vector<std::pair<Pin, std::uint64_t>> selects; // of warps and CTAs at the debug port, and how many of each
    for (const Port &port : block.ports()) {
        if (!port.input) {
            continue;
        }
        const Pin pin(port.data, 1, port.bits);
        pin.clear();
        if (port.name == "rst" && port.bits == 1) {
            rst = pin;
        } else if (port.name.starts_with("cfg_")) {
            pin.put(1);
        } else if (port.name.ends_with("_ready")) {
            pin.fill();
        } else if (port.name == "dbg_warp" || port.name == "dbg_cta") {
            selects.emplace_back(Pin(port.data, port.bits, 1),
                                 value_of(request, port.name == "dbg_cta" ? "CTAS" : "WARPS"));
        }
    }
    if (rst.fields() == 0) {
        refuse(request, "there is no input rst of 1 bit; docs/pins.md has the pins");
    }
    reset(block, rst);
    std::uint64_t rounds = 1;
    for (const auto &[select, count] : selects) {
        rounds = std::max(rounds, count);
    }
    for (std::uint64_t i = 0; i < rounds; ++i) {
        for (const auto &[select, count] : selects) {
            select.put(std::min(i, count - 1));
        }
        block.settle();
        if (!block.failure().empty()) {
            refuse(request, block.failure());
        }
        for (const Port &port : block.ports()) {
            if (port.input || !is_cleared(port.name)) {
                continue;
            }
            const unsigned bytes = (port.bits + 7) / 8;
            const auto set = [bytes](const unsigned char *data) {
                return data != nullptr && std::any_of(data, data + bytes, [](unsigned char c) { return c != 0; });
            };
            if (set(port.unknown) || set(port.data)) {
                refuse(request,
                       fmt::format("after a reset {} is {}{}; it must be 0 (docs/pins.md, Reset). Before, all "
                                   "registers held {}",
                                   port.name, set(port.unknown) ? "X" : "not 0",
                                   port.name.starts_with("dbg_") ? fmt::format(" for warp or CTA {}", i) : "", before));
            }
        }
    }
}

} // namespace

std::unique_ptr<Block> load_block(const BlockRequest &request) {
    const Library &library = open_library(request);
    constexpr std::uint64_t kRandom = 0x5eed;
    const std::pair<std::uint64_t, const char *> kBefore[] = {{0, "zeros"}, {1, "ones"}, {kRandom, "random bits"}};
    for (const auto &[initial, text] : kBefore) {
        LibraryBlock tried(request, library, initial);
        check_reset(request, tried, text);
    }
    auto block = std::make_unique<LibraryBlock>(request, library, kRandom);
    if (!request.waveform.empty()) {
        block->trace(request);
    }
    return block;
}

} // namespace smsim::cosim
