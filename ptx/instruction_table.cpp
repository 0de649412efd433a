#include "ptx/instruction_table.h"

#include <algorithm>
#include <array>

#include "model/text/nearest.h"

namespace smsim::ptx {

namespace {

struct Word {
    std::string_view name;
    std::string_view choices;
};
constexpr std::array kWords = {
    Word{"INT", "u16|u32|u64|s16|s32|s64"},
    Word{"HALF", "f16|f16x2"},
    Word{"BRAIN", "bf16|bf16x2"},
    Word{"INT3264", "u32|u64|s32|s64"},
    Word{"ALLINT", "u8|u16|u32|u64|s8|s16|s32|s64"},
    Word{"BITS", "b16|b32|b64"},
    Word{"ANY", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    Word{"MEM", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    Word{"RND", "rn|rz|rm|rp"},
    Word{"RNI", "rni|rzi|rmi|rpi"},
    Word{"BITCMP", "eq|ne"},
    Word{"SCMP", "eq|ne|lt|le|gt|ge"},
    Word{"UCMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    Word{"FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    Word{"SINT", "s16|s32|s64"},
    Word{"UINT", "u16|u32|u64"},
    Word{"BOOL", "and|or|xor"},
    Word{"SPACE", "const|global|local|shared|shared::cta|param"},
    Word{"LDSPACE", "const|global|local|param|param::entry|param::func|shared|shared::cta"},
    Word{"STSPACE", "global|local|param|param::func|shared|shared::cta"},
    Word{"ATSPACE", "global|shared|shared::cta"},
    Word{"LDCACHE", "ca|cg|cs|lu|cv"},
    Word{"STCACHE", "wb|cg|cs|wt"},
    Word{"EVICT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    Word{"FETCH", "L2::64B|L2::128B|L2::256B"},
    Word{"VEC", "v2|v4"},
    Word{"SCOPE", "cta|gpu|sys"},
    Word{"SEM", "relaxed|acquire|release|acq_rel"},
};

constexpr auto kForms = std::to_array<InstructionForm>({
    InstructionForm{"abs", 2, ":s16|s32|s64", "d a"},
    InstructionForm{"abs", 2, "ftz? :f32", "d a"},
    InstructionForm{"abs", 2, ":f64", "d a"},
    InstructionForm{"abs", 4, "ftz? :HALF", "d a"},
    InstructionForm{"abs", 4, ":BRAIN", "d a"},
    InstructionForm{"activemask", 3, ":b32", "d"},
    InstructionForm{"add", 2, ":INT", "d a a"},
    InstructionForm{"add", 2, "sat :s32", "d a a"},
    InstructionForm{"add", 2, ":u16x2|s16x2", "d a a"},
    InstructionForm{"add", 2, "RND? ftz? sat? :f32", "d a a"},
    InstructionForm{"add", 2, "RND? :f64", "d a a"},
    InstructionForm{"add", 4, "rn? ftz? sat? :HALF", "d a a"},
    InstructionForm{"add", 4, "rn? :BRAIN", "d a a"},
    InstructionForm{"add", 4, "cc :INT3264", "d a a"},
    InstructionForm{"addc", 4, "cc? :INT3264", "d a a"},
    InstructionForm{"alloca", 4, ":u32|u64", "d a i?"},
    InstructionForm{"and", 2, ":pred", "P p p"},
    InstructionForm{"and", 2, ":BITS", "d a a"},
    InstructionForm{"applypriority", 2, "global? L2::evict_normal", "m i"},
    InstructionForm{"atom", 3, "SEM? ATSPACE? SCOPE? ATSPACE? and|or|xor|exch SEM? SCOPE? ATSPACE? :b32|b64", "d m a"},
    InstructionForm{"atom", 3, "SEM? ATSPACE? SCOPE? ATSPACE? cas SEM? SCOPE? ATSPACE? :BITS", "d m a a"},
    InstructionForm{"atom", 3, "SEM? ATSPACE? SCOPE? ATSPACE? add SEM? SCOPE? ATSPACE? :u32|s32|u64|f32|f64", "d m a"},
    InstructionForm{"atom", 3, "SEM? ATSPACE? SCOPE? ATSPACE? inc|dec SEM? SCOPE? ATSPACE? :u32", "d m a"},
    InstructionForm{"atom", 3, "SEM? ATSPACE? SCOPE? ATSPACE? min|max SEM? SCOPE? ATSPACE? :u32|u64|s32|s64", "d m a"},
    InstructionForm{"bar", 3, "cta? sync", "u u?"},
    InstructionForm{"bar", 3, "cta? arrive", "u u"},
    InstructionForm{"bar", 3, "cta? red popc :u32", "d u p"},
    InstructionForm{"bar", 3, "cta? red popc :u32", "d u u p"},
    InstructionForm{"bar", 3, "cta? red and|or :pred", "P u p"},
    InstructionForm{"bar", 3, "cta? red and|or :pred", "P u u p"},
    InstructionForm{"bar", 3, "warp sync", "u"},
    InstructionForm{"barrier", 3, "cta? sync aligned?", "u u?"},
    InstructionForm{"barrier", 3, "cta? arrive aligned?", "u u"},
    InstructionForm{"barrier", 3, "cta? red popc aligned? :u32", "d u p"},
    InstructionForm{"barrier", 3, "cta? red popc aligned? :u32", "d u u p"},
    InstructionForm{"barrier", 3, "cta? red and|or aligned? :pred", "P u p"},
    InstructionForm{"barrier", 3, "cta? red and|or aligned? :pred", "P u u p"},
    InstructionForm{"barrier", 7, "cluster *", "*"},
    InstructionForm{"bfe", 2, ":INT3264", "d a u u"},
    InstructionForm{"bfi", 2, ":b32|b64", "d a a u u"},
    InstructionForm{"bfind", 2, "shiftamt? :INT3264", "e a"},
    InstructionForm{"bmsk", 2, "clamp|wrap :b32", "d u u"},
    InstructionForm{"bra", 3, "uni?", "l"},
    InstructionForm{"brev", 2, ":b32|b64", "d a"},
    InstructionForm{"brkpt", 3, "", ""},
    InstructionForm{"brx", 3, "idx uni?", "u t"},
    InstructionForm{"call", 3, "uni?", "*"},
    InstructionForm{"clusterlaunchcontrol", 7, "*", "*"},
    InstructionForm{"clz", 2, ":b32|b64", "e a"},
    InstructionForm{"cnot", 2, ":BITS", "d a"},
    InstructionForm{"copysign", 2, ":f32|f64", "d a a"},
    InstructionForm{"cos", 2, "approx ftz? :f32", "d a"},
    InstructionForm{"cp", 7, "async bulk *", "*"},
    InstructionForm{"cp", 7, "reduce *", "*"},
    InstructionForm{"cp", 5, "async *", "*"},
    InstructionForm{"createpolicy", 0, "*", "*"},
    InstructionForm{"cvt", 2, "sat? :ALLINT :ALLINT", "D B"},
    InstructionForm{"cvt", 2, "RND ftz? sat? :f32|f64 :ALLINT", "D B"},
    InstructionForm{"cvt", 2, "RNI ftz? sat? :ALLINT :f32|f64", "D B"},
    InstructionForm{"cvt", 2, "ftz? sat? :f64 :f32", "D B"},
    InstructionForm{"cvt", 2, "RND ftz? sat? :f32 :f64", "D B"},
    InstructionForm{"cvt", 2, "RNI? ftz? sat? :f32 :f32", "D B"},
    InstructionForm{"cvt", 2, "RNI? sat? :f64 :f64", "D B"},
    InstructionForm{"cvt", 4, "RND ftz? sat? :f16|bf16 :f32", "D B"},
    InstructionForm{"cvt", 4, "rn|rz relu satfinite? :f16|bf16 :f32", "D B"},
    InstructionForm{"cvt", 4, "rn|rz satfinite :f16|bf16 :f32", "D B"},
    InstructionForm{"cvt", 4, "rn|rz relu? satfinite? :f16x2|bf16x2 :f32", "d b b"},
    InstructionForm{"cvt", 4, "RND sat? :f16|bf16 :f64|ALLINT", "D B"},
    InstructionForm{"cvt", 4, "ftz? sat? :f32 :f16|bf16", "D B"},
    InstructionForm{"cvt", 4, "sat? :f64 :f16|bf16", "D B"},
    InstructionForm{"cvt", 4, "RNI ftz? sat? :ALLINT :f16|bf16", "D B"},
    InstructionForm{"cvt", 4, "RNI? ftz? sat? :f16 :f16", "D B"},
    InstructionForm{"cvt", 4, "RNI? :bf16 :bf16", "D B"},
    InstructionForm{"cvt", 4, "RND :bf16 :f16", "D B"},
    InstructionForm{"cvt", 4, "RND :f16 :bf16", "D B"},
    InstructionForm{"cvt", 4, "pack sat :u16|s16 :s32", "e b b"},
    InstructionForm{"cvt", 4, "pack sat :u8|s8 :s32 :b32", "e b b u"},
    InstructionForm{"cvt", 0, "pack *", "*"},
    InstructionForm{"cvta", 2, "SPACE :u32|u64", "d s"},
    InstructionForm{"cvta", 2, "to SPACE :u32|u64", "d s"},
    InstructionForm{"discard", 2, "global? L2", "m i"},
    InstructionForm{"div", 2, ":INT", "d a a"},
    InstructionForm{"div", 2, "approx|full|RND ftz? :f32", "d a a"},
    InstructionForm{"div", 2, "RND :f64", "d a a"},
    InstructionForm{"dp2a", 2, "lo|hi :u32|s32 :u32|s32", "e u u u"},
    InstructionForm{"dp4a", 2, ":u32|s32 :u32|s32", "e u u u"},
    InstructionForm{"elect", 0, "*", "*"},
    InstructionForm{"ex2", 2, "approx ftz? :f32", "d a"},
    InstructionForm{"ex2", 4, "approx :HALF", "d a"},
    InstructionForm{"ex2", 4, "approx ftz :BRAIN", "d a"},
    InstructionForm{"exit", 3, "", ""},
    InstructionForm{"fence", 3, "sc|acq_rel|acquire|release? SCOPE", ""},
    InstructionForm{"fence", 7, "proxy|mbarrier_init *", "*"},
    InstructionForm{"fma", 2, "RND ftz? sat? :f32", "d a a a"},
    InstructionForm{"fma", 2, "RND :f64", "d a a a"},
    InstructionForm{"fma", 4, "rn ftz? sat? :HALF", "d a a a"},
    InstructionForm{"fma", 4, "rn ftz? relu :HALF", "d a a a"},
    InstructionForm{"fma", 4, "rn relu? :BRAIN", "d a a a"},
    InstructionForm{"fns", 2, ":b32", "d u u u"},
    InstructionForm{"getctarank", 7, "*", "*"},
    InstructionForm{"griddepcontrol", 7, "*", "*"},
    InstructionForm{"isspacep", 2, "SPACE", "P k"},
    InstructionForm{"istypep", 0, "*", "*"},
    InstructionForm{"ld", 2, "weak? LDSPACE? LDCACHE? EVICT? FETCH? VEC? :MEM", "v m"},
    InstructionForm{"ld", 2, "volatile LDSPACE? FETCH? VEC? :MEM", "v m"},
    InstructionForm{"ld", 2, "relaxed|acquire SCOPE ATSPACE? EVICT? FETCH? VEC? :MEM", "v m"},
    InstructionForm{"ld", 2, "global LDCACHE? nc EVICT? FETCH? VEC? :MEM", "v m"},
    InstructionForm{"ldmatrix", 6, "*", "*"},
    InstructionForm{"ldu", 2, "global? VEC? :MEM", "v m"},
    InstructionForm{"lg2", 2, "approx ftz? :f32", "d a"},
    InstructionForm{"lop3", 2, ":b32", "d a a a i"},
    InstructionForm{"lop3", 2, "and|or :b32", "d/P a a a i p"},
    InstructionForm{"mad", 2, "hi|lo :INT", "d a a a"},
    InstructionForm{"mad", 2, "hi sat :s32", "d a a a"},
    InstructionForm{"mad", 2, "wide :u16|s16|u32|s32", "w a a c"},
    InstructionForm{"mad", 2, "RND ftz? sat? :f32", "d a a a"},
    InstructionForm{"mad", 2, "RND :f64", "d a a a"},
    InstructionForm{"mad", 4, "hi|lo cc :INT3264", "d a a a"},
    InstructionForm{"mad24", 2, "hi|lo :u32|s32", "d a a a"},
    InstructionForm{"mad24", 2, "hi sat :s32", "d a a a"},
    InstructionForm{"madc", 4, "hi|lo cc? :INT3264", "d a a a"},
    InstructionForm{"mapa", 7, "*", "*"},
    InstructionForm{"match", 3, "any sync :b32|b64", "e a u"},
    InstructionForm{"match", 3, "all sync :b32|b64", "e/P a u"},
    InstructionForm{"max", 2, ":INT|u16x2|s16x2", "d a a"},
    InstructionForm{"max", 2, "relu :s32|s16x2", "d a a"},
    InstructionForm{"max", 2, "ftz? NaN? xorsign? abs? :f32", "d a a"},
    InstructionForm{"max", 2, ":f64", "d a a"},
    InstructionForm{"max", 4, "ftz? NaN? xorsign? abs? :HALF", "d a a"},
    InstructionForm{"max", 4, "NaN? xorsign? abs? :BRAIN", "d a a"},
    InstructionForm{"mbarrier", 5, "*", "*"},
    InstructionForm{"membar", 3, "cta|gl|sys", ""},
    InstructionForm{"membar", 7, "proxy *", ""},
    InstructionForm{"min", 2, ":INT|u16x2|s16x2", "d a a"},
    InstructionForm{"min", 2, "relu :s32|s16x2", "d a a"},
    InstructionForm{"min", 2, "ftz? NaN? xorsign? abs? :f32", "d a a"},
    InstructionForm{"min", 2, ":f64", "d a a"},
    InstructionForm{"min", 4, "ftz? NaN? xorsign? abs? :HALF", "d a a"},
    InstructionForm{"min", 4, "NaN? xorsign? abs? :BRAIN", "d a a"},
    InstructionForm{"mma", 6, "*", "*"},
    InstructionForm{"mov", 2, ":pred", "P p"},
    InstructionForm{"mov", 2, ":ANY", "x y"},
    InstructionForm{"movmatrix", 6, "*", "*"},
    InstructionForm{"mul", 2, "hi|lo :INT", "d a a"},
    InstructionForm{"mul", 2, "wide :u16|s16|u32|s32", "w a a"},
    InstructionForm{"mul", 2, "RND? ftz? sat? :f32", "d a a"},
    InstructionForm{"mul", 2, "RND? :f64", "d a a"},
    InstructionForm{"mul", 4, "rn? ftz? sat? :HALF", "d a a"},
    InstructionForm{"mul", 4, "rn? :BRAIN", "d a a"},
    InstructionForm{"mul24", 2, "hi|lo :u32|s32", "d a a"},
    InstructionForm{"multimem", 7, "*", "*"},
    InstructionForm{"nanosleep", 3, ":u32", "u"},
    InstructionForm{"neg", 2, ":s16|s32|s64", "d a"},
    InstructionForm{"neg", 2, "ftz? :f32", "d a"},
    InstructionForm{"neg", 2, ":f64", "d a"},
    InstructionForm{"neg", 4, "ftz? :HALF", "d a"},
    InstructionForm{"neg", 4, ":BRAIN", "d a"},
    InstructionForm{"not", 2, ":pred", "P p"},
    InstructionForm{"not", 2, ":BITS", "d a"},
    InstructionForm{"or", 2, ":pred", "P p p"},
    InstructionForm{"or", 2, ":BITS", "d a a"},
    InstructionForm{"pmevent", 0, "*", "*"},
    InstructionForm{"popc", 2, ":b32|b64", "e a"},
    InstructionForm{"prefetch", 2, "global|local? L1|L2", "m"},
    InstructionForm{"prefetch", 2, "global? L2::evict_last|L2::evict_normal", "m"},
    InstructionForm{"prefetch", 7, "const|param? tensormap", "m"},
    InstructionForm{"prefetchu", 2, "L1", "m"},
    InstructionForm{"prmt", 2, ":b32", "d a a a"},
    InstructionForm{"prmt", 2, ":b32 f4e|b4e|rc8|ecl|ecr|rc16", "d a a a"},
    InstructionForm{"rcp", 2, "approx|RND ftz? :f32", "d a"},
    InstructionForm{"rcp", 2, "RND :f64", "d a"},
    InstructionForm{"rcp", 2, "approx ftz :f64", "d a"},
    InstructionForm{"red", 7, "async *", "*"},
    InstructionForm{"red", 3,
                    "relaxed|release? ATSPACE? SCOPE? ATSPACE? and|or|xor relaxed|release? SCOPE? ATSPACE? :b32|b64",
                    "m a"},
    InstructionForm{
        "red", 3, "relaxed|release? ATSPACE? SCOPE? ATSPACE? add relaxed|release? SCOPE? ATSPACE? :u32|s32|u64|f32|f64",
        "m a"},
    InstructionForm{"red", 3, "relaxed|release? ATSPACE? SCOPE? ATSPACE? inc|dec relaxed|release? SCOPE? ATSPACE? :u32",
                    "m a"},
    InstructionForm{
        "red", 3, "relaxed|release? ATSPACE? SCOPE? ATSPACE? min|max relaxed|release? SCOPE? ATSPACE? :u32|u64|s32|s64",
        "m a"},
    InstructionForm{"redux", 3, "sync add|min|max :u32|s32", "d a u"},
    InstructionForm{"redux", 3, "sync and|or|xor :b32", "d a u"},
    InstructionForm{"rem", 2, ":INT", "d a a"},
    InstructionForm{"ret", 3, "uni?", ""},
    InstructionForm{"rsqrt", 2, "approx ftz? :f32|f64", "d a"},
    InstructionForm{"sad", 2, ":INT", "d a a a"},
    InstructionForm{"selp", 2, ":ANY", "d a a p"},
    InstructionForm{"set", 2, "BITCMP :u32|s32|f32 :BITS", "d b b"},
    InstructionForm{"set", 2, "SCMP :u32|s32|f32 :SINT", "d b b"},
    InstructionForm{"set", 2, "UCMP :u32|s32|f32 :UINT", "d b b"},
    InstructionForm{"set", 2, "FCMP ftz? :u32|s32|f32 :f32|f64", "d b b"},
    InstructionForm{"set", 2, "BITCMP BOOL :u32|s32|f32 :BITS", "d b b p"},
    InstructionForm{"set", 2, "SCMP BOOL :u32|s32|f32 :SINT", "d b b p"},
    InstructionForm{"set", 2, "UCMP BOOL :u32|s32|f32 :UINT", "d b b p"},
    InstructionForm{"set", 2, "FCMP BOOL ftz? :u32|s32|f32 :f32|f64", "d b b p"},
    InstructionForm{"set", 4, "FCMP ftz? :f16|bf16|u16|s16|u32|s32 :f16|bf16", "d b b"},
    InstructionForm{"set", 4, "FCMP ftz? :f16x2|u32|s32 :f16x2", "d b b"},
    InstructionForm{"set", 4, "FCMP :bf16x2|u32|s32 :bf16x2", "d b b"},
    InstructionForm{"set", 4, "BITCMP :f16|bf16 :BITS", "d b b"},
    InstructionForm{"set", 4, "SCMP :f16|bf16 :SINT", "d b b"},
    InstructionForm{"set", 4, "UCMP :f16|bf16 :UINT", "d b b"},
    InstructionForm{"set", 4, "FCMP ftz? :f16|bf16 :f32|f64", "d b b"},
    InstructionForm{"set", 4, "FCMP BOOL ftz? :f16|bf16|u16|s16|u32|s32 :f16|bf16", "d b b p"},
    InstructionForm{"set", 4, "FCMP BOOL ftz? :f16x2|u32|s32 :f16x2", "d b b p"},
    InstructionForm{"set", 4, "FCMP BOOL :bf16x2|u32|s32 :bf16x2", "d b b p"},
    InstructionForm{"set", 4, "BITCMP BOOL :f16|bf16 :BITS", "d b b p"},
    InstructionForm{"set", 4, "SCMP BOOL :f16|bf16 :SINT", "d b b p"},
    InstructionForm{"set", 4, "UCMP BOOL :f16|bf16 :UINT", "d b b p"},
    InstructionForm{"set", 4, "FCMP BOOL ftz? :f16|bf16 :f32|f64", "d b b p"},
    InstructionForm{"setmaxnreg", 0, "*", "*"},
    InstructionForm{"setp", 2, "BITCMP :BITS", "P/P a a"},
    InstructionForm{"setp", 2, "SCMP :SINT", "P/P a a"},
    InstructionForm{"setp", 2, "UCMP :UINT", "P/P a a"},
    InstructionForm{"setp", 2, "FCMP ftz? :f32|f64", "P/P a a"},
    InstructionForm{"setp", 2, "BITCMP BOOL :BITS", "P/P a a p"},
    InstructionForm{"setp", 2, "SCMP BOOL :SINT", "P/P a a p"},
    InstructionForm{"setp", 2, "UCMP BOOL :UINT", "P/P a a p"},
    InstructionForm{"setp", 2, "FCMP BOOL ftz? :f32|f64", "P/P a a p"},
    InstructionForm{"setp", 4, "FCMP ftz? :HALF", "P/P a a"},
    InstructionForm{"setp", 4, "FCMP BOOL ftz? :HALF", "P/P a a p"},
    InstructionForm{"setp", 4, "FCMP :BRAIN", "P/P a a"},
    InstructionForm{"setp", 4, "FCMP BOOL :BRAIN", "P/P a a p"},
    InstructionForm{"shf", 2, "l|r clamp|wrap :b32", "d a a u"},
    InstructionForm{"shfl", 3, "sync up|down|bfly|idx :b32", "d/P a u u u"},
    InstructionForm{"shl", 2, ":BITS", "d a u"},
    InstructionForm{"shr", 2, ":BITS|INT", "d a u"},
    InstructionForm{"sin", 2, "approx ftz? :f32", "d a"},
    InstructionForm{"slct", 2, "ftz? :ANY :s32|f32", "d a a b"},
    InstructionForm{"sqrt", 2, "approx|RND ftz? :f32", "d a"},
    InstructionForm{"sqrt", 2, "RND :f64", "d a"},
    InstructionForm{"st", 7, "async *", "*"},
    InstructionForm{"st", 7, "bulk *", "*"},
    InstructionForm{"st", 2, "weak? STSPACE? STCACHE? EVICT? VEC? :MEM", "m V"},
    InstructionForm{"st", 2, "volatile STSPACE? VEC? :MEM", "m V"},
    InstructionForm{"st", 2, "relaxed|release SCOPE ATSPACE? EVICT? VEC? :MEM", "m V"},
    InstructionForm{"stackrestore", 4, ":u32|u64", "a"},
    InstructionForm{"stacksave", 4, ":u32|u64", "d"},
    InstructionForm{"stmatrix", 6, "*", "*"},
    InstructionForm{"sub", 2, ":INT", "d a a"},
    InstructionForm{"sub", 2, "sat :s32", "d a a"},
    InstructionForm{"sub", 2, "RND? ftz? sat? :f32", "d a a"},
    InstructionForm{"sub", 2, "RND? :f64", "d a a"},
    InstructionForm{"sub", 4, "rn? ftz? sat? :HALF", "d a a"},
    InstructionForm{"sub", 4, "rn? :BRAIN", "d a a"},
    InstructionForm{"sub", 4, "cc :INT3264", "d a a"},
    InstructionForm{"subc", 4, "cc? :INT3264", "d a a"},
    InstructionForm{"suld", 0, "*", "*"},
    InstructionForm{"suq", 0, "*", "*"},
    InstructionForm{"sured", 0, "*", "*"},
    InstructionForm{"sust", 0, "*", "*"},
    InstructionForm{"szext", 2, "clamp|wrap :u32|s32", "d a u"},
    InstructionForm{"tanh", 2, "approx :f32", "d a"},
    InstructionForm{"tanh", 4, "approx :HALF|BRAIN", "d a"},
    InstructionForm{"tcgen05", 0, "*", "*"},
    InstructionForm{"tensormap", 7, "*", "*"},
    InstructionForm{"testp", 2, "finite|infinite|number|notanumber|normal|subnormal :f32|f64", "P a"},
    InstructionForm{"tex", 0, "*", "*"},
    InstructionForm{"tld4", 0, "*", "*"},
    InstructionForm{"trap", 3, "", ""},
    InstructionForm{"txq", 0, "*", "*"},
    InstructionForm{"vabsdiff", 0, "*", "*"},
    InstructionForm{"vabsdiff2", 0, "*", "*"},
    InstructionForm{"vabsdiff4", 0, "*", "*"},
    InstructionForm{"vadd", 0, "*", "*"},
    InstructionForm{"vadd2", 0, "*", "*"},
    InstructionForm{"vadd4", 0, "*", "*"},
    InstructionForm{"vavrg2", 0, "*", "*"},
    InstructionForm{"vavrg4", 0, "*", "*"},
    InstructionForm{"vmad", 0, "*", "*"},
    InstructionForm{"vmax", 0, "*", "*"},
    InstructionForm{"vmax2", 0, "*", "*"},
    InstructionForm{"vmax4", 0, "*", "*"},
    InstructionForm{"vmin", 0, "*", "*"},
    InstructionForm{"vmin2", 0, "*", "*"},
    InstructionForm{"vmin4", 0, "*", "*"},
    InstructionForm{"vote", 3, "sync all|any|uni :pred", "P p u"},
    InstructionForm{"vote", 3, "sync ballot :b32", "e p u"},
    InstructionForm{"vset", 0, "*", "*"},
    InstructionForm{"vset2", 0, "*", "*"},
    InstructionForm{"vset4", 0, "*", "*"},
    InstructionForm{"vshl", 0, "*", "*"},
    InstructionForm{"vshr", 0, "*", "*"},
    InstructionForm{"vsub", 0, "*", "*"},
    InstructionForm{"vsub2", 0, "*", "*"},
    InstructionForm{"vsub4", 0, "*", "*"},
    InstructionForm{"wgmma", 0, "*", "*"},
    InstructionForm{"wmma", 6, "*", "*"},
    InstructionForm{"xor", 2, ":pred", "P p p"},
    InstructionForm{"xor", 2, ":BITS", "d a a"},
});

/// Cuts the text before the first `separator` off `rest` and returns it.
std::string_view cut(std::string_view &rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view head = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return head;
}

bool chosen(std::string_view choices, std::string_view modifier) {
    while (!choices.empty()) {
        const std::string_view choice = cut(choices, '|');
        const auto word = std::ranges::find(kWords, choice, &Word::name);
        if (word == kWords.end() ? choice == modifier : chosen(word->choices, modifier)) {
            return true;
        }
    }
    return false;
}

bool match_slots(std::string_view slots, std::span<const std::string> modifiers, std::vector<Type> &types) {
    if (slots.empty()) {
        return modifiers.empty();
    }
    std::string_view rest = slots;
    std::string_view slot = cut(rest, ' ');
    if (slot == "*") {
        return true;
    }
    const bool optional = slot.ends_with('?');
    slot.remove_suffix(optional ? 1 : 0);
    const bool typed = slot.starts_with(':');
    slot.remove_prefix(typed ? 1 : 0);
    if (!modifiers.empty() && chosen(slot, modifiers.front())) {
        const std::size_t known = types.size();
        if (typed) {
            types.push_back(*find_type(modifiers.front()));
        }
        if (match_slots(rest, modifiers.subspan(1), types)) {
            return true;
        }
        types.resize(known);
    }
    return optional && match_slots(rest, modifiers, types);
}

/// True for a slot whose word chooses the instruction: it and all before it keep their places (mul.lo.u32, bar.red).
bool keeps_its_place(std::string_view slot) {
    constexpr std::array<std::string_view, 10> kLeading = {"hi|lo", "lo|hi", "hi",   "wide", "cta?",
                                                           "red",   "pack",  "warp", "to",   "l|r"};
    return std::ranges::find(kLeading, slot) != kLeading.end();
}

/// Modifiers in other orders than that of the slots.
class AnyOrder {
  public:
    AnyOrder(const std::vector<std::string> &modifiers, std::vector<Type> &types)
        : modifiers_(modifiers), types_(types), used_(modifiers.size()) {}

    /// True when every modifier from `first` on has a slot of its own and no slot lacks one that must be there. The
    /// types come in their order: the next one stands at `next_type` or behind it.
    bool match(std::string_view slots, std::size_t first, std::size_t next_type) {
        if (slots.empty()) {
            return std::find(used_.begin() + static_cast<std::ptrdiff_t>(first), used_.end(), false) == used_.end();
        }
        std::string_view rest = slots;
        std::string_view slot = cut(rest, ' ');
        const bool optional = slot.ends_with('?');
        slot.remove_suffix(optional ? 1 : 0);
        const bool typed = slot.starts_with(':');
        slot.remove_prefix(typed ? 1 : 0);
        for (std::size_t at = typed ? std::max(first, next_type) : first; at < modifiers_.size(); ++at) {
            if (used_[at] || !chosen(slot, modifiers_[at])) {
                continue;
            }
            used_[at] = true;
            if (typed) {
                types_.push_back(*find_type(modifiers_[at]));
            }
            if (match(rest, first, typed ? at + 1 : next_type)) {
                return true;
            }
            if (typed) {
                types_.pop_back();
            }
            used_[at] = false;
        }
        return optional && match(rest, first, next_type);
    }

  private:
    const std::vector<std::string> &modifiers_;
    std::vector<Type> &types_;
    std::vector<bool> used_;
};

/// Matches what assemblers accept beside the order of the slots: those that choose the instruction first, all others
/// in any order.
bool match_any_order(std::string_view slots, const std::vector<std::string> &modifiers, std::vector<Type> &types) {
    std::string_view rest = slots;
    std::size_t first = 0;
    while (!rest.empty() && keeps_its_place(rest.substr(0, rest.find(' ')))) {
        std::string_view slot = cut(rest, ' ');
        const bool optional = slot.ends_with('?');
        slot.remove_suffix(optional ? 1 : 0);
        if (first < modifiers.size() && chosen(slot, modifiers[first])) {
            ++first;
        } else if (!optional) {
            return false;
        }
    }
    const auto slots_left = static_cast<std::size_t>(std::ranges::count(rest, ' ') + (rest.empty() ? 0 : 1));
    return modifiers.size() - first <= slots_left && AnyOrder(modifiers, types).match(rest, first, first);
}

} // namespace

std::span<const InstructionForm> instruction_forms() {
    return kForms;
}

std::span<const InstructionForm> forms_of(std::string_view opcode) {
    const auto *first = std::ranges::lower_bound(kForms, opcode, {}, &InstructionForm::opcode);
    const auto *last = std::ranges::upper_bound(kForms, opcode, {}, &InstructionForm::opcode);
    return {first, last};
}

bool match_modifiers(const InstructionForm &form, const std::vector<std::string> &modifiers, std::vector<Type> &types) {
    types.clear();
    if (match_slots(form.modifiers, modifiers, types)) {
        return true;
    }
    types.clear();
    return modifiers.size() > 1 && !form.modifiers.ends_with('*') && match_any_order(form.modifiers, modifiers, types);
}

std::string_view modifier_among(std::string_view choices, const std::vector<std::string> &modifiers) {
    const auto found = std::ranges::find_if(modifiers, [&](const std::string &one) { return chosen(choices, one); });
    return found == modifiers.end() ? std::string_view() : std::string_view(*found);
}

std::optional<unsigned> row_of_modifier(std::string_view modifier) {
    constexpr std::array<std::string_view, 3> kTensorFormats = {"tf32", "e4m3x2", "e5m2x2"};
    constexpr std::array<std::string_view, 3> kOfNoRow = {"f32x2", "noftz", "oob"};
    if (std::ranges::find(kTensorFormats, modifier) != kTensorFormats.end()) {
        return 6;
    }
    if (std::ranges::find(kOfNoRow, modifier) != kOfNoRow.end()) {
        return 0;
    }
    return modifier == "cluster" || modifier.ends_with("::cluster") ? std::optional<unsigned>(7) : std::nullopt;
}

std::string_view nearest_opcode(std::string_view opcode) {
    std::vector<std::string_view> names;
    names.reserve(std::size(kForms));
    for (const InstructionForm &form : kForms) {
        names.push_back(form.opcode);
    }
    return text::nearest(opcode, names);
}

std::string describe_forms(std::string_view opcode) {
    std::string text;
    for (const InstructionForm &form : forms_of(opcode)) {
        text += (text.empty() ? "'" : " or '") + std::string(opcode);
        for (std::string_view rest = form.modifiers; !rest.empty();) {
            std::string_view slot = cut(rest, ' ');
            slot.remove_prefix(slot.starts_with(':') ? 1 : 0);
            const bool optional = slot.ends_with('?');
            slot.remove_suffix(optional ? 1 : 0);
            text += optional ? "[." + std::string(slot) + "]" : "." + std::string(slot);
        }
        text += "'";
    }
    return text;
}

} // namespace smsim::ptx
