// Any text as a PTX module. What parses is printed as text that parses to the same tree, and what the checker accepts
// it accepts again.
#include "ptx/checker.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "tb/hostile/target.h"

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
    hostile::hold(accepted(again) == accepted(module), "the checker judges the printed module otherwise:\n" + text);
    return 0;
}
