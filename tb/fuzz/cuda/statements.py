"""Random statements as a tree: the program stays defined when a statement or any of its parts is removed."""
import dataclasses

from .expressions import INTEGERS, TYPES


@dataclasses.dataclass
class Statement:
    """Text before, between and after its bodies (lists of statements)."""
    texts: list
    bodies: list = dataclasses.field(default_factory=list)

    def lines(self, indent):
        space = "  " * indent
        for text, body in zip(self.texts, [*self.bodies, []]):
            yield from (space + line for line in text.split("\n") if line)
            for statement in body:
                yield from statement.lines(indent + 1)


def count(statements):
    return sum(1 + sum(count(body) for body in statement.bodies) for statement in statements)


@dataclasses.dataclass
class Context:
    """What is allowed at a place in the program."""
    loops: int = 0           # enclosing loops
    together: bool = False   # all threads of the CTA reach this place
    may_return: bool = False
    depth: int = 0


class Statements:
    """Grows statements on the variables of an `Expressions`. `calls` makes the text of a call, `places` are lvalues by type."""

    def __init__(self, random, expressions, places, calls, kernel):
        self.random = random
        self.expressions = expressions
        self.places = places
        self.calls = calls
        self.kernel = kernel
        self.counters = 0
        self.left = 0

    def grow(self, budget, context):
        self.left = budget
        return self.sequence(context, budget)

    def sequence(self, context, most):
        statements = []
        for _ in range(self.random.randint(1, most)):
            if self.left <= 0:
                break
            self.left -= 1
            statements.append(self.one(context))
        return statements

    def inner(self, context, **changes):
        return self.sequence(dataclasses.replace(context, depth=context.depth + 1, **changes), 4)

    def one(self, context):
        random = self.random
        if context.together and self.kernel and random.random() < 0.4:
            return self.of_the_team(context)
        if context.depth < 4:
            choice = random.random()
            if choice < 0.2:
                return self.branch(context)
            if choice < 0.36:
                return self.loop(context)
            if choice < 0.42:
                return self.switch(context)
        if context.loops and random.random() < 0.12:
            return Statement([f"if ({self.expressions.condition()}) {random.choice(['break', 'continue'])};"])
        if context.may_return and random.random() < 0.04:
            return Statement([f"if ({self.expressions.condition()}) goto end;"])
        return self.plain()

    def plain(self):
        random, expressions = self.random, self.expressions
        choice = random.random()
        if choice < 0.15 and self.calls:
            return Statement([random.choice(self.calls)(expressions)])
        if choice < 0.4:
            kind = random.choice([kind for kind in TYPES if self.places.get(kind)])
            return Statement([f"{random.choice(self.places[kind]).format(expressions.index())} = {expressions.make(kind)};"])
        if choice < 0.48 and self.kernel:
            return Statement([self.atomic()])
        kind = random.choice(TYPES)
        if kind in INTEGERS and random.random() < 0.2:
            return Statement([f"{expressions.variable(kind)} ^= {expressions.make(kind, 1)};"])
        return Statement([f"{expressions.variable(kind)} = {expressions.make(kind, 3)};"])

    def atomic(self):
        """An atomic on a word shared by all threads; each word has one operation, so the order does not matter."""
        number, name = self.random.choice(list(enumerate(["Add", "Add", "Or", "And", "Xor", "Min", "Max"])))
        value = self.expressions.make("unsigned", 1)
        if self.random.random() < 0.3:
            return f"atomic{name}(&tile_words[{number}], {value});"
        return f"atomic{name}(&shared_words[{number}], {value});"

    def of_the_team(self, context):
        """Exchanges values where all threads of the CTA are present: through shared memory, or from lane to lane."""
        random, expressions = self.random, self.expressions
        kind = random.choice(["int", "unsigned", "float", "unsigned long long"])
        target, value = expressions.variable(kind), expressions.make(kind, 1)
        choice = random.randrange(7)
        if choice < 2 or context.depth > 1:
            kind = random.choice(["unsigned", "unsigned long long"])
            target, value = expressions.variable(kind), expressions.make(kind, 1)
            return Statement([f"tile[threadIdx.x] = {value};\n__syncthreads();\n"
                              f"{target} = ({kind})tile[({expressions.index()}) % blockDim.x];\n__syncthreads();"])
        if choice == 2:
            name, last = random.choice([("_xor", f"{random.randrange(32)}"), ("_up", f"{random.randrange(32)}"),
                                        ("_down", f"{random.randrange(32)}"), ("", f"({expressions.index()}) & 31")])
            return Statement([f"{target} = __shfl{name}_sync(0xffffffffu, {value}, {last});"])
        if choice == 3:
            name, kind = random.choice([("ballot", "unsigned"), ("any", "int"), ("all", "int")])
            return Statement([f"{expressions.variable(kind)} = __{name}_sync(0xffffffffu, {expressions.condition()});"])
        if choice == 4:
            return Statement([f"{expressions.variable('unsigned')} = __match_any_sync(0xffffffffu, "
                              f"{expressions.make('unsigned', 1)} & 7u);"])
        if choice == 5:
            return Statement([f"{expressions.variable('unsigned')} = warp_product({expressions.make('unsigned long long', 1)}, "
                              f"{expressions.make('unsigned long long', 1)}, {expressions.make('unsigned', 1)});"])
        counter = self.counter()
        return Statement([f"for (int {counter} = 0; {counter} < {random.randint(1, 4)}; ++{counter}) {{", "}"],
                         [self.inner(context, loops=0)])

    def counter(self):
        self.counters += 1
        return f"i{self.counters}"

    def branch(self, context):
        apart = {"together": False}
        condition = self.expressions.condition()
        if self.random.random() < 0.5:
            return Statement([f"if ({condition}) {{", "}"], [self.inner(context, **apart)])
        return Statement([f"if ({condition}) {{", "} else {", "}"], [self.inner(context, **apart), self.inner(context, **apart)])

    def loop(self, context):
        random, counter = self.random, self.counter()
        changes = {"together": False, "loops": context.loops + 1}
        most = random.choice([2, 3, 7])
        rounds = f"{most}" if random.random() < 0.4 else f"(int)({self.expressions.index()} & {most}u)"
        kind = random.randrange(3)
        body = self.inner(context, **changes)
        pragma = random.choice(["", "", "#pragma unroll\n", "#pragma unroll 1\n"])
        if kind == 0:
            return Statement([f"{pragma}for (int {counter} = 0; {counter} < {rounds}; ++{counter}) {{", "}"], [body])
        if kind == 1:
            return Statement([f"for (unsigned {counter} = {rounds}; {counter}-- > 0 && {self.expressions.condition(0)};) {{", "}"],
                             [body])
        return Statement([f"{{\nint {counter} = 0;\ndo {{",
                          f"}} while (++{counter} < {rounds} && {self.expressions.condition(0)});\n}}"], [body])

    def switch(self, context):
        texts, bodies = [f"switch ({self.expressions.index()} % {self.random.randint(3, 7)}u) {{\ncase 0: {{"], []
        for case in range(1, self.random.randint(3, 6)):
            bodies.append(self.inner(context, together=False, loops=0))
            texts.append(("}\n" if self.random.random() < 0.25 else "} break;\n")
                         + (f"case {case}: {{" if self.random.random() < 0.8 else "default: {" if case == 2 else f"case {case}: {{"))
        bodies.append(self.inner(context, together=False, loops=0))
        texts.append("}\n}")
        return Statement(texts, bodies)
