"""Random expressions of CUDA C that are defined for all values: every function returns text of the requested type.

There is no undefined behaviour: signed sums and products are computed as unsigned ones, shift counts are masked,
divisors are not 0, and a float becomes an integer only where it fits. Floating point is limited to operations that round exactly on the
host and on the device; the bits of a NaN are never examined.
"""
INTEGERS = {"signed char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16, "int": 32, "unsigned": 32, "long long": 64,
            "unsigned long long": 64}
FLOATS = {"float": 32, "double": 64}
TYPES = [*INTEGERS, *FLOATS]

# CUDA functions that have an equivalent on the host: argument types, result type.
FUNCTIONS = {
    "__popc": (["unsigned"], "int"), "__clz": (["int"], "int"), "__brev": (["unsigned"], "unsigned"), "__ffs": (["int"], "int"),
    "__popcll": (["unsigned long long"], "int"), "__clzll": (["long long"], "int"),
    "__brevll": (["unsigned long long"], "unsigned long long"), "__ffsll": (["long long"], "int"),
    "__byte_perm": (["unsigned"] * 3, "unsigned"), "__mulhi": (["int"] * 2, "int"), "__umulhi": (["unsigned"] * 2, "unsigned"),
    "__funnelshift_l": (["unsigned"] * 3, "unsigned"), "__funnelshift_r": (["unsigned"] * 3, "unsigned"),
    "min": (["unsigned"] * 2, "unsigned"), "max": (["int"] * 2, "int"),
}


def unsigned_of(kind):
    """The type that arithmetic on `kind` is done in."""
    return "unsigned long long" if INTEGERS[kind] == 64 else "unsigned"


class Expressions:
    """Expressions on the variables of `scope` (names by type) and on `loads` (text by type, with a place for an index)."""

    def __init__(self, random, scope, loads):
        self.random = random
        self.scope = scope
        self.loads = loads

    def variable(self, kind):
        return self.random.choice(self.scope[kind])

    def number(self, kind):
        random = self.random
        if kind in FLOATS:
            suffix = "f" if kind == "float" else ""
            return f"{random.choice([0.0, 1.0, -1.0, 0.5, 3.25, -17.125, 1e10, 1e-20, round(random.uniform(-99, 99), 3)])}{suffix}"
        bits = INTEGERS[kind]
        value = random.choice([0, 1, 2, 3, 5, 7, 31, 255, (1 << (bits - 1)) - 1, random.getrandbits(bits) >> random.randrange(bits)])
        return f"({kind}){value}{'ull' if bits == 64 else 'u'}"

    def leaf(self, kind):
        random = self.random
        at = random.random()
        if at < 0.55:
            return self.variable(kind)
        if at < 0.7:
            return self.number(kind)
        if at < 0.85 and self.loads.get(kind):
            return random.choice(self.loads[kind]).format(self.index())
        return self.converted(kind)

    def converted(self, kind):
        """Converts a variable of another type."""
        other = self.random.choice(TYPES)
        name = self.variable(other)
        if other in FLOATS and kind in INTEGERS:
            low, high = ("-2e9f", "2e9f") if INTEGERS[kind] >= 32 else ("-100.f", "100.f")
            if kind.startswith("unsigned"):
                low = "-0.5f"
            return f"({name} > {low} && {name} < {high} ? ({kind}){name} : {self.number(kind)})"
        return f"({kind}){name}"

    def index(self):
        """An unsigned number of any size, made with few operations."""
        a, b = self.variable("unsigned"), self.variable("int")
        return self.random.choice([a, f"(unsigned){b}", f"{a} + {self.random.randrange(9)}u", f"{a} * 3u", f"({a} ^ (unsigned){b})"])

    def make(self, kind, depth=2):
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(kind)
        return self.floating(kind, depth - 1) if kind in FLOATS else self.integer(kind, depth - 1)

    def integer(self, kind, depth):
        random = self.random
        wide = unsigned_of(kind)
        choice = random.randrange(12)
        if choice < 4:
            operator = random.choice(["+", "-", "*", "&", "|", "^"])
            return f"({kind})(({wide}){self.make(kind, depth)} {operator} ({wide}){self.make(kind, depth)})"
        if choice == 4:
            count = f"({self.variable('unsigned')} & {63 if wide != 'unsigned' else 31}u)"
            if random.random() < 0.5:
                return f"({kind})(({wide}){self.make(kind, depth)} << {count})"
            return f"({kind})({self.make(kind, depth)} >> ({count} & {INTEGERS[kind] - 1}u))"
        if choice == 5:
            name = self.variable(kind)
            fits = f"{name} != 0" + ("" if kind.startswith("unsigned") else f" && {name} != ({kind})-1")
            return f"({fits} ? ({kind})({self.make(kind, depth)} {random.choice('/%')} {name}) : {self.leaf(kind)})"
        if choice == 6:
            return f"({kind})~{self.make(kind, depth)}"
        if choice == 7:
            return f"({kind})({self.condition(depth)})"
        if choice == 8:
            return f"({self.condition(depth)} ? {self.make(kind, depth)} : {self.make(kind, depth)})"
        if choice < 11:
            name = random.choice(list(FUNCTIONS))
            arguments, result = FUNCTIONS[name]
            text = f"{name}({', '.join(self.make(argument, 0) for argument in arguments)})"
            return text if result == kind else f"({kind}){text}"
        other = random.choice(list(INTEGERS))
        return f"({kind}){self.make(other, depth)}"

    def floating(self, kind, depth):
        random = self.random
        choice = random.randrange(10)
        single = kind == "float"
        if choice < 5:
            return f"({self.make(kind, depth)} {random.choice('+-*/')} {self.make(kind, depth)})"
        if choice == 5:
            return f"{'fmaf' if single else 'fma'}({', '.join(self.make(kind, depth) for _ in range(3))})"
        if choice == 6:
            return f"{'sqrtf' if single else 'sqrt'}({'fabsf' if single else 'fabs'}({self.make(kind, depth)}))"
        if choice == 7:
            return f"({self.condition(depth)} ? {self.make(kind, depth)} : {self.make(kind, depth)})"
        if choice == 8:
            return f"(-({self.leaf(kind)}))" if random.random() < 0.5 else f"({kind}){self.make(random.choice(TYPES), depth)}"
        return f"({kind}){self.make(random.choice(list(INTEGERS)), depth)}"

    def condition(self, depth=1):
        random = self.random
        choice = random.randrange(8)
        if choice == 0 and depth > 0:
            return f"({self.condition(depth - 1)} {random.choice(['&&', '||'])} {self.condition(depth - 1)})"
        if choice == 1:
            return f"!{self.condition(0)}"
        if choice == 2:
            return f"(({self.variable('unsigned')} >> ({self.variable('int')} & 31)) & 1u)"
        kind = random.choice(TYPES)
        operator = random.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({self.variable(kind)} {operator} {self.leaf(kind)})"
