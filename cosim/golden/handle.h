// What all functions of the golden model have in common: they check their handle, turn exceptions into a status, and
// keep the reason.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "cosim/golden/smsim_golden.h"
#include "model/error.h"
#include "model/isa/instruction.h"
#include "model/types.h"

namespace smsim::golden {

/// The unit of a handle. It is the first member of each handle, so that a handle of another unit is recognised.
enum class Kind : std::uint32_t { kBru = 0x534d4231, kBcu, kTimer, kShared };

/// Why a function fails; thrown inside the library only.
struct Refusal {
    int status;
    std::string why;
};

/// Keeps `why` for smsim_golden_error(), and returns `status`.
int failed(int status, std::string_view why) noexcept;

/// Runs `body` and returns its status; no exception leaves the library.
template <typename Body> int guarded(Body &&body) noexcept {
    try {
        body();
        return SMSIM_GOLDEN_OK;
    } catch (const Refusal &refusal) {
        return failed(refusal.status, refusal.why);
    } catch (const InputError &error) {
        return failed(SMSIM_GOLDEN_BAD_ARGUMENT, error.what());
    } catch (const std::bad_alloc &) {
        return failed(SMSIM_GOLDEN_FAILED, "memory ran out");
    } catch (const std::exception &error) {
        return failed(SMSIM_GOLDEN_FAILED, error.what());
    }
}

/// Throws a Refusal with `status` unless `holds`.
template <typename... Values>
void require(bool holds, int status, fmt::format_string<Values...> why, Values &&...values) {
    if (!holds) {
        throw Refusal{status, fmt::format(why, std::forward<Values>(values)...)};
    }
}

/// Rejects a null pointer, naming the argument.
inline void require_pointer(const void *pointer, const char *name) {
    require(pointer != nullptr, SMSIM_GOLDEN_BAD_ARGUMENT, "{} is null", name);
}

/// The object that a handle refers to; rejects null and a handle of another unit.
template <typename Handle> Handle &checked(Handle *handle) {
    require(handle != nullptr, SMSIM_GOLDEN_BAD_ARGUMENT, "the handle is null");
    require(handle->kind == Handle::kKind, SMSIM_GOLDEN_BAD_ARGUMENT, "the handle is none of this unit");
    return *handle;
}

/// Rejects a number that is not below `count`.
inline void require_below(std::uint32_t number, std::size_t count, const char *name) {
    require(number < count, SMSIM_GOLDEN_BAD_ARGUMENT, "{} {}: there are {}", name, number, count);
}

/// Rejects a number of slots that 8 bits cannot distinguish.
inline void require_slots(std::uint32_t count, const char *name) {
    require(count >= 1 && count <= SMSIM_GOLDEN_MAX_WARPS, SMSIM_GOLDEN_BAD_ARGUMENT, "{} {}: expected 1 to {}", name,
            count, SMSIM_GOLDEN_MAX_WARPS);
}

/// Makes a handle with `make()`, which returns a unique pointer; null on failure.
template <typename Handle, typename Make> int create(Handle **handle, Make &&make) noexcept {
    return guarded([&] {
        require_pointer(handle, "where the handle goes");
        *handle = nullptr;
        *handle = make().release();
    });
}

/// Destroys a handle; does nothing for null or a handle of another unit.
template <typename Handle> void destroy(Handle *handle) noexcept {
    if (handle != nullptr && handle->kind == Handle::kKind) {
        delete handle;
    }
}

/// The word of four numbers, bits 0 to 31 first.
inline isa::Word word_of(const std::uint32_t insn[4]) {
    return {insn[0] | std::uint64_t{insn[1]} << 32, insn[2] | std::uint64_t{insn[3]} << 32};
}

/// Decodes the word at `pc`; rejects a word that is not an instruction of `unit`.
isa::Instruction decoded(const std::uint32_t insn[4], Pc pc, isa::Unit unit);

} // namespace smsim::golden
