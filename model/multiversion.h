// Loops over the lanes of a warp are compiled twice, for machines with AVX2 and FMA and for all others, and long ones a
// third time, for AVX-512; the loader selects. Floating-point contraction is off, so all give the same bits. Sanitizers
// run before such a choice can be made, and other compilers do not offer it in this form.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define SMSIM_HAS_VERSIONS
#define SMSIM_MULTIVERSION __attribute__((target_clones("arch=x86-64-v3", "default")))
#define SMSIM_MULTIVERSION_LONG __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SMSIM_MULTIVERSION
#define SMSIM_MULTIVERSION_LONG
#endif
