// One step of a chain of arithmetic, for the chains of one warp (one_cta.cu) and of a full SM (whole_sm.cu). `number`
// counts the steps.
//
// Operations that C cannot express, or that a compiler would fold when repeated, are inline PTX.
#pragma once

template <typename T> struct Fadd {
    static __device__ T step(T x, T a, T, int) { return x + a; }
};
template <typename T> struct Dadd : Fadd<T> {};
template <typename T> struct Ffma {
    static __device__ T step(T x, T a, T b, int) { return fmaf(x, a, b); }
};
template <typename T> struct Dfma {
    static __device__ T step(T x, T a, T b, int) { return fma(x, a, b); }
};
template <typename T> struct Imad {
    static __device__ T step(T x, T a, T b, int) { return x * a + b; }
};
/// Two functions alternate: the compiler would merge two with the same operands.
template <typename T> struct Lop3 {
    static __device__ T step(T x, T a, T b, int number) {
        return number % 2 == 0 ? (x & a) | (x & 0x5bd1e995u) | (a & 0x5bd1e995u) : (x & b) ^ 0x27d4eb2fu;
    }
};
template <typename T> struct Shfl {
    static __device__ T step(T x, T, T, int) { return __shfl_xor_sync(0xffffffffu, x, 1); }
};
template <typename T> struct Cvt {
    static __device__ T step(T x, T, T, int) {
        asm volatile("{\n\t.reg .b32 whole;\n\tcvt.rzi.s32.f32 whole, %0;\n\tcvt.rn.f32.s32 %0, whole;\n\t}" : "+f"(x));
        return x;
    }
};
template <typename T> struct Prmt {
    static __device__ T step(T x, T a, T, int) { return __byte_perm(x, a, 0x2103); }
};
template <typename T> struct Mufu {
    static __device__ T step(T x, T, T, int) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
        return x;
    }
};
template <typename T> struct FmulMufu {
    static __device__ T step(T x, T a, T, int) {
        x *= a;
        asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
        return x;
    }
};
template <typename T> struct Brev {
    static __device__ T step(T x, T, T, int) {
        asm volatile("brev.b32 %0, %0;" : "+r"(x));
        return x;
    }
};
template <typename T> struct Redux {
    static __device__ T step(T x, T, T, int) {
        asm volatile("redux.sync.add.u32 %0, %0, -1;" : "+r"(x));
        return x;
    }
};
template <typename T> struct Hfma2 {
    static __device__ T step(T x, T a, T b, int) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
        return x;
    }
};
