#include "tb/cosim/barrier_arrivals.h"

#include <bit>

#include <fmt/format.h>

#include "model/types.h"

namespace smsim::cosim {

BarrierArrivals::Count BarrierArrivals::all(std::uint32_t more) {
    if (stay_) {
        return kLanes * (warps() + more);
    }
    out_.line("IADD3 R26, R15, {:#x}, RZ", kLanes * more);
    return std::nullopt;
}

BarrierArrivals::Count BarrierArrivals::some(std::uint32_t mask, std::uint32_t often, bool others) {
    if (stay_) {
        const auto in = static_cast<std::uint32_t>(std::popcount(mask & everybody()));
        return kLanes * (in * often + (others ? warps() - in : 0));
    }
    out_.line("LOP3 R26, R14, {:#x}, RZ, 0xc0", mask);
    out_.line("POPC R26, R26");
    out_.line("IMAD R26, R26, {:#x}, {}", (others ? often - 1 : often) * kLanes, others ? "R15" : "RZ");
    return std::nullopt;
}

void BarrierArrivals::form(const std::string &guard, const std::string &operation, std::uint32_t id, Count count,
                           const std::string &pp, const std::string &lanes, bool rotate) {
    const bool reduction = !pp.empty();
    const std::string tail = reduction ? ", " + pp : "";
    const bool id_in_register = rotate || random_.chance(50);
    const bool count_in_register = !count || random_.chance(40);
    if (reduction && id_in_register && count_in_register) {
        joint(id, count, rotate);
        choose("R28", lanes);
        return out_.instruction(guard, fmt::format("{} R28{}", operation, tail));
    }
    if (id_in_register) {
        out_.line("LOP3 R28, R13, 0xfffffff0, RZ, 0xc0");
        put_id(id, rotate);
        choose("R28", lanes);
    }
    if (count_in_register) {
        out_.line("LOP3 R29, R13, 0xfffff000, RZ, 0xc0");
        out_.line("LOP3 R29, R29, {}, RZ, 0xfc", count ? fmt::format("{:#x}", *count) : "R26");
        choose("R29", lanes);
    }
    const std::string first = id_in_register ? "R28" : fmt::format("{:#x}", id);
    if (!reduction && count == 0U && !count_in_register && random_.chance(50)) {
        return out_.instruction(guard, fmt::format("{} {}", operation, first));
    }
    const std::string second = count_in_register ? "R29" : fmt::format("{:#x}", *count);
    out_.instruction(guard, fmt::format("{} {}, {}{}", operation, first, second, tail));
}

void BarrierArrivals::joint(std::uint32_t id, Count count, bool rotate) {
    out_.line("LOP3 R28, R13, 0xffff0000, RZ, 0xc0");
    if (count) {
        out_.line("LOP3 R28, R28, {:#x}, RZ, 0xfc", *count << 4);
    } else {
        out_.line("SHL R29, R26, 0x4");
        out_.line("LOP3 R28, R28, R29, RZ, 0xfc");
    }
    put_id(id, rotate);
}

void BarrierArrivals::put_id(std::uint32_t id, bool rotate) {
    if (!rotate) {
        return out_.line("LOP3 R28, R28, {:#x}, RZ, 0xfc", id);
    }
    out_.line("IADD3 R27, R11, {:#x}, RZ", id);
    out_.line("LOP3 R27, R27, 0xf, RZ, 0xc0");
    out_.line("LOP3 R28, R28, R27, RZ, 0xfc");
}

void BarrierArrivals::choose(const char *name, const std::string &lanes) {
    if (!lanes.empty()) {
        out_.line("SEL {0}, {0}, R13, {1}", name, lanes);
    }
}

void BarrierArrivals::random_lanes() {
    out_.line("LOP3 R24, R13, {:#x}, RZ, 0xc0", 1U << random_.below(32));
    out_.line("ISETP.NE.AND P1, PT, R24, RZ, PT");
    out_.line("ISETP.EQ.OR P1, PT, R8, RZ, P1");
}

void BarrierArrivals::these_warps(std::uint32_t mask) {
    out_.line("MOV R24, {:#x}", mask);
    out_.line("SHR R24, R24, R10");
    out_.line("LOP3 R24, R24, 0x1, RZ, 0xc0");
    out_.line("ISETP.NE.AND P2, PT, R24, RZ, PT");
}

void BarrierArrivals::arrive(const std::string &operation, std::uint32_t id, Count count, const std::string &pp,
                             bool rotate) {
    switch (random_.below(8)) {
    case 0:
    case 1:
        random_lanes();
        return form("@P1 ", operation, id, count, pp, "P1", rotate);
    case 2: // warps in two forms, each with a false guard at one
        out_.line("LOP3 R24, R12, {:#x}, RZ, 0xc0", 1U << random_.below(32));
        out_.line("ISETP.EQ.AND P1, PT, R24, RZ, PT");
        form("@P1 ", operation, id, count, pp, "", rotate);
        return form("@!P1 ", operation, id, count, pp, "", rotate);
    case 3: // no thread executes it, whatever its operands are
        out_.instruction("@!PT ", pp.empty() ? "BAR.ARV R12, R13" : "BAR.RED.OR R13, PT");
        [[fallthrough]];
    default:
        return form("", operation, id, count, pp, "", rotate);
    }
}

void BarrierArrivals::arrive_if(const std::string &predicate, const std::string &operation, std::uint32_t id,
                                Count count, const std::string &pp) {
    switch (random_.below(4)) {
    case 0: {
        const std::string behind = out_.new_label();
        out_.line("BRA {}{}, {}", predicate[0] == '!' ? "" : "!", predicate[0] == '!' ? "P2" : predicate, behind);
        form("", operation, id, count, pp, "");
        return out_.place(behind);
    }
    case 1:
        random_lanes();
        out_.line("PSETP.AND.AND P1, PT, P1, {}, PT", predicate);
        return form("@P1 ", operation, id, count, pp, "P1");
    default:
        return form("@" + predicate + " ", operation, id, count, pp, "");
    }
}

} // namespace smsim::cosim
