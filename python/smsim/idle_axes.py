"""Keys on the axes of a sweep that change nothing: the model says what a key needs to have an effect, and no point has it.
Their points would be identical, which is never what the sweep asks."""

from smsim.errors import UserError


class IdleAxes:
    """Watches the configurations of the points. `schema`: rows of the model's keys, with "needs"."""

    def __init__(self, path, axes, schema):
        self._path = path
        # (axis, key) -> why the key has no effect in the last configuration seen; "" before the first.
        self._idle = {
            (axis.name, key): ""
            for axis in axes
            for key in dict.fromkeys(key for step in axis.steps for key, _ in step.settings)
            if "needs" in schema.get(key, ())
        }
        self._schema = schema

    def see(self, settings, effective):
        """A configuration of some points: its settings "key=value", and the value of every key."""
        given = {setting.partition("=")[0] for setting in settings} if self._idle else ()
        for axis, key in list(self._idle):
            if key not in given:
                continue
            cause = idle_cause(self._schema[key]["needs"], effective)
            if cause:
                self._idle[axis, key] = cause
            else:
                del self._idle[axis, key]

    def check(self):
        """Raises UserError if an axis varies a key that has no effect in any configuration seen."""
        for (axis, key), cause in self._idle.items():
            if cause:
                raise UserError(f"{self._path}: axis '{axis}': {key} has no effect with {cause}, as in all points")


def idle_cause(needs, effective):
    """Why a key with these needs has no effect in a configuration: "l2.bytes: 0"; "" if it has one."""
    for alternatives in needs:
        if not any(_holds(condition, effective) for condition in alternatives):
            return " and ".join(f"{one['key']}: {_text(effective[one['key']])}" for one in alternatives)
    return ""


def _holds(condition, effective):
    value = effective[condition["key"]]
    return value == condition["is"] if "is" in condition else value != condition["is_not"]


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
