"""A YAML file whose every part knows its line, so that each complaint has a place."""

import yaml

from exploration.errors import UserError, did_you_mean


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
        """The text of a scalar that is not empty."""
        if not self.is_scalar or not self.node.value.strip():
            raise self.error(f"{what} must be a single value")
        return self.node.value.strip()

    def items(self, what):
        """The parts of a list that is not empty."""
        if not self.is_list or not self.node.value:
            raise self.error(f"{what} must be a list with at least one entry")
        return [Part(self.path, node) for node in self.node.value]

    def pairs(self, what):
        """(name, part of the name, part of the value) of a mapping; a name may stand only once."""
        if not self.is_mapping:
            raise self.error(f"{what} must be a mapping of names to values")
        found = []
        seen = set()
        for key_node, value_node in self.node.value:
            key = Part(self.path, key_node)
            name = key.text(f"a name in {what}")
            if name in seen:
                raise key.error(f"'{name}' stands twice in {what}")
            seen.add(name)
            found.append((name, key, Part(self.path, value_node)))
        return found

    def members(self, what, allowed, required=()):
        """A mapping with known names only, as dictionary."""
        members = {}
        for name, key, value in self.pairs(what):
            if name not in allowed:
                raise key.error(f"{what} has no key '{name}'{did_you_mean(name, allowed)}")
            members[name] = value
        for name in required:
            if name not in members:
                raise self.error(f"{what} needs the key '{name}'")
        return members


def read(path):
    """(text, top part) of a YAML file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise UserError(f"{place}: no valid YAML: {getattr(error, 'problem', None) or error}") from None
    if node is None:
        raise UserError(f"{path}: the file is empty")
    return text, Part(path, node)
