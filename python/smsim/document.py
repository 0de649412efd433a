"""A YAML file in which every part knows its line, so that each message has a place. Whatever a file contains, reading it ends
quickly: with its parts, or with one message."""

import re

import yaml

from smsim.errors import UserError, did_you_mean, shown

# Nested lists and mappings; the same limit as in smsim.
DEEPEST = 32
# Characters of a file; a longer one is not a valid sweep.
LONGEST_FILE = 16 << 20
# Bits of an integer; the keys have 64.
MOST_BITS = 4096
# Characters that no text of a file may contain: they cannot be printed or stored, or be part of a file name. In YAML they occur
# only as escapes, "\0".
UNUSABLE = re.compile(r"[\0-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# What YAML takes for nothing where it is not in quotes.
NULLS = ("", "~", "null")
# Errors of PyYAML's constructors for scalars that do not match their tag or form: 2026-13-45, 0x_, !!int "".
NO_VALUE = (ValueError, LookupError, AttributeError, TypeError, OverflowError)


class Loader(yaml.SafeLoader):
    """Like PyYAML's loader, but errors in a file are always a YAMLError."""

    def __init__(self, text):
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent, index):
        self._depth += 1
        if self._depth > DEEPEST and self.check_event(yaml.CollectionStartEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, f"nested deeper than {DEEPEST} levels", mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_object(self, node, deep=False):
        try:
            value = super().construct_object(node, deep)
        except NO_VALUE:
            value = None
            wrong = True
        else:
            # Python does not format integers with some thousand digits.
            wrong = isinstance(value, int) and value.bit_length() > MOST_BITS
        if wrong:
            raise yaml.constructor.ConstructorError(None, None, "this is no value", node.start_mark)
        return value

    def flatten_mapping(self, node):
        """Merge keys are kept, so that they are rejected as in smsim: a few of them may stand for any number of values."""


class Part:
    """A part of the file: a mapping, a list or a scalar. Scalars keep the text as written."""

    def __init__(self, path, node):
        self.path = path
        self.node = node

    def error(self, message):
        return UserError(f"{self.path}:{self.node.start_mark.line + 1}: {message}")

    @property
    def is_list(self):
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_mapping(self):
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_scalar(self):
        return isinstance(self.node, yaml.ScalarNode)

    def text(self, what):
        """The text of a non-empty scalar."""
        if not self.is_scalar or not self.node.value.strip():
            raise self.error(f"{what} must be a single value")
        return self._usable(what, self.node.value)

    def source(self, what):
        """The text of a scalar, in its quotes if it is empty or null without them; of a list or mapping the YAML as written, which
        must be in brackets in one line."""
        if self.is_scalar:
            return f"'{self.node.value}'" if self.node.style and self.node.value.lower() in NULLS else self.text(what)
        start, end = self.node.start_mark, self.node.end_mark
        if not self.node.flow_style or start.line != end.line:
            raise self.error(f"{what} must be a single value, or a list in brackets in one line")
        return self._usable(what, start.buffer[start.pointer : end.pointer])

    def _usable(self, what, text):
        found = UNUSABLE.search(text)
        if found:
            raise self.error(f"{what} has the character U+{ord(found.group()):04X}; expected text without such")
        return text.strip()

    def items(self, what):
        """The parts of a non-empty list."""
        if not self.is_list or not self.node.value:
            raise self.error(f"{what} must be a list with at least one entry")
        return [Part(self.path, node) for node in self.node.value]

    def pairs(self, what):
        """(name, part of the name, part of the value) of a mapping; a name may occur only once."""
        if not self.is_mapping:
            raise self.error(f"{what} must be a mapping of names to values")
        found = []
        seen = set()
        for key_node, value_node in self.node.value:
            key = Part(self.path, key_node)
            name = key.text(f"a name in {what}")
            if name in seen:
                raise key.error(f"'{shown(name)}' stands twice in {what}")
            seen.add(name)
            found.append((name, key, Part(self.path, value_node)))
        return found

    def members(self, what, allowed, required=()):
        """A mapping that has only known names, as a dictionary."""
        members = {}
        for name, key, value in self.pairs(what):
            if name not in allowed:
                raise key.error(f"{what} has no key '{shown(name)}'{did_you_mean(name, allowed)}")
            members[name] = value
        for name in required:
            if name not in members:
                raise self.error(f"{what} needs the key '{name}'")
        return members


def file_text(path):
    """The text of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LONGEST_FILE + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(text) > LONGEST_FILE:
        raise UserError(f"{path}: is too long; expected at most {LONGEST_FILE} characters")
    return text


def read(path):
    """(text, top part) of a YAML file."""
    text = file_text(path)
    try:
        node = yaml.compose(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise UserError(f"{_place(path, text, error)}: no valid YAML: {_cause(error)}") from None
    if node is None:
        raise UserError(f"{path}: the file is empty")
    return text, Part(path, node)


def _place(path, text, error):
    mark = getattr(error, "problem_mark", None)
    if mark:
        return f"{path}:{mark.line + 1}"
    # A character that is invalid in YAML is found before there are lines.
    position = getattr(error, "position", None)
    return f"{path}:{text.count(chr(10), 0, position) + 1}" if isinstance(position, int) else str(path)


def _cause(error):
    return getattr(error, "problem", None) or str(error).splitlines()[0]


class TextLoader(Loader):
    """Refuses aliases, as smsim does: a few of them may stand for any number of values."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "an alias is not allowed", self.peek_event().start_mark)
        return super().compose_node(parent, index)


def text_tree(text):
    """The values of a YAML text as dictionaries, lists and text as written: `on` and `0x10` are names like others, as smsim
    reads them. yaml.YAMLError if the text is invalid."""
    return _texts(yaml.compose(text, Loader=TextLoader))


def _texts(node):
    if isinstance(node, yaml.SequenceNode):
        return [_texts(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {key.value: _texts(value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    return None if node is None else node.value


def tree(text):
    """The values of a YAML text as dictionaries, lists and scalars; yaml.YAMLError if the text is invalid."""
    return yaml.load(text, Loader=Loader)
