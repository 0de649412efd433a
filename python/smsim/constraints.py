"""Expressions over keys that select points. They are parsed into a tree with few kinds of nodes, which is then evaluated:
nothing in the file is executed."""

import ast
import operator
import re

from smsim.errors import did_you_mean, shown

ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
# Text in quotes, or a name: keys have dots, and one section has the name of a word of Python ('global'). A path in a launch file
# may have numbers between its dots.
QUOTED = r"'[^']*'|\"[^\"]*\""
NAME = r"[A-Za-z_]\w*(?:\.\w+)*"
WORDS = {"and", "or", "not", "in"}
FLAGS = {"true": True, "false": False}
# Nested operations: each takes a call.
DEEPEST = 200
# Bits of an integer, including computed ones. The keys have 64.
MOST_BITS = 4096


class Constraint:
    """One expression. `names` are the names that it may use."""

    def __init__(self, part, names):
        self._part = part
        text = part.text("a constraint")
        self._text = shown(text)
        self._names = {}
        source = _token(names).sub(lambda match: self._placeholder(match.group(), names), text)
        try:
            self._tree = ast.parse(source.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise part.error(f"'{self._text}' is no expression") from None
        self._check(self._tree)

    def _placeholder(self, token, names):
        """Replaces names by plain identifiers for the parser."""
        if token[0] in "'\"" or token in WORDS:
            return token
        if token not in FLAGS and token not in names:
            raise self._part.error(f"'{self._text}': unknown key '{shown(token)}'{did_you_mean(token, names)}")
        identifier = f"name{len(self._names)}"
        self._names[identifier] = token
        return identifier

    def _check(self, node):
        allowed = (ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Compare, ast.Constant)
        allowed += (ast.Name, ast.Load, ast.List, ast.Tuple, *ARITHMETIC, *COMPARISONS)
        for inner in ast.walk(node):
            plain = not isinstance(inner, ast.Constant) or isinstance(inner.value, (int, float, str))
            if not isinstance(inner, allowed) or not plain:
                raise self._part.error(
                    f"'{self._text}': only comparisons, + - * / // %, and, or, not, in, values and keys are allowed"
                )
            if isinstance(inner, ast.Constant) and _is_too_large(inner.value):
                raise self._part.error(f"'{self._text}': an integer may have {MOST_BITS} bits")
        level = [node]
        for _ in range(DEEPEST):
            level = [inner for outer in level for inner in ast.iter_child_nodes(outer)]
        if level:
            raise self._part.error(f"'{self._text}': at most {DEEPEST} nested operations are allowed")

    def holds(self, values):
        """Whether the expression is true for a dictionary of name to value."""
        try:
            return bool(self._value(self._tree, values))
        except (TypeError, ZeroDivisionError, OverflowError) as error:
            raise self._part.error(f"'{self._text}' cannot be computed: {error}") from None

    def _value(self, node, values):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            name = self._names[node.id]
            return FLAGS[name] if name in FLAGS else values[name]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(item, values) for item in node.elts]
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, values)
            return not value if isinstance(node.op, ast.Not) else -value
        if isinstance(node, ast.BinOp):
            return _computed(node.op, self._value(node.left, values), self._value(node.right, values))
        if isinstance(node, ast.BoolOp):
            parts = (self._value(item, values) for item in node.values)
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        left = self._value(node.left, values)
        for comparison, item in zip(node.ops, node.comparators):
            right = self._value(item, values)
            if not COMPARISONS[type(comparison)](left, right):
                return False
            left = right
        return True


def _token(names):
    """Names that have other characters than those of Python come first, the longest before its beginnings: launch.arguments.a-b.value
    is no subtraction."""
    others = sorted((name for name in names if not re.fullmatch(NAME, name)), key=len, reverse=True)
    alternatives = "|".join([*(re.escape(name) + r"(?![\w.])" for name in others), NAME])
    return re.compile(rf"{QUOTED}|(?<![\w.])(?:{alternatives})")


def _is_too_large(value):
    return isinstance(value, int) and value.bit_length() > MOST_BITS


def _computed(operation, left, right):
    """Computes an operation on numbers only: Python would also repeat text and lists, and format numbers, to any length."""
    for value in (left, right):
        if not isinstance(value, (int, float)) and not isinstance(operation, ast.Add):
            raise TypeError(f"{value!r:.50} is no number")
    result = ARITHMETIC[type(operation)](left, right)
    if _is_too_large(result):
        raise OverflowError(f"an integer may have {MOST_BITS} bits")
    return result
