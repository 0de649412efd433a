#include "model/due_times.h"

#include <cstddef>
#include <cstring>
#include <limits>

#include "model/multiversion.h"

#ifdef SMSIM_HAS_VERSIONS
#include <immintrin.h>
#endif

namespace smsim {
namespace {

using Time = DueTimes::Time;

#ifdef SMSIM_HAS_VERSIONS
using Four = std::int64_t __attribute__((vector_size(32)));

/// Maps to a signed number, in the same order: machines compare several of these at once, but not unsigned ones.
constexpr std::int64_t kSign = std::numeric_limits<std::int64_t>::min();

__attribute__((target("avx2"))) DueTimes::Due due_at(const Time *times, std::size_t count, Time now) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(); // kNot
    const std::int64_t behind_now = static_cast<std::int64_t>(now + 1) ^ kSign;
    Time due = 0;
    Four next = Four{} + kMost;
    for (std::size_t i = 0; i < count; i += 4) {
        Four at;
        std::memcpy(&at, times + i, sizeof at);
        at ^= kSign;
        const Four is_due = behind_now > at;
        due |= static_cast<Time>(_mm256_movemask_pd(reinterpret_cast<__m256d>(is_due))) << i;
        const Four later = is_due ? Four{} + kMost : at;
        next = later < next ? later : next;
    }
    for (const Four &partners : {Four{2, 3, 0, 1}, Four{1, 0, 3, 2}}) {
        const Four others = __builtin_shuffle(next, partners);
        next = others < next ? others : next;
    }
    return {due, static_cast<Time>(next[0] ^ kSign)};
}
__attribute__((target("default")))
#endif
DueTimes::Due
due_at(const Time *times, std::size_t count, Time now) {
    DueTimes::Due due{0, DueTimes::kNot};
    for (std::size_t i = 0; i < count; ++i) {
        const auto is_due = static_cast<Time>(times[i] <= now);
        due.who |= is_due << i;
        const Time later = times[i] | (0 - is_due); // kNot when it is
        due.next = later < due.next ? later : due.next;
    }
    return due;
}

} // namespace

DueTimes::Due DueTimes::at(Time now) const {
    return due_at(times_.data(), times_.size(), now);
}

} // namespace smsim
