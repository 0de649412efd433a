// Runs CUDA C on the host, for programs whose results a GPU model is compared with. The threads of a CTA are fibers
// that run one after another; to exchange something, each waits for the others.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __constant__ static const
#define __noinline__ __attribute__((noinline))

struct int2 {
    int x, y;
};

namespace host {

struct Index {
    unsigned x;
};

constexpr unsigned kLanes = 32;

/// The threads of one CTA.
class Cta {
  public:
    Cta(unsigned threads, std::function<void()> body)
        : body_(std::move(body)), fibers_(threads), warps_(threads / kLanes) {}

    void run();
    /// Waits until all threads of the CTA, or of the warp, have arrived here.
    void meet(bool warp) {
        Meeting &meeting = warp ? warps_[current_ / kLanes] : all_;
        const unsigned round = meeting.round;
        if (++meeting.arrived == (warp ? kLanes : fibers_.size())) {
            meeting.arrived = 0;
            ++meeting.round;
        }
        while (meeting.round == round) {
            swapcontext(&fibers_[current_].context, &scheduler_);
        }
    }
    /// The values that each lane of the warp passes to the others.
    std::uint64_t (&lanes())[kLanes] { return warps_[current_ / kLanes].values; }
    unsigned thread() const { return current_; }
    unsigned threads() const { return static_cast<unsigned>(fibers_.size()); }

  private:
    struct Fiber {
        ucontext_t context{};
        std::unique_ptr<char[]> stack;
        bool done = false;
    };
    struct Meeting {
        unsigned arrived = 0;
        unsigned round = 0;
        std::uint64_t values[kLanes] = {};
    };
    static void enter();

    std::function<void()> body_;
    std::vector<Fiber> fibers_;
    std::vector<Meeting> warps_;
    Meeting all_;
    ucontext_t scheduler_{};
    unsigned current_ = 0;
};

inline Cta *running = nullptr;

inline void Cta::enter() {
    running->body_();
    running->fibers_[running->current_].done = true;
    swapcontext(&running->fibers_[running->current_].context, &running->scheduler_);
}

inline void Cta::run() {
    constexpr std::size_t kStack = 256 * 1024;
    running = this;
    for (Fiber &fiber : fibers_) {
        fiber.stack = std::make_unique<char[]>(kStack);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStack;
        makecontext(&fiber.context, &Cta::enter, 0);
    }
    for (bool open = true; open;) {
        open = false;
        for (current_ = 0; current_ < fibers_.size(); ++current_) {
            if (!fibers_[current_].done) {
                open = true;
                swapcontext(&scheduler_, &fibers_[current_].context);
            }
        }
    }
}

/// All values of the warp, by lane.
template <typename T> std::vector<T> exchange(T value) {
    const unsigned lane = running->thread() % kLanes;
    std::memcpy(&running->lanes()[lane], &value, sizeof value);
    running->meet(true);
    std::vector<T> all(kLanes);
    for (unsigned i = 0; i < kLanes; ++i) {
        std::memcpy(&all[i], &running->lanes()[i], sizeof value);
    }
    running->meet(true);
    return all;
}

struct ThreadIndex {
    operator Index() const { return {running->thread()}; }
};

} // namespace host

inline host::Index blockIdx{0};
inline host::Index blockDim{0};
#define threadIdx (host::Index{host::running->thread()})

inline void __syncthreads() {
    host::running->meet(false);
}

template <typename T> T __shfl_sync(unsigned, T value, int source) {
    return host::exchange(value)[static_cast<unsigned>(source) & 31];
}
template <typename T> T __shfl_xor_sync(unsigned, T value, int mask) {
    const unsigned lane = host::running->thread() % host::kLanes;
    return host::exchange(value)[lane ^ static_cast<unsigned>(mask)];
}
template <typename T> T __shfl_up_sync(unsigned, T value, unsigned distance) {
    const unsigned lane = host::running->thread() % host::kLanes;
    return host::exchange(value)[lane < distance ? lane : lane - distance];
}
template <typename T> T __shfl_down_sync(unsigned, T value, unsigned distance) {
    const unsigned lane = host::running->thread() % host::kLanes;
    return host::exchange(value)[lane + distance > 31 ? lane : lane + distance];
}
inline unsigned __match_any_sync(unsigned, unsigned value) {
    const std::vector<unsigned> all = host::exchange(value);
    unsigned mask = 0;
    for (unsigned i = 0; i < host::kLanes; ++i) {
        mask |= all[i] == value ? 1U << i : 0;
    }
    return mask;
}
inline unsigned __ballot_sync(unsigned, int predicate) {
    const std::vector<int> all = host::exchange(predicate);
    unsigned mask = 0;
    for (unsigned i = 0; i < host::kLanes; ++i) {
        mask |= all[i] != 0 ? 1U << i : 0;
    }
    return mask;
}
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == 0xffffffffU;
}

/// The product of matrices that program.py has for the device.
inline unsigned warp_product(unsigned long long a, unsigned long long b, unsigned c) {
    const std::vector<unsigned long long> rows = host::exchange(a);
    const std::vector<unsigned long long> columns = host::exchange(b);
    const auto byte = [](const std::vector<unsigned long long> &matrix, unsigned line, unsigned k) {
        const unsigned long long word = matrix[2 * line + k / 8];
        return static_cast<int>(static_cast<signed char>(word >> (8 * (k % 8))));
    };
    const unsigned lane = host::running->thread() % host::kLanes;
    unsigned result = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const unsigned row = lane / 2;
        const unsigned column = 8 * (lane % 2) + i;
        unsigned sum = (c & 4095) * (i + 1);
        for (unsigned k = 0; k < 16; ++k) {
            sum += static_cast<unsigned>(byte(rows, row, k) * byte(columns, column, k));
        }
        result = 31 * result + sum;
    }
    return result;
}

inline void atomicAdd(unsigned *p, unsigned v) {
    *p += v;
}
inline void atomicOr(unsigned *p, unsigned v) {
    *p |= v;
}
inline void atomicAnd(unsigned *p, unsigned v) {
    *p &= v;
}
inline void atomicXor(unsigned *p, unsigned v) {
    *p ^= v;
}
inline void atomicMin(unsigned *p, unsigned v) {
    *p = *p < v ? *p : v;
}
inline void atomicMax(unsigned *p, unsigned v) {
    *p = *p > v ? *p : v;
}

inline unsigned __float_as_uint(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline long long __double_as_longlong(double x) {
    long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Bit by bit, as documented.
inline int __popcll(unsigned long long x) {
    int count = 0;
    for (unsigned i = 0; i < 64; ++i) {
        count += static_cast<int>((x >> i) & 1);
    }
    return count;
}
inline int __popc(unsigned x) {
    return __popcll(x);
}
inline int __clzll(long long x) {
    int count = 0;
    for (int i = 63; i >= 0 && ((static_cast<unsigned long long>(x) >> i) & 1) == 0; --i) {
        ++count;
    }
    return count;
}
inline int __clz(int x) {
    return __clzll(static_cast<unsigned>(x)) - 32;
}
inline int __ffsll(long long x) {
    for (int i = 0; i < 64; ++i) {
        if (((static_cast<unsigned long long>(x) >> i) & 1) != 0) {
            return i + 1;
        }
    }
    return 0;
}
inline int __ffs(int x) {
    return __ffsll(static_cast<unsigned>(x));
}
inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long y = 0;
    for (unsigned i = 0; i < 64; ++i) {
        y |= ((x >> i) & 1) << (63 - i);
    }
    return y;
}
inline unsigned __brev(unsigned x) {
    return static_cast<unsigned>(__brevll(x) >> 32);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (static_cast<unsigned long long>(y) << 32) | x;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        result |= static_cast<unsigned>((both >> (8 * ((selector >> (4 * i)) & 7))) & 0xff) << (8 * i);
    }
    return result;
}
inline int __mulhi(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
    return static_cast<unsigned>((both << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
    return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned min(unsigned a, unsigned b) {
    return a < b ? a : b;
}
inline int max(int a, int b) {
    return a > b ? a : b;
}
