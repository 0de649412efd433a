"""Assigns host instructions to parts of the model.

A function belongs to the part whose folder contains its source, according to the object files of the build. Shared code (the
standard library, fmt, and model/ except model/protocol) is attributed to its callers, in proportion to the cost of their calls.
Functions that the compiler has inlined cannot be separated from their callers.
"""
import collections
import pathlib
import re
import subprocess

# In the order of a table.
PARTS = ("ibuffer", "bru", "bcu", "datapath", "load/store", "memory", "SystemC", "other")
# Folders of the build tree with a part's objects; the first that a path begins with counts.
FOLDERS = {"ibuffer/": "ibuffer", "bru/": "bru", "bcu/": "bcu", "memory/": "memory", "sm/datapath/": "datapath",
           "sm/load_store/": "load/store", "model/protocol/": "SystemC", "model/": None, "sm/": "other", "session/": "other",
           "cosim/": "other", "views/": "other"}
# Functions made from templates have no object of their own; their template arguments decide.
NAMESPACES = {"ibuffer": "ibuffer", "bru": "bru", "bcu": "bcu", "memory": "memory", "session": "other"}
CLASSES = {"Datapath": "datapath", "compute": "datapath", "LoadStoreUnit": "load/store", "ServiceQueues": "load/store",
           "Transfer": "load/store"}
# Functions of model/protocol that call a function of a part and mostly contain it: on_request<&Part::function>.
CALLERS = re.compile(r"::on_\w+<")
# Suffixes of functions that the compiler has changed or copied.
CLONE = re.compile(r"(\.(lto_priv|localalias|constprop|isra|part|cold)(\.\d+)?)+$")
OBJECT = re.compile(r"CMakeFiles/[^/]+\.dir/(.*)")


def _own_parts(build):
    """Functions that occur in only one object file, and their part (None: that of the callers)."""
    objects = [path for folder in {folder.split("/")[0] for folder in FOLDERS} for path in (build / folder).rglob("*.o")]
    listing = subprocess.run(["nm", "--defined-only", "-A", *objects], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(set)
    for line in listing.splitlines():
        place, _, rest = line.partition(":")
        kind, name = rest.split()[1:3]
        if kind not in "tT":
            continue
        relative = pathlib.PurePath(place).relative_to(build).as_posix()
        folder = relative.split("/CMakeFiles/")[0]
        source = folder + "/" + OBJECT.search(relative).group(1)
        found[name].add(next((part for start, part in FOLDERS.items() if source.startswith(start)), "other"))
    return {name: parts.pop() for name, parts in found.items() if len(parts) == 1}


def demangled(names):
    names = list(names)
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def part_of_template(text):
    """The part of a function made from a template, by its name; None: that of the callers."""
    if text.startswith("smsim::protocol::") and not CALLERS.search(text):
        return "SystemC"
    for namespace, owner in re.findall(r"smsim::(\w+)::(\w+)", text):
        if namespace in NAMESPACES:
            return NAMESPACES[namespace]
        if namespace == "sm" and owner in CLASSES:
            return CLASSES[owner]
    return "other" if "smsim::sm::" in text else None


def by_part(profile, build):
    """Instructions of each of PARTS; they add up to the total of the profile."""
    build = pathlib.Path(build).resolve()
    own = _own_parts(build)
    functions = set(profile.own) | {name for edge in profile.calls for name in edge}
    texts = demangled(functions)
    part_of = {}
    for name in functions:
        plain = CLONE.sub("", name.split("'")[0])  # callgrind numbers recursive calls
        if "libsystemc" in profile.objects.get(name, "") or texts[name].startswith(("sc_core::", "tlm::", "tlm_utils::", "sc_dt::")):
            part_of[name] = "SystemC"
        else:
            part_of[name] = own[plain] if plain in own else part_of_template(texts[name])
    return with_callers(profile, part_of)


def with_callers(profile, part_of):
    """Attributes the cost of functions without a part to their callers."""
    calls = collections.defaultdict(list)
    for (caller, callee), cost in profile.inclusive.items():
        if part_of[callee] is None and caller != callee:
            calls[callee].append((caller, cost))
    shares = {name: {"other": 1.0} for name, part in part_of.items() if part is None}
    for _ in range(30):  # longer than any chain of such calls
        for name in shares:
            weight = sum(cost for _, cost in calls[name])
            if weight == 0:
                continue
            share = collections.Counter()
            for caller, cost in calls[name]:
                of_caller = shares[caller] if part_of[caller] is None else {part_of[caller]: 1.0}
                for part, portion in of_caller.items():
                    share[part] += portion * cost / weight
            shares[name] = share
    total = collections.Counter({part: 0.0 for part in PARTS})
    for name, cost in profile.own.items():
        for part, portion in (shares[name] if part_of[name] is None else {part_of[name]: 1.0}).items():
            total[part] += portion * cost
    return total
