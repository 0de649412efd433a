#include "tb/fuzz/ptx/program_writer.h"

#include <fmt/format.h>

#include "tb/fuzz/ptx/body_writer.h"
#include "tb/ptx_differential/runs.h"

namespace smsim::ptx_fuzz {

namespace {

constexpr const char *kRegisters = R"(.reg .b32 %r<8>, %q<10>;
.reg .b32 %thread, %lane, %cta, %gtid, %fuel, %existing, %depth;
.reg .b64 %d<4>, %own, %common;
.reg .f32 %f0;
.reg .f64 %e<2>;
.reg .pred %p<3>;
.local .align 16 .b8 stack[16];
st.local.v4.u32 [stack], {0, 0, 0, 0};
mov.u32 %thread, %tid.x;
mov.u32 %lane, %laneid;
mov.u32 %cta, %ctaid.x;
mov.u32 %gtid, %ntid.x;
mad.lo.u32 %gtid, %gtid, %cta, %thread;
)";

/// The prototype of all functions, in the scope of a body.
constexpr const char *kSignature = "SIGNATURE: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param "
                                   ".b64 _, .param .b64 _, .param .b32 _);\n";

std::string heading(int number) {
    return fmt::format(
        ".func (.param .b32 result) f{}(.param .b32 a, .param .b32 b, .param .b64 c, .param .b64 d, .param .b32 e)",
        number);
}

std::string function_text(ProgramState &program, int number) {
    std::string text = heading(number) + " {\n" + kRegisters + kSignature;
    text += "ld.param.b32 %depth, [e];\nmad.lo.u32 %fuel, %depth, 2, 4;\nmov.u32 %existing, 0;\n";
    text += "ld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];\nld.param.b64 %own, [c];\nld.param.b64 %common, [d];\n";
    for (unsigned i = 2; i < kValues; ++i) {
        text += fmt::format("mad.lo.u32 %r{}, %r{}, {}, %r{};\n", i, i - 1, 40503 + 2 * i, i - 2);
    }
    text += BodyWriter(program, number).write(program.tree.functions[static_cast<std::size_t>(number)]);
    text += "END:\nxor.b32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, %r2;\nst.param.b32 [result], %r0;\nret;\n}\n";
    return text;
}

std::string kernel_text(ProgramState &program) {
    const std::uint32_t threads = program.tree.threads;
    std::string text = std::string(".visible .entry k(.param .u64 out, .param .u64 shared_words) {\n") + kRegisters;
    if (!program.tree.functions.empty()) {
        text += kSignature;
    }
    text += "mov.u32 %depth, 3;\nmov.u32 %fuel, 40;\nld.param.u64 %own, [out];\nmad.wide.u32 %own, %gtid, 64, %own;\n";
    text += "ld.param.u64 %common, [shared_words];\n";
    // The lanes that exist in this warp.
    text += fmt::format("sub.u32 %existing, %thread, %lane;\nsub.u32 %existing, {}, %existing;\n", threads);
    text += "min.u32 %existing, %existing, 32;\nbmsk.clamp.b32 %existing, 0, %existing;\n";
    text += "mov.u64 %d1, tile;\nmad.wide.u32 %d1, %thread, 16, %d1;\nst.shared.v4.u32 [%d1], {0, 0, 0, 0};\n";
    for (unsigned i = 0; i < kValues; ++i) {
        text += fmt::format("mad.lo.u32 %r{}, %gtid, {}, {};\nxor.b32 %r{}, %r{}, {};\n", i, 0x9e3779b1U * (i + 1), i,
                            i, i, program.tree.seed * 2654435761U % 4096);
    }
    text += BodyWriter(program, -1).write(program.tree.kernel);
    for (unsigned i = 0; i < kValues; ++i) {
        text += fmt::format("st.global.u32 [%own+{}], %r{};\n", 4 * i, i);
    }
    return text + "ret;\n}\n";
}

} // namespace

std::string write_program(const Tree &tree) {
    ProgramState program{tree};
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
    text += fmt::format(".shared .align 16 .b8 tile[{}];\n.shared .align 4 .u32 exchange[{}];\n", 16 * tree.threads,
                        tree.threads);
    std::string names;
    for (int i = 0; i < static_cast<int>(tree.functions.size()); ++i) {
        text += heading(i) + ";\n";
        names += (i == 0 ? "f" : ", f") + std::to_string(i);
    }
    if (!names.empty()) {
        text += fmt::format(".global .u64 functions[{}] = {{{}}};\n", tree.functions.size(), names);
    }
    for (int i = 0; i < static_cast<int>(tree.functions.size()); ++i) {
        text += function_text(program, i);
    }
    return text + kernel_text(program);
}

launch::Launch launch_of(const Tree &tree) {
    launch::Launch launch;
    launch.kernel = "k";
    launch.block = {tree.threads, 1, 1};
    launch.grid = {tree.ctas, 1, 1};
    const std::size_t total = std::size_t{tree.threads} * tree.ctas;
    std::vector<std::uint32_t> common(kCounters + kLocks + 2 * kMostChainSites * tree.ctas + kMostFlagSites * total);
    common.at(2) = common.at(4) = ~0U; // minimum and conjunction
    launch.arguments = {ptx_differential::buffer_argument("out", std::vector<std::uint32_t>(total * kOwnWords)),
                        ptx_differential::buffer_argument("shared_words", common)};
    return launch;
}

} // namespace smsim::ptx_fuzz
