// The types and functions of a format of 16 bits. cuda_fp16.h and cuda_bf16.h include this file, each once, so it has
// no guard; before, they define SMSIM_NARROW and its relatives: the types, the namespace with the operations on bits,
// the part of the names of functions, and the name of the type in PTX. They are undefined at the end.

#include "smsim_cuda/narrow/cut.h"
#include "smsim_cuda/narrow/odd.h"

#include "smsim_cuda/narrow/type.h"

#include "smsim_cuda/narrow/conversion.h"

#include "smsim_cuda/narrow/whole_numbers.h"

#include "smsim_cuda/narrow/arithmetic.h"

#include "smsim_cuda/narrow/pair_arithmetic.h"

#include "smsim_cuda/narrow/comparison.h"

#include "smsim_cuda/narrow/pair_comparison.h"

#include "smsim_cuda/narrow/operators.h"

#include "smsim_cuda/narrow/functions.h"

#include "smsim_cuda/narrow/memory.h"

#undef SMSIM_NARROW
#undef SMSIM_NARROW2
#undef SMSIM_NARROW_RAW
#undef SMSIM_NARROW2_RAW
#undef SMSIM_NARROW_BITS
#undef SMSIM_NARROW_NAME
#undef SMSIM_NARROW_NAMES
#undef SMSIM_NARROW_PTX
#undef SMSIM_NUMBER
#undef SMSIM_PAIR
