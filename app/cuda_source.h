// CUDA C++ as input: clang compiles its device code to PTX. Nothing else in smsim needs clang.
#pragma once

#include <span>
#include <string>

#include "model/launch/code_options.h"

namespace smsim::app {

/// What clang produces for one source file.
struct CompiledCuda {
    std::string ptx;
    std::string messages; ///< its warnings; may be empty
};

/// Compiles the device code of a CUDA C++ file, with `macros` defined, with all optimisations for sm_70; the PTX names
/// sm_90a as its target, so that every matrix instruction exists. The compiler is `clang`, or the program that the
/// environment variable CLANG names. It runs without a shell, and without the headers and libraries of a CUDA
/// installation: `cuda_include_folder` replaces them. Throws InputError when it cannot be run, and with its messages
/// when it rejects the file. SIGINT and SIGTERM end it, remove what it has left, and then take their usual effect.
CompiledCuda compile_cuda(const std::string &path, std::span<const launch::Macro> macros);

/// The folder of smsim's own headers for kernels: `share/smsim/cuda/include` beside the folder of the running
/// program (installed), otherwise `cuda/include` of the source tree that it was built from; empty when neither
/// exists.
std::string cuda_include_folder();

} // namespace smsim::app
