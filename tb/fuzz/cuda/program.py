"""A random kernel: its functions, variables and statements from a seed, and their text."""
import dataclasses
import random as randoms

from .expressions import FLOATS, TYPES, Expressions
from .statements import Context, Statement, Statements, count

OUT = 24           # 64-bit words of results of a thread
OWN = 8            # the first of them are also written and read during the run
BYTES = 16         # own bytes of a thread
INPUTS = 256       # elements of each input
WORDS = 8          # shared words that atomics change
NEUTRAL = [0, 0, 0, 0xffffffff, 0, 0xffffffff, 0, 0]

# Places by type, each with a gap for an index. `cells` and `record` are local, `own` and `mine` belong to the thread.
LOCAL = {"unsigned": ["cells[({}) & 7u]"], "unsigned char": ["record.letters[({}) % 5u]"], "short": ["record.b"],
         "double": ["record.c"], "int": ["record.a"]}
OWN_PLACES = {"unsigned char": ["mine[({}) & 15u]"], "unsigned long long": ["own[({}) & 7u]"]}
READ_ONLY = {"unsigned": ["words[({}) & 255u]", "table[({}) & 15u]"], "float": ["reals[({}) & 255u]"],
             "unsigned char": ["letters[({}) & 255u]"], "int": ["pairs[({}) & 127u].y"]}


def joined(*maps):
    return {kind: [text for one in maps for text in one.get(kind, [])] for kind in TYPES}


def variables(prefix, each):
    return {kind: [f"{prefix}{i}{j}" for j in range(each)] for i, kind in enumerate(TYPES)}


@dataclasses.dataclass
class Function:
    """A device function: types of its arguments and result, and whether it takes a pointer to the caller's record."""
    name: str
    heading: str
    kinds: list
    result: str
    by_pointer: bool
    scope: dict
    statements: list

    def text(self):
        lines = [self.heading + " {", *declarations(self.scope, {kind: f"a{i}" for i, kind in enumerate(self.kinds)})]
        for statement in self.statements:
            lines += statement.lines(1)
        return "\n".join([*lines, "  goto end;", "end:", f"  return {self.scope[self.result][0]};", "}"]) + "\n"


def declarations(scope, first):
    """Variables with their initial values: by type from `first`, or from "others"; further variables of a type use the same values."""
    lines = []
    for number, (kind, names) in enumerate(scope.items()):
        for i, name in enumerate(names):
            value = first.get(kind if i == 0 else "others", first.get("others", "({kind}){number}")).format(kind=kind, number=number + 3)
            lines.append(f"  {kind} {name} = {value};")
    return [*lines, "  unsigned cells[8] = {1u, 2u, 3u, 5u, 8u, 13u, 21u, 34u};", "  Record record = {7, -3, 0.25, {1, 2, 3, 4, 5}};"]


@dataclasses.dataclass
class Program:
    """`number` distinguishes the kernels of one source."""
    seed: int
    number: int
    threads: int
    ctas: int
    functions: list
    scope: dict
    together: list
    apart: list

    @property
    def name(self):
        return f"k{self.number}"

    def statements(self):
        """All lists of statements, for removing some of them."""
        return [self.together, self.apart, *(function.statements for function in self.functions)]

    def size(self):
        return sum(map(count, self.statements()))

    def text(self):
        first = {"unsigned": "words[gid & 255u]", "int": "(int)threadIdx.x", "float": "reals[gid & 255u]",
                 "unsigned char": "letters[gid & 255u]", "unsigned long long": "(unsigned long long)gid * 0x9e3779b97f4a7c15ull",
                 "long long": "(long long)words[(gid + 1u) & 255u] - 77", "others": "({kind})words[(gid + {number}u) & 255u]"}
        lines = [function.text() for function in self.functions]
        lines += [f'extern "C" __global__ void {self.name}(const unsigned *__restrict__ words, const float *__restrict__ reals,',
                  "    const unsigned char *letters, const int2 *pairs, unsigned *shared_words, unsigned long long *results,",
                  "    unsigned char *bytes) {", f"  __shared__ unsigned long long tile[{self.threads}];",
                  f"  __shared__ unsigned tile_words[{WORDS}];", "  const unsigned gid = blockIdx.x * blockDim.x + threadIdx.x;",
                  f"  unsigned long long *own = results + {OUT} * gid;", f"  unsigned char *mine = bytes + {BYTES} * gid;",
                  f"  if (threadIdx.x < {WORDS}) tile_words[threadIdx.x] = table[16 + threadIdx.x];", "  __syncthreads();",
                  *declarations(self.scope, first)]
        for statement in [*self.together, *self.apart]:
            lines += statement.lines(1)
        lines += ["  goto end;", "end:", "  __syncthreads();"]
        for number, (kind, names) in enumerate(self.scope.items()):
            form = "bits_of({})" if kind in FLOATS else "(unsigned long long){}"
            lines.append(f"  own[{OWN + number}] = " + " * 31u + ".join(form.format(name) for name in names) + ";")
        lines.append("  own[18] = cells[0] + 3u * cells[3] + 7u * cells[7];")
        lines.append("  own[19] = (unsigned long long)record.a ^ ((unsigned long long)record.letters[2] << 40);")
        lines.append("  own[20] = bits_of(record.c) + (unsigned short)record.b;")
        lines.append(f"  own[21] = threadIdx.x < {WORDS} ? tile_words[threadIdx.x] : 0u;")
        return "\n".join([*lines, "}"]) + "\n"


def grow(seed, number=0):
    random = randoms.Random(seed)
    functions = []
    for index in range(random.choice([0, 1, 1, 2, 3])):
        functions.append(grow_function(random, f"f{number}_{index}", functions))
    scope = variables("v", 2)
    expressions = Expressions(random, scope, joined(LOCAL, OWN_PLACES, READ_ONLY))
    statements = Statements(random, expressions, joined(LOCAL, OWN_PLACES), [call_of(function, "2") for function in functions],
                            kernel=True)
    together = statements.grow(random.randint(4, 24), Context(together=True))
    apart = statements.grow(random.randint(4, 24), Context(may_return=True))
    return Program(seed, number, random.choice([32, 64, 96, 128]), random.choice([1, 1, 2, 3]), functions, scope, together, apart)


def call_of(function, depth):
    """Text of a call, made of the caller's expressions."""
    def make(expressions):
        arguments = [expressions.make(kind, 1) for kind in function.kinds]
        arguments += [("&" if function.by_pointer else "") + "record", depth]
        return f"{expressions.variable(function.result)} = {function.name}({', '.join(arguments)});"
    return make


def grow_function(random, name, others):
    kinds = [random.choice(TYPES) for _ in range(random.randint(1, 3))]
    result = random.choice(TYPES)
    by_pointer = random.random() < 0.5
    parameters = [f"{kind} a{i}" for i, kind in enumerate(kinds)] + ["Record *outer" if by_pointer else "Record outer", "int depth"]
    inline = random.choice(["__noinline__ ", "__noinline__ ", ""])
    function = Function(name, f"static __device__ {inline}{result} {name}({', '.join(parameters)})", kinds, result, by_pointer,
                        variables("w", 1), [])
    outer = "outer->" if by_pointer else "outer."
    expressions = Expressions(random, function.scope, joined(LOCAL, {"int": [outer + "a"], "short": [outer + "b"]}))
    places = joined(LOCAL, {"short": [outer + "b"]})
    statements = Statements(random, expressions, places, [call_of(other, "depth") for other in others], kernel=False)
    function.statements = statements.grow(random.randint(2, 7), Context(may_return=True))
    if random.random() < 0.4: # once per call, outside of loops
        function.statements.append(Statement([f"if (depth > 0) {{\n{call_of(function, 'depth - 1')(expressions)}\n}}"]))
    return function


PROLOGUE = """#ifdef CUDA_FUZZ_HOST
#include "host.h"
#else
#include "mma.h"
#include "smsim_cuda.h"

// A row-major and a column-major matrix of 16x16 small whole numbers, the bytes of the lanes' `a` and `b`, multiplied and
// added to a matrix of multiples of the low bits of `c`; the eight elements that a lane then has, as one number. All sums
// are exact. On the host: host.h.
static __device__ unsigned warp_product(unsigned long long a, unsigned long long b, unsigned c) {
  using namespace nvcuda;
  __shared__ __align__(32) __half rows[8 * 128], columns[8 * 128];
  __shared__ __align__(32) float sums[8 * 128];
  const unsigned first = threadIdx.x / 32u * 32u;
  for (unsigned i = 0; i < 8u; ++i) {
    rows[8u * threadIdx.x + i] = __float2half((float)(signed char)(a >> (8u * i)));
    columns[8u * threadIdx.x + i] = __float2half((float)(signed char)(b >> (8u * i)));
    sums[8u * threadIdx.x + i] = (float)((c & 4095u) * (i + 1u));
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> of_c;
  wmma::load_matrix_sync(of_a, rows + 8u * first, 16);
  wmma::load_matrix_sync(of_b, columns + 8u * first, 16);
  wmma::load_matrix_sync(of_c, sums + 8u * first, 16, wmma::mem_row_major);
  wmma::mma_sync(of_c, of_a, of_b, of_c);
  wmma::store_matrix_sync(sums + 8u * first, of_c, 16, wmma::mem_row_major);
  __syncwarp();
  unsigned result = 0;
  for (unsigned i = 0; i < 8u; ++i) result = 31u * result + (unsigned)(int)sums[8u * threadIdx.x + i];
  __syncwarp();
  return result;
}
#endif

struct Record {
  int a;
  short b;
  double c;
  unsigned char letters[5];
};

"""


def table_text(random):
    words = [random.getrandbits(32) for _ in range(16)] + NEUTRAL
    return f"__constant__ unsigned table[{len(words)}] = {{{', '.join(f'{word}u' for word in words)}}};\n"


BITS = """
static __device__ unsigned long long bits_of(float x) { return x != x ? 0x7fc00000ull : (unsigned long long)__float_as_uint(x); }
static __device__ unsigned long long bits_of(double x) {
  return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
}

"""


def source(programs):
    """The text of a file with several kernels."""
    random = randoms.Random(programs[0].seed)
    return PROLOGUE + table_text(random) + BITS + "\n".join(program.text() for program in programs)
