#include "session/no_response.h"

#include <fmt/format.h>

namespace smsim::session {
namespace {

using Kind = parts::UnansweredRequest::Kind;

/// Where in the buffers of a launch an address lies.
std::string place_text(const memory::Regions &regions, std::uint64_t address) {
    for (const memory::Regions::Region &region : regions.all()) {
        if (address >= region.base && address - region.base < region.bytes) {
            return fmt::format(" ('{}' + {})", region.name, address - region.base);
        }
    }
    return {};
}

std::string text_of(const parts::UnansweredRequest &request, const memory::Regions &regions, Cycle now) {
    const char *kind = request.kind == Kind::kRead ? "a read" : request.kind == Kind::kWrite ? "a write" : "an atomic";
    std::string text = fmt::format("the memory has {} {} of {} bytes at {:#x}{}, sent in cycle {}, {} cycles ago",
                                   request.accepted ? "accepted and not answered" : "neither accepted nor answered",
                                   kind, request.bytes, request.address, place_text(regions, request.address),
                                   request.sent, now - request.sent);
    if (request.others != 0) {
        text += fmt::format("; {} more {} for {}", request.others, request.others == 1 ? "waits" : "wait",
                            request.accepted ? "their answers" : "it to accept this one");
    }
    return text;
}

} // namespace

std::string unanswered_text(const sm::StreamingMultiprocessor &unit, const memory::Regions &regions, Cycle now,
                            Cycle least) {
    const auto unanswered = unit.unanswered();
    return unanswered && now - unanswered->request.sent >= least ? text_of(unanswered->request, regions, now)
                                                                 : std::string();
}

std::optional<sm::RaisedFault> no_response(const sm::StreamingMultiprocessor &unit, const memory::Regions &regions,
                                           Cycle now) {
    const auto unanswered = unit.unanswered();
    if (!unanswered) {
        return std::nullopt;
    }
    sm::RaisedFault fault;
    fault.report = {Fault::kNoResponse, text_of(unanswered->request, regions, now)};
    fault.cycle = now;
    if (const auto &access = unanswered->access) {
        const WarpStart &start = unit.start_of(access->warp);
        if (start.age == access->age) { // otherwise it was a store of a warp that has ended
            fault.warp = access->warp;
            fault.start = start;
            fault.at = {access->insn, access->insn->pc, access->active, access->lanes, access->issued, 0};
        }
    }
    return fault;
}

} // namespace smsim::session
