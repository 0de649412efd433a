// CUDA C for smsim: what device code needs, so that one source compiles with clang alone (-nocudainc -nocudalib, no
// vendor toolkit installed) and with nvcc. With nvcc the names are the vendor's; this file adds only what it lacks.
//
//   clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -O3 -S -I cuda/include x.cu -o x.ptx
//
//   nvcc -ptx -arch=sm_75 -O3 -I cuda/include x.cu -o x.ptx
//
// Names and meaning follow the CUDA C++ Programming Guide; the parts say where accuracy or range differ. There is
// no malloc and no host code: kernels are launched by a launch file (docs/launch-files.md).
#pragma once

#include "smsim_cuda/language.h"

#include "smsim_cuda/address.h"
#include "smsim_cuda/atomic.h"
#include "smsim_cuda/barrier.h"
#include "smsim_cuda/half.h"
#include "smsim_cuda/integer.h"
#include "smsim_cuda/math.h"
#include "smsim_cuda/output.h"
#include "smsim_cuda/warp.h"
