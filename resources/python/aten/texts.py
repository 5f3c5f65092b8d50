# SPDX-License-Identifier: Apache-2.0
"""Expressions of the op language as text: how tightly they bind, templates with operands, subscripts."""
import re

_REDUCTION = re.compile(r"(sum|prod|max|min|argmax|argmin|any|all)\([^()]*(\([^()]*\)[^()]*)*\) ")
_LEVELS = ((" || ", 1), (" && ", 2), (" < ", 3), (" <= ", 3), (" > ", 3), (" >= ", 3), (" == ", 3), (" != ", 3), (" + ", 4), (" - ", 4),
           (" * ", 5), (" / ", 5), (" % ", 5), ("*", 5), ("^", 7))
ADD, MUL, ATOM = 4, 5, 8


def level(text):
    """0: a reduction; otherwise that of the loosest operator outside of brackets; ATOM: none."""
    if _REDUCTION.match(text):
        return 0
    found, depth = ATOM, 0
    for i, c in enumerate(text):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif depth == 0 and i > 0:
            for operator, binds in _LEVELS:
                if binds < found and text.startswith(operator, i):
                    found = binds
    if text[:1] in "-!" and found > 6:
        found = 6
    return found


def within(text, least):
    return text if level(text) >= least else f"({text})"


def filled(template, operands):
    """"{0}": any; "{0:+}": a term of a sum; "{0:*}": a factor; "{0:^}": an atom. Others in brackets."""
    least = {"": 0, "+": ADD, "*": MUL, "^": ATOM}
    return re.sub(r"\{(\d+)(?::(.))?\}", lambda m: within(operands[int(m[1])], least[m[2] or ""]), template)


def number(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if value != value:
        return "(0 / 0)"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2 ** 53:
        return str(int(value))
    return repr(value)


class Flat(str):
    """A subscript that counts the elements of several dimensions, outermost first: `parts` has their (subscript, size)."""
    parts = ()


def plus(a, b):
    if b == "0":
        return a
    if a == "0":
        return b
    return f"{within(a, ADD)} - {b[1:]}" if b.startswith("-") and level(b[1:]) == ATOM else f"{within(a, ADD)} + {within(b, MUL)}"


def times(a, b):
    if "0" in (a, b):
        return "0"
    if a == "1":
        return b
    if b == "1":
        return a
    return f"{within(a, ATOM)}*{within(b, ATOM)}"


def flat(subscripts, sizes):
    out = "0"
    for subscript, size in zip(subscripts, sizes):
        out = plus(times(out, size), subscript)
    made = Flat(out)
    made.parts = tuple(zip(subscripts, sizes))
    return made


def split(subscript, sizes):
    """The subscripts of dimensions of these sizes, outermost first, that `subscript` counts."""
    parts = getattr(subscript, "parts", ())
    if len(parts) == len(sizes) and all(p[1] == s for p, s in list(zip(parts, sizes))[1:]):
        return [p[0] for p in parts]
    out, inner = [], "1"
    for position in range(len(sizes) - 1, -1, -1):
        size = sizes[position]
        if size == "1":
            out.append("0")
            continue
        over = subscript if inner == "1" else f"{within(subscript, MUL)} / {within(inner, ATOM)}"
        out.append(over if all(s == "1" for s in sizes[:position]) else f"{within(over, MUL)} % {within(size, ATOM)}")
        inner = times(inner, size)
    return out[::-1]


def accesses(text):
    """(tensor, subscripts) of every access in it, inner ones too."""
    found = []
    for m in re.finditer(r"([A-Za-z_]\w*)\[", text):
        depth, begin, parts = 0, m.end(), []
        for i in range(m.end(), len(text)):
            c = text[i]
            if c in "([":
                depth += 1
            elif c in ")]":
                if depth == 0:
                    parts.append(text[begin:i].strip())
                    break
                depth -= 1
            elif c == "," and depth == 0:
                parts.append(text[begin:i].strip())
                begin = i + 1
        found.append((m[1], parts))
    return found
