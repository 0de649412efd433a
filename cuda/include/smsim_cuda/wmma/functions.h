// Makes load_matrix_sync, store_matrix_sync and mma_sync for one shape and type. Registers go through arrays of the
// name that the assembly uses for them.
#pragma once

#include "smsim_cuda/wmma/fragment.h"

#include "smsim_cuda/wmma/registers.h"

// Loads a fragment of A or B: `count` registers of `type`, with the letter of constraint `letter`.
#define SMSIM_LOAD_SOURCE(use, m, n, k, t, layout, pointer, text, count, type, letter)                                 \
    SMSIM_FUNCTION void load_matrix_sync(fragment<use, m, n, k, t, layout> &f, const pointer *p, unsigned stride) {    \
        type r[count];                                                                                                 \
        asm volatile("wmma.load." text " " SMSIM_TEXT_##count("r") ", [%[p]], %[stride];"                              \
                     : SMSIM_OUT_##count(r, letter)                                                                    \
                     : [p] "l"(p), [stride] "r"(stride)                                                                \
                     : "memory");                                                                                      \
        __builtin_memcpy(f.x, r, sizeof r);                                                                            \
    }

// The same of A and of B in both layouts; `a` and `b` are their numbers of registers.
#define SMSIM_LOAD_SOURCES(m, n, k, t, pointer, shape, name, a, b, type, letter)                                       \
    SMSIM_LOAD_SOURCE(matrix_a, m, n, k, t, row_major, pointer, "a.sync.aligned.row." shape "." name, a, type, letter) \
    SMSIM_LOAD_SOURCE(matrix_a, m, n, k, t, col_major, pointer, "a.sync.aligned.col." shape "." name, a, type, letter) \
    SMSIM_LOAD_SOURCE(matrix_b, m, n, k, t, row_major, pointer, "b.sync.aligned.row." shape "." name, b, type, letter) \
    SMSIM_LOAD_SOURCE(matrix_b, m, n, k, t, col_major, pointer, "b.sync.aligned.col." shape "." name, b, type, letter)

// Loads a fragment of C, and stores one of D.
#define SMSIM_LOAD_RESULT(text, count, letter)                                                                         \
    asm volatile("wmma.load.c.sync.aligned." text " " SMSIM_TEXT_##count("r") ", [%[p]], %[stride];"                   \
                 : SMSIM_OUT_##count(r, letter)                                                                        \
                 : [p] "l"(p), [stride] "r"(stride)                                                                    \
                 : "memory")
#define SMSIM_STORE_RESULT(text, count, letter)                                                                        \
    asm volatile("wmma.store.d.sync.aligned." text                                                                     \
                 " [%[p]], " SMSIM_TEXT_##count("r") ", %[stride];" ::SMSIM_IN_##count(r, letter),                     \
                 [p] "l"(p), [stride] "r"(stride)                                                                      \
                 : "memory")
#define SMSIM_RESULTS(m, n, k, t, shape, name, count, type, letter)                                                    \
    SMSIM_FUNCTION void load_matrix_sync(fragment<accumulator, m, n, k, t> &f, const t *p, unsigned stride,            \
                                         layout_t layout) {                                                            \
        type r[count];                                                                                                 \
        if (layout == mem_row_major) {                                                                                 \
            SMSIM_LOAD_RESULT("row." shape "." name, count, letter);                                                   \
        } else {                                                                                                       \
            SMSIM_LOAD_RESULT("col." shape "." name, count, letter);                                                   \
        }                                                                                                              \
        __builtin_memcpy(f.x, r, sizeof r);                                                                            \
    }                                                                                                                  \
    SMSIM_FUNCTION void store_matrix_sync(t *p, const fragment<accumulator, m, n, k, t> &f, unsigned stride,           \
                                          layout_t layout) {                                                           \
        type r[count];                                                                                                 \
        __builtin_memcpy(r, f.x, sizeof r);                                                                            \
        if (layout == mem_row_major) {                                                                                 \
            SMSIM_STORE_RESULT("row." shape "." name, count, letter);                                                  \
        } else {                                                                                                       \
            SMSIM_STORE_RESULT("col." shape "." name, count, letter);                                                  \
        }                                                                                                              \
    }

// D = A * B + C in registers. Each matrix has its number of registers and their letter.
#define SMSIM_PRODUCT(text, nd, ld, na, nb, ls, nc, lc)                                                                \
    asm volatile("wmma.mma." text " " SMSIM_TEXT_##nd("d") ", " SMSIM_TEXT_##na("a") ", " SMSIM_TEXT_##nb(             \
                     "b") ", " SMSIM_TEXT_##nc("c") ";"                                                                \
                 : SMSIM_OUT_##nd(d, ld)                                                                               \
                 : SMSIM_IN_##na(a, ls), SMSIM_IN_##nb(b, ls), SMSIM_IN_##nc(c, lc))

// Copies the sources into the arrays a, b and c, of types `ts` and `tc`, and declares d of `td`.
#define SMSIM_SOURCES(nd, td, na, nb, ts, nc, tc)                                                                      \
    td d[nd];                                                                                                          \
    ts a[na];                                                                                                          \
    ts b[nb];                                                                                                          \
    tc c[nc];                                                                                                          \
    __builtin_memcpy(a, fa.x, sizeof a);                                                                               \
    __builtin_memcpy(b, fb.x, sizeof b);                                                                               \
    __builtin_memcpy(c, fc.x, sizeof c)

// The fragments that mma_sync takes.
#define SMSIM_FRAGMENTS(m, n, k, t, la, lb, td, tc)                                                                    \
    fragment<accumulator, m, n, k, td> &fd, const fragment<matrix_a, m, n, k, t, la> &fa,                              \
        const fragment<matrix_b, m, n, k, t, lb> &fb, const fragment<accumulator, m, n, k, tc> &fc

// mma_sync without saturation, for one pair of layouts, whose words in PTX are `layouts`, and for all four.
#define SMSIM_MMA(m, n, k, t, la, lb, td, tc, text, nd, ld, na, nb, ts, ls, nc, lc)                                    \
    SMSIM_FUNCTION void mma_sync(SMSIM_FRAGMENTS(m, n, k, t, la, lb, td, tc)) {                                        \
        SMSIM_SOURCES(nd, td, na, nb, ts, nc, tc);                                                                     \
        SMSIM_PRODUCT(text, nd, ld, na, nb, ls, nc, lc);                                                               \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                           \
    }
#define SMSIM_MMA_LAYOUTS(m, n, k, t, td, tc, shape, types, nd, ld, na, nb, ts, ls, nc, lc)                            \
    SMSIM_MMA(m, n, k, t, row_major, row_major, td, tc, "sync.aligned.row.row." shape "." types, nd, ld, na, nb, ts,   \
              ls, nc, lc)                                                                                              \
    SMSIM_MMA(m, n, k, t, row_major, col_major, td, tc, "sync.aligned.row.col." shape "." types, nd, ld, na, nb, ts,   \
              ls, nc, lc)                                                                                              \
    SMSIM_MMA(m, n, k, t, col_major, row_major, td, tc, "sync.aligned.col.row." shape "." types, nd, ld, na, nb, ts,   \
              ls, nc, lc)                                                                                              \
    SMSIM_MMA(m, n, k, t, col_major, col_major, td, tc, "sync.aligned.col.col." shape "." types, nd, ld, na, nb, ts,   \
              ls, nc, lc)

// mma_sync with the option to saturate.
#define SMSIM_MMA_SATURATING(m, n, k, t, la, lb, td, tc, rd, rc, text, nd, ld, na, nb, nc, lc)                         \
    SMSIM_FUNCTION void mma_sync(SMSIM_FRAGMENTS(m, n, k, t, la, lb, td, tc), bool saturate = false) {                 \
        SMSIM_SOURCES(nd, rd, na, nb, unsigned, nc, rc);                                                               \
        if (saturate) {                                                                                                \
            SMSIM_PRODUCT(text ".satfinite", nd, ld, na, nb, "r", nc, lc);                                             \
        } else {                                                                                                       \
            SMSIM_PRODUCT(text, nd, ld, na, nb, "r", nc, lc);                                                          \
        }                                                                                                              \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                           \
    }
#define SMSIM_MMA_SATURATING_LAYOUTS(m, n, k, t, td, tc, rd, rc, shape, types, nd, ld, na, nb, nc, lc)                 \
    SMSIM_MMA_SATURATING(m, n, k, t, row_major, row_major, td, tc, rd, rc, "sync.aligned.row.row." shape "." types,    \
                         nd, ld, na, nb, nc, lc)                                                                       \
    SMSIM_MMA_SATURATING(m, n, k, t, row_major, col_major, td, tc, rd, rc, "sync.aligned.row.col." shape "." types,    \
                         nd, ld, na, nb, nc, lc)                                                                       \
    SMSIM_MMA_SATURATING(m, n, k, t, col_major, row_major, td, tc, rd, rc, "sync.aligned.col.row." shape "." types,    \
                         nd, ld, na, nb, nc, lc)                                                                       \
    SMSIM_MMA_SATURATING(m, n, k, t, col_major, col_major, td, tc, rd, rc, "sync.aligned.col.col." shape "." types,    \
                         nd, ld, na, nb, nc, lc)
