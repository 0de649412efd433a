#include "tb/cosim/shared_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/types.h"

namespace smsim::cosim {
namespace {

struct Width {
    const char *name;
    std::uint32_t bytes;
};
constexpr Width kLoads[] = {{".U8", 1}, {".S8", 1}, {".U16", 2}, {".S16", 2}, {"", 4}, {".64", 8}, {".128", 16}};

/// Every atomic operation; CAS is the last.
std::vector<std::pair<std::string, std::uint32_t>> atomics() {
    std::vector<std::pair<std::string, std::uint32_t>> all = {
        {"ADD.F32", 4}, {"EXCH.F32", 4}, {"ADD.F64", 8}, {"ADD.F32", 4}, {"ADD.F64", 8}};
    for (const char *operation : {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS"}) {
        for (const auto &[type, bytes] :
             {std::pair{"", 4U}, std::pair{".S32", 4U}, std::pair{".U64", 8U}, std::pair{".S64", 8U}}) {
            all.emplace_back(std::string(operation) + type, bytes);
        }
    }
    return all;
}

/// Values at which sums and comparisons change behaviour; for a double the word here is the upper half, and the lower
/// half is random or zero.
constexpr std::uint32_t kFloats[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
                                     0x80800000, 0x00ffffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x34000000, 0x33800000,
                                     0xb3800000, 0x33ffffff, 0x4b800000, 0x4b7fffff, 0xcb800001, 0x7f7fffff, 0xff7fffff,
                                     0x73000000, 0x73800000, 0xf3800000, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000,
                                     0xffc12345, 0x7fffffff, 0x3fffffff, 0xc0490fdb};
constexpr std::uint64_t kDoubles[] = {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
                                      0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
                                      0x001fffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
                                      0x3cb0000000000000, 0x3ca0000000000000, 0xbca0000000000000, 0x3cafffffffffffff,
                                      0x4340000000000000, 0x433fffffffffffff, 0xc340000000000001, 0x7fefffffffffffff,
                                      0xffefffffffffffff, 0x7c90000000000000, 0x7ca0000000000000, 0xfca0000000000000,
                                      0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
                                      0xfff8123456789abc, 0x7fffffffffffffff, 0x3fffffffffffffff, 0xc00921fb54442d18};
constexpr std::uint32_t kSpecials = 32; // of either
static_assert(std::size(kFloats) == kSpecials && std::size(kDoubles) == kSpecials);

/// Registers: R24 address, R[32:35] data, R[36:39] result, R[40:41] comparand of CAS, R25 to R29 for use within one
/// place.
class SharedWriter {
  public:
    SharedWriter(LockstepKernel &kernel, std::uint32_t bytes, std::uint64_t seed)
        : kernel_(kernel), random_(kernel.random), out_(kernel.out), bytes_(bytes), atomics_(atomics()),
          next_atomic_(static_cast<std::uint32_t>(seed % 4 * (atomics_.size() / 4))),
          float_percent_(random_.of({5, 30, 90})) {}

    /// `threads` of a CTA.
    void prologue(std::uint32_t threads) {
        for (const std::uint32_t value : kFloats) {
            out_.constant32_offset(fmt::format("{:#x}", value));
        }
        for (const std::uint64_t value : kDoubles) {
            out_.constant64_offset(fmt::format("{:#x}", value));
        }
        for (unsigned name = 24; name < 50; ++name) {
            out_.line("IMAD R{}, R13, {:#x}, R3", name, 2 * name + 1);
        }
        // Words that no thread has written are zero in the model and arbitrary in RTL.
        striped(threads, [&] { out_.line("STS.128 [R24], R[36:39]"); });
        out_.line("BAR.SYNC 0x0");
    }
    void body() {
        for (std::uint32_t i = 0; i < kAccesses; ++i) {
            if (i % 4 == 0) {
                kernel_.draw();
            }
            if (random_.chance(10)) {
                kernel_.delay();
            }
            one_access();
        }
        if (random_.chance(50)) {
            out_.line("BAR.SYNC 0x0");
        }
    }
    /// Words that no access has read are not compared yet: each thread reads a share of all words.
    void read_all(std::uint32_t threads) {
        striped(threads, [&] {
            out_.line("LDS.128 R[36:39], [R24]");
            for (const char *name : {"R36", "R37", "R38", "R39"}) {
                kernel_.see(name);
            }
        });
    }
    static constexpr std::uint32_t kAccesses = 60;

  private:
    /// `body` for every 16 bytes of the memory, with the address in R24; each thread takes a share.
    template <typename Body> void striped(std::uint32_t threads, Body body) {
        out_.line("SHL R24, R9, 0x4");
        const std::string again = out_.new_label();
        const std::string behind = out_.new_label();
        out_.line("BSSY B0, {}", behind);
        out_.place(again);
        out_.line("ISETP.GE.U32.AND P0, PT, R24, {:#x}, PT", bytes_);
        out_.line("@P0 BRA {}", behind);
        body();
        out_.line("IADD3 R24, R24, {:#x}, RZ", 16 * threads);
        out_.line("BRA {}", again);
        out_.place(behind);
        out_.line("BSYNC B0");
    }

    /// R24: an address of `bytes` bytes; returns the matching offset as text.
    std::string address(std::uint32_t bytes) {
        const std::uint32_t half = bytes_ / 2;
        const std::uint32_t offset = random_.below(half / bytes) * bytes;
        switch (random_.below(8)) {
        case 0: // all threads the same
            out_.line("SHR R24, R12, 0x7");
            break;
        case 1: // consecutive
            out_.line("IMAD R24, R8, {:#x}, RZ", bytes * random_.of({1, 1, 1, 2, 3, 5}));
            break;
        case 2: // in few banks
            out_.line("SHL R24, R13, {:#x}", random_.between(4, 9));
            break;
        case 3: // many in one bank
            out_.line("IMAD R24, R8, {:#x}, RZ", random_.of({64, 128, 132, 256, 1024}));
            break;
        case 4: // a few addresses
            out_.line("LOP3 R24, R13, {:#x}, RZ, 0xc0", bytes * random_.of({1, 3, 7}));
            break;
        case 5: // groups of neighbours
            out_.line("SHR R24, R8, {:#x}", random_.between(1, 3));
            out_.line("IMAD R24, R24, {:#x}, R8", 4 * random_.between(1, 40));
            break;
        default:
            out_.line("SHR R24, R13, {:#x}", random_.between(0, 12));
            break;
        }
        out_.line("LOP3 R24, R24, {:#x}, RZ, 0xc0", (half - 1) & ~(bytes - 1));
        if (random_.chance(30)) {
            out_.line("IADD3 R24, R24, {:#x}, RZ", half);
            return fmt::format("[R24+-{:#x}]", offset);
        }
        return offset == 0 ? "[R24]" : fmt::format("[R24+{:#x}]", offset);
    }

    /// `bytes` bytes of data from R32 on.
    void data(std::uint32_t bytes) {
        const bool wide = bytes >= 8;
        if (random_.chance(float_percent_)) {
            out_.line("SHR R25, R13, {:#x}", random_.below(20));
            out_.line("LOP3 R25, R25, {:#x}, RZ, 0xc0", kSpecials - 1);
            out_.line("SHL R25, R25, {:#x}", wide ? 3 : 2);
            return wide ? out_.line("LDC.64 R[32:33], c[0x3][R25+{:#x}]", 4 * kSpecials)
                        : out_.line("LDC R32, c[0x3][R25]");
        }
        switch (random_.below(4)) {
        case 0: // small, also negative
            out_.line("SHR.S32 R32, R13, {:#x}", random_.between(24, 30));
            out_.line("SHR.S32 R33, R32, 0x1f");
            break;
        case 1: // floats of near exponents
            out_.line("LOP3 R32, R13, 0x80ffffff, RZ, 0xc0");
            out_.line("IADD3 R32, R32, {:#x}, RZ", 0x3f000000 - (random_.below(3) << 23));
            out_.line("LOP3 R33, R32, {:#x}, RZ, 0xc0", 0xfffffff0);
            break;
        case 2: // values read before
            out_.line("MOV R32, R36");
            out_.line("MOV R33, R37");
            break;
        default:
            out_.line("MOV R32, R13");
            out_.line("IMAD R33, R13, {:#x}, R12", static_cast<std::uint32_t>(random_.next()) | 1U);
            break;
        }
        if (bytes == 16) {
            out_.line("IMAD R34, R32, R3, R8");
            out_.line("IMAD R35, R33, R3, R9");
        }
    }

    std::string guard() {
        switch (random_.below(8)) {
        case 0:
        case 1: // some threads
            out_.line("LOP3 R25, R13, {:#x}, RZ, 0xc0", 1U << random_.below(32));
            out_.line("ISETP.NE.AND P1, PT, R25, RZ, PT");
            return random_.chance(50) ? "@P1 " : "@!P1 ";
        case 2: // one thread, or all but one
            out_.line("ISETP.EQ.AND P1, PT, R8, {:#x}, PT", random_.below(32));
            return random_.chance(70) ? "@P1 " : "@!P1 ";
        case 3:
            return random_.chance(20) ? "@!PT " : "";
        default:
            return "";
        }
    }

    static std::string group(unsigned first, std::uint32_t bytes) {
        return bytes <= 4 ? fmt::format("R{}", first) : fmt::format("R[{}:{}]", first, first + bytes / 4 - 1);
    }
    void see(std::uint32_t bytes) {
        for (unsigned i = 0; i < std::max(1U, bytes / 4); ++i) {
            kernel_.see(fmt::format("R{}", 36 + i));
        }
    }

    void one_access() {
        switch (random_.below(5)) {
        case 0:
        case 1: {
            const Width &width = kLoads[random_.below(std::size(kLoads))];
            const std::string at = address(width.bytes);
            out_.instruction(guard(), fmt::format("LDS{} {}, {}", width.name, group(36, width.bytes), at));
            return see(width.bytes);
        }
        case 2: {
            static constexpr Width kStores[] = {{".U8", 1}, {".U16", 2}, {"", 4}, {".64", 8}, {".128", 16}};
            const Width &width = kStores[random_.below(std::size(kStores))];
            data(width.bytes);
            const std::string at = address(width.bytes);
            return out_.instruction(guard(), fmt::format("STS{} {}, {}", width.name, at, group(32, width.bytes)));
        }
        default:
            return atomic();
        }
    }

    /// A float between 2^-`less` and 2^(1-`less`) in R32, or a double in R[32:33].
    void fraction(bool wide, std::uint32_t less) {
        if (wide) {
            out_.line("LOP3 R33, R12, 0xfffff, RZ, 0xc0");
            out_.line("IADD3 R33, R33, {:#x}, RZ", 0x3ff00000U - (less << 20));
            out_.line("IMAD R32, R13, R3, R12");
        } else {
            out_.line("LOP3 R32, R13, 0x7fffff, RZ, 0xc0");
            out_.line("IADD3 R32, R32, {:#x}, RZ", 0x3f800000U - (less << 23));
        }
    }
    /// Sums of two numbers whose exponents differ a little. Many carry; some are halfway between two numbers except
    /// for the last bit of the smaller one.
    void sum() {
        const bool wide = random_.chance(30);
        const std::string at = address(wide ? 8 : 4);
        const std::string value = group(32, wide ? 8 : 4);
        kernel_.draw();
        fraction(wide, 0);
        out_.line("STS{} {}, {}", wide ? ".64" : "", at, value);
        kernel_.draw();
        fraction(wide, random_.between(1, 5));
        out_.line("ATOMS.ADD.{} {}, {}, {}", wide ? "F64" : "F32", group(36, wide ? 8 : 4), at, value);
        see(wide ? 8 : 4);
    }

    void atomic() {
        if (random_.chance(10)) {
            return sum();
        }
        const auto &[name, bytes] = atomics_[next_atomic_++ % atomics_.size()];
        data(bytes);
        const std::string at = address(bytes);
        const std::string value = group(32, bytes);
        const std::string result = random_.chance(15) ? "RZ" : group(36, bytes);
        if (name.starts_with("CAS")) {
            if (random_.chance(70)) { // otherwise the present contents of these registers
                out_.line("LDS{} {}, {}", bytes == 8 ? ".64" : "", group(40, bytes), at);
            }
            out_.instruction(guard(),
                             fmt::format("ATOMS.{} {}, {}, {}, {}", name, result, at, group(40, bytes), value));
        } else {
            out_.instruction(guard(), fmt::format("ATOMS.{} {}, {}, {}", name, result, at, value));
        }
        see(bytes);
    }

    LockstepKernel &kernel_;
    fuzz::Random &random_;
    fuzz::Writer &out_;
    std::uint32_t bytes_;
    std::vector<std::pair<std::string, std::uint32_t>> atomics_;
    std::uint32_t next_atomic_;
    std::uint32_t float_percent_; ///< of the data are values of kFloats, kDoubles
};

} // namespace

LockstepProgram shared_program(std::uint64_t seed, std::uint32_t accesses) {
    fuzz::Random random(seed ^ 0xbb67ae8584caa73b);
    const std::uint32_t warps = random.of({1, 2, 3, 4, 6, 8, 16});
    const std::uint32_t threads = kLanes * warps - (random.chance(50) ? random.below(kLanes) : 0);
    const std::uint32_t bytes = random.of({64, 256, 1024, 4096, 16384, 65536});
    const bool slow = random.chance(20);
    std::vector<std::string> settings = random_design(random, slow);
    const std::uint32_t ctas = random.between(1, std::max(1U, 32 / warps));
    const std::uint32_t iterations = std::max(1U, accesses / (SharedWriter::kAccesses * warps * ctas));
    LockstepKernel kernel(random.next(), ctas, threads, iterations);
    SharedWriter writer(kernel, bytes, seed);
    LockstepProgram program = kernel.build([&] { writer.prologue(threads); },
                                           [&] {
                                               writer.body();
                                               writer.read_all(threads);
                                           },
                                           bytes, std::move(settings));
    program.same_cycles = !slow;
    return program;
}

} // namespace smsim::cosim
