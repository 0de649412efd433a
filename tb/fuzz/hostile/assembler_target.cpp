// Takes any text as assembly source. Accepted source survives both round trips, and a schedule made by the pass
// protects every dependence.
#include "assembler/scheduler.h"
#include "tb/fuzz/hostile/program_promises.h"

using namespace smsim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const timing::SchedulingModel model;
    const std::string_view text = hostile::text_of(data, size);
    Program program;
    try {
        program = assemble(text, "input.sasm", model);
    } catch (const InputError &) {
        return 0;
    }
    hostile::hold_text_round_trip(program, model);
    hostile::hold_binary_round_trip(program);
    // Without these characters no control field is written; without the directive no hand-written schedule is
    // promised.
    if (text.find_first_of("?&") == std::string_view::npos && text.find(".schedule") == std::string_view::npos) {
        const auto missing = assembler::verify_schedule(program, model);
        hostile::hold(missing.empty(), missing.empty() ? "" : "unprotected dependence: " + missing.front().reason);
    }
    return 0;
}
