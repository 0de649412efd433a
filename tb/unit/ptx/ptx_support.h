// Shared by the tests of PTX: a module around a body, and the errors of a text.
#pragma once

#include <string>

#include "model/error.h"
#include "ptx/checker.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace smsim::ptx::test {

inline const std::string kHeader = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A kernel with registers of all types around `body`, which begins in line 13.
inline std::string kernel(const std::string &body) {
    return kHeader + R"(.global .u32 data[4];
.const .f32 table[2];
.shared .b8 tile[64];
.visible .entry k(.param .u64 a, .param .u32 n) {
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;
.reg .f32 %f<4>; .reg .f64 %g<4>; .reg .u32 %u; .reg .s32 %s; .reg .v4 .f32 %v;
.local .b8 stack[16];

{
)" + body + "\n}\n}\n";
}

/// The messages for `text`, one per line; empty if it is accepted.
inline std::string errors(const std::string &text) {
    try {
        check_module(parse_module(text, "t.ptx"), "t.ptx");
    } catch (const InputError &error) {
        return error.what();
    }
    return "";
}

/// The messages for a kernel with this body.
inline std::string body_errors(const std::string &body) {
    return errors(kernel(body));
}

} // namespace smsim::ptx::test
