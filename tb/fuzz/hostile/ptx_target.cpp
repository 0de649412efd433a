// Takes any text as a PTX module. A parsed module prints as text that parses to the same tree, and the checker accepts
// that text if it accepts the original. What the compiler accepts becomes assembly that assembles.
#include "assembler/assembler.h"
#include "ptx/checker.h"
#include "ptx/compiler.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "tb/fuzz/hostile/target.h"

using namespace smsim;

namespace {

bool accepted(const ptx::Module &module) {
    try {
        ptx::check_module(module, "input.ptx");
    } catch (const InputError &) {
        return false;
    }
    return true;
}

/// The compiler answers with an InputError, or with text that the assembler accepts.
void hold_compiled(std::string_view source) {
    static const timing::SchedulingModel model;
    std::string text;
    try {
        text = ptx::compile_to_assembly(source, "input.ptx");
    } catch (const InputError &) {
        return;
    }
    try {
        assembler::assemble(text, "input.sasm", model);
    } catch (const InputError &error) {
        hostile::hold(false, std::string("the compiled module does not assemble: ") + error.what() + "\n" + text);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    ptx::Module module;
    try {
        module = ptx::parse_module(hostile::text_of(data, size), "input.ptx");
    } catch (const InputError &) {
        return 0;
    }
    const std::string text = ptx::print_module(module);
    ptx::Module again;
    try {
        again = ptx::parse_module(text, "again.ptx");
    } catch (const InputError &error) {
        hostile::hold(false, std::string("printed module does not parse: ") + error.what() + "\n" + text);
    }
    hostile::hold(again == module, "printed module parses to another tree:\n" + text);
    const bool checked = accepted(module);
    hostile::hold(accepted(again) == checked, "the checker judges the printed module otherwise:\n" + text);
    if (checked) {
        hold_compiled(hostile::text_of(data, size));
    }
    return 0;
}
