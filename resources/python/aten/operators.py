# SPDX-License-Identifier: Apache-2.0
"""ATen operators that table.json cannot say: what moves elements, reduces or multiplies. Each function takes the translator, the node, and the
node's arguments with tensors as Values; it gives a Value, or a list of them (None: not supported)."""
import sympy
import torch

from frames import Refused
from .graph import DTYPES, Value
from .sizes import same as same_size, text as size_text
from .texts import flat, level, number, plus, split, times, within

OPERATORS = {}


def operator(*names):
    def known(function):
        for name in names:
            OPERATORS[name] = function
        return function
    return known


def axis_of(axis, dims):
    return int(axis) % max(1, dims)


def axes_of(axes, dims):
    if axes is None or (isinstance(axes, (list, tuple)) and not axes):
        return list(range(dims))
    return sorted({axis_of(a, dims) for a in (axes if isinstance(axes, (list, tuple)) else [axes])})


def merged(kept, reduced, axes, dims):
    kept, reduced = iter(kept), iter(reduced)
    return [next(reduced) if a in axes else next(kept) for a in range(dims)]


def count(sizes):
    return within(" * ".join(within(size_text(s), 5) for s in sizes) or "1", 8)


def one(size):
    return size == 1


# --- what moves elements

@operator("permute")
def permute(t, node, x, dims):
    dims = [axis_of(d, len(x.shape)) for d in dims]

    def at(i):
        return x.at([i[dims.index(a)] for a in range(len(dims))])
    return Value([x.shape[d] for d in dims], x.dtype, at, simple=x.simple, cheap=x.cheap)


@operator("transpose", "t", "swapaxes")
def transpose(t, node, x, a=0, b=1):
    dims = list(range(len(x.shape)))
    if len(dims) > 1:
        a, b = axis_of(a, len(dims)), axis_of(b, len(dims))
        dims[a], dims[b] = b, a
    return permute(t, node, x, dims)


@operator("view", "reshape", "_unsafe_view", "_reshape_copy", "view_copy", "unsqueeze", "squeeze", "flatten", "unflatten")
def view(t, node, x, *_, **__):
    return reshaped(t, x, t.shape(node))


def reshaped(t, x, shape):
    groups, i, j = [], 0, 0
    while i < len(x.shape) or j < len(shape):
        a, b = ([i], [j]) if i < len(x.shape) and j < len(shape) else (list(range(i, len(x.shape))), list(range(j, len(shape))))
        if i < len(x.shape) and one(x.shape[i]) and not (j < len(shape) and one(shape[j])):
            a, b = [i], []
        elif j < len(shape) and one(shape[j]) and not (i < len(x.shape) and one(x.shape[i])):
            a, b = [], [j]
        elif a and b:
            a, b = matching(x.shape, shape, i, j)
        groups.append((a, b))
        i, j = i + len(a), j + len(b)

    sizes = [size_text(s) for s in x.shape]
    wanted = [size_text(s) for s in shape]

    def at(index):
        out = []
        for a, b in groups:
            if len(a) == len(b) == 1:
                out.append(index[b[0]])
            elif not b:
                out.extend("0" for _ in a)
            elif a:
                out.extend(split(flat([index[k] for k in b], [wanted[k] for k in b]), [sizes[k] for k in a]))
        return x.at(out)
    straight = all(len(a) == len(b) == 1 or not a or not b for a, b in groups)
    return Value(shape, x.dtype, at, simple=x.simple and straight, cheap=x.cheap)


def matching(from_, to, i, j):
    """The fewest dimensions from i and j on with equally many elements."""
    a, b = [i], [j]
    left, right = from_[i], to[j]
    limit = len(from_) + len(to)
    for _ in range(limit):
        if same_size(left, right):
            return a, b
        grow_left = len(a) <= len(b) and a[-1] + 1 < len(from_) or b[-1] + 1 >= len(to)
        try:
            grow_left = bool(left < right) if (left - right).is_number else dividing(left, right, grow_left)
        except TypeError:
            pass
        if grow_left and a[-1] + 1 < len(from_):
            a.append(a[-1] + 1)
            left = left * from_[a[-1]]
        elif b[-1] + 1 < len(to):
            b.append(b[-1] + 1)
            right = right * to[b[-1]]
        else:
            break
    return list(range(i, len(from_))), list(range(j, len(to)))


def dividing(left, right, otherwise):
    """Which side lacks factors: true if the left one does."""
    ratio = sympy.cancel(right / left)
    numerator, denominator = ratio.as_numer_denom()
    return True if denominator == 1 else False if numerator == 1 else otherwise


@operator("expand", "broadcast_to")
def expand(t, node, x, *_, **__):
    return t.broadcast(x, t.shape(node))


@operator("select")
def select(t, node, x, dim, position):
    dim = axis_of(dim, len(x.shape))
    at = size_text(sympy.sympify(position) if not negative(position) else x.shape[dim] + position)
    return Value(x.shape[:dim] + x.shape[dim + 1:], x.dtype, lambda i: x.at(i[:dim] + [at] + i[dim:]), cheap=x.cheap)


def negative(size):
    size = sympy.sympify(size)
    return bool(size.is_negative) or size.could_extract_minus_sign()


@operator("slice")
def slice_(t, node, x, dim=0, start=None, end=None, step=1):
    dim = axis_of(dim, len(x.shape))
    start = sympy.sympify(0 if start is None else start)
    if negative(start):
        start = sympy.Max(0, x.shape[dim] + start) if not (x.shape[dim] + start).is_nonnegative else x.shape[dim] + start
    begin, step = size_text(start), int(step)

    def at(i):
        k = plus(times(str(step), i[dim]), begin) if step != 1 or begin != "0" else i[dim]
        return x.at(i[:dim] + [k] + i[dim + 1:])
    return Value(t.shape(node), x.dtype, at, cheap=x.cheap)


@operator("flip")
def flip(t, node, x, dims):
    dims = axes_of(dims, len(x.shape))

    def at(i):
        return x.at([f"{size_text(x.shape[a])} - 1 - {within(v, 5)}" if a in dims else v for a, v in enumerate(i)])
    return Value(x.shape, x.dtype, at, cheap=x.cheap)


@operator("roll")
def roll(t, node, x, shifts, dims=()):
    if not dims:
        raise Refused("roll without dimensions is not supported")
    moves = {axis_of(d, len(x.shape)): s for d, s in zip(dims, shifts)}

    def at(i):
        return x.at([f"({plus(v, size_text(-sympy.sympify(moves[a])))}) % {within(size_text(x.shape[a]), 8)}" if a in moves else v for a, v in enumerate(i)])
    return Value(x.shape, x.dtype, at, cheap=x.cheap)


@operator("repeat")
def repeat(t, node, x, repeats):
    shape, lead = t.shape(node), len(repeats) - len(x.shape)

    def at(i):
        return x.at([v if repeats[a + lead] == 1 else f"{within(v, 8)} % {within(size_text(x.shape[a]), 8)}" for a, v in enumerate(i[lead:])])
    return Value(shape, x.dtype, at, cheap=x.cheap)


@operator("cat", "concat")
def cat(t, node, parts, dim=0):
    shape = t.shape(node)
    dim = axis_of(dim, len(shape))
    parts = [t.g.held(p) for p in parts if not (len(p.shape) == 1 and p.shape[0] == 0 and len(shape) != 1)]
    ends, total = [], sympy.Integer(0)
    for p in parts:
        ends.append((total, total + p.shape[dim]))
        total = total + p.shape[dim]
    dtype = t.dtype(node)

    def at(i):
        out = ""
        for position in range(len(parts) - 1, -1, -1):
            p, (begin, end) = parts[position], ends[position]
            k = plus(i[dim], size_text(-begin)) if begin != 0 else i[dim]
            element = f"pad({t.read(p, i[:dim] + [k] + i[dim + 1:], dtype)}, 0)"
            out = element if not out else f"if({i[dim]} < {size_text(end)}, {element}, {out})"
        return out
    return Value(shape, dtype, at)


@operator("split", "split_with_sizes", "unbind", "chunk")
def split_(t, node, x, sizes=1, dim=0):
    name = t.name(node)
    if name == "unbind":
        dim = axis_of(sizes if sizes != 1 or len(node.args) > 1 else 0, len(x.shape))
        return [select(t, node, x, dim, k) for k in range(len(node.meta["val"]))]
    dim, out, begin = axis_of(dim, len(x.shape)), [], sympy.Integer(0)
    for part in node.meta["val"]:
        shape = [t.g.sizes.expr(s) for s in part.shape]
        at = size_text(begin)
        out.append(Value(shape, x.dtype, lambda i, at=at: x.at(i[:dim] + [plus(i[dim], at)] + i[dim + 1:]), cheap=x.cheap))
        begin = begin + shape[dim]
    return out


@operator("constant_pad_nd")
def constant_pad(t, node, x, pads, value=0):
    x, dims = t.g.held(x), len(x.shape)
    before = {dims - 1 - k: pads[2 * k] for k in range(len(pads) // 2)}

    def at(i):
        return f"pad({x.at([plus(v, size_text(-sympy.sympify(before.get(a, 0)))) for a, v in enumerate(i)])}, {number(value)})"
    return Value(t.shape(node), x.dtype, at)


@operator("tril", "triu")
def triangle(t, node, x, diagonal=0):
    how = "<=" if t.name(node) == "tril" else ">="
    return Value(x.shape, x.dtype, lambda i: f"if({within(i[-1], 4)} {how} {plus(i[-2], size_text(sympy.sympify(diagonal)))}, {x.at(i)}, 0)")


@operator("diagonal")
def diagonal(t, node, x, offset=0, dim1=0, dim2=1):
    a, b = axis_of(dim1, len(x.shape)), axis_of(dim2, len(x.shape))
    down, right = (max(0, -offset), max(0, offset))
    height, width = x.shape[a] - down, x.shape[b] - right
    shape = [s for k, s in enumerate(x.shape) if k not in (a, b)]  # the graph may have the length that the example has
    shape.append(height if same_size(height, width) else sympy.Min(height, width))

    def at(i):
        rest = iter(i[:-1])
        return x.at([plus(i[-1], str(down)) if k == a else plus(i[-1], str(right)) if k == b else next(rest) for k in range(len(x.shape))])
    return Value(shape, x.dtype, at, cheap=x.cheap)


# --- by position

def subscript(t, index, i, limit):
    """The element of an index tensor; what it reads of integer inputs keeps to 0..limit."""
    text = index.at(i)
    for name, value in t.g.inputs.items():
        if value.dtype[0] in "iu" and (f"{name}[" in text or text == name):
            t.g.domains[name] = size_text(limit)
    return text


@operator("gather")
def gather(t, node, x, dim, index, sparse_grad=False):
    x, dim = t.g.held(x), axis_of(dim, max(1, len(x.shape)))
    return Value(index.shape, x.dtype, lambda i: x.at(i[:dim] + [subscript(t, index, i, x.shape[dim])] + i[dim + 1:]))


@operator("index_select")
def index_select(t, node, x, dim, index):
    x, dim = t.g.held(x), axis_of(dim, len(x.shape))
    return Value(t.shape(node), x.dtype, lambda i: x.at(i[:dim] + [subscript(t, index, [i[dim]], x.shape[dim])] + i[dim + 1:]))


@operator("embedding")
def embedding(t, node, weight, index, *_):
    n = len(index.shape)
    return Value(t.shape(node), weight.dtype, lambda i: weight.at([subscript(t, index, i[:n], weight.shape[0]), i[n]]))


@operator("index", "_unsafe_index")
def index_(t, node, x, indices):
    x = t.g.held(x)
    given = [k for k, v in enumerate(indices) if v is not None]
    if given != list(range(given[0], given[-1] + 1)):
        raise Refused("indexing with tensors that are not side by side is not supported")
    if any(indices[k].dtype == "bool" for k in given):
        raise Refused("indexing with a mask gives a result whose size depends on the data")
    shape = t.shape(node)
    wide = max(len(indices[k].shape) for k in given)
    common = shape[given[0]:given[0] + wide]

    def at(i):
        among = i[given[0]:given[0] + wide]
        front, back = i[:given[0]], i[given[0] + wide:]
        return x.at(front + [subscript(t, t.broadcast(indices[k], common), among, x.shape[k]) for k in given] + back)
    return Value(shape, x.dtype, at)


# --- made from nothing

@operator("full", "full_like", "scalar_tensor", "zeros", "zeros_like", "ones", "ones_like", "new_zeros", "new_ones", "new_full", "fill", "empty", "empty_like")
def full(t, node, *arguments, **_):
    name = t.name(node)
    if name.startswith("empty"):
        raise Refused("the result holds memory that nothing has written")
    value = 0 if "zeros" in name else 1 if "ones" in name else arguments[0] if name == "scalar_tensor" else arguments[-1] if name != "full" else arguments[1]
    dtype = t.dtype(node)
    if isinstance(value, Value):
        return t.broadcast(t.cast(value, dtype), t.shape(node))
    text = t.scalar(bool(value) if dtype == "bool" else value)
    return Value(t.shape(node), dtype, lambda i: text, cheap=True)


@operator("arange", "iota")
def arange(t, node, *arguments, start=0, step=1, **_):
    if t.name(node) == "arange":
        start, step = (arguments[0] if len(arguments) > 1 else 0), (arguments[2] if len(arguments) > 2 else step)
    begin, by = t.scalar(start), t.scalar(step)
    dtype = t.dtype(node)

    def at(i):
        out = plus(times(by, i[0]) if by != "1" else i[0], begin)
        return f"f64({out})" if dtype[0] in "fb" else out
    return Value(t.shape(node), dtype, at, cheap=True)


@operator("_to_copy", "to", "type_as", "view_of", "convert_element_type")
def to_copy(t, node, x, *_, **__):
    return t.cast(x, t.dtype(node))


@operator("clamp", "clamp_min", "clamp_max", "clip")
def clamp(t, node, x, low=None, high=None, **named):
    low, high = named.get("min", low), named.get("max", high)
    if t.name(node) == "clamp_max":
        low, high = None, low
    if low is not None and high is not None:
        return t.pointwise(node, "min(max({0}, {1}), {2})", [x, low, high])
    return t.pointwise(node, "max({0}, {1})" if high is None else "min({0}, {1})", [x, low if high is None else high])


@operator("isin", "bucketize", "searchsorted")
def refused(t, node, *_, **__):
    raise Refused(f"{t.name(node)} is not supported")


# --- reductions

def reduced(t, node, how, x, axes, shape, dtype, body=None, over=None):
    """Over some axes, kept as 1 where the shape has them."""
    axes = axes_of(axes, len(x.shape))
    keeps = len(shape) == len(x.shape)
    body = body or x.at

    def element(i, r):
        return body(merged([v for a, v in enumerate(i) if a not in axes] if keeps else i, r, axes, len(x.shape)))
    made = t.g.reduced(t.hint(node), how, [s for a, s in enumerate(x.shape) if a not in axes], dtype, [x.shape[a] for a in axes],
                       lambda i, r: body(merged(i, r, axes, len(x.shape))))
    if not keeps or len(made.shape) == len(shape):
        return made
    return Value(shape, dtype, lambda i: made.at([v for a, v in enumerate(i) if a not in axes]), simple=True)


@operator("sum", "prod", "amax", "amin", "any", "all", "mean", "max", "min")
def reduction(t, node, x, axes=None, keep=False, **_):
    name = t.name(node)
    if name in ("max", "min") and len(node.args) > 1:
        return extreme(t, node, x, axes)
    if name == "prod" and axes is not None and not isinstance(axes, (list, tuple)):
        axes = [axes]
    shape, dtype = t.shape(node), t.dtype(node)
    how = {"amax": "max", "amin": "min", "mean": "sum"}.get(name, name)
    if how in ("any", "all"):
        x = t.cast(x, "bool")
    elif x.dtype == "bool":
        x = t.cast(x, "i64" if dtype[0] in "iu" else "f64")
    if name != "mean":
        return reduced(t, node, how, x, axes, shape, dtype)
    n = count([x.shape[a] for a in axes_of(axes, len(x.shape))])
    return reduced(t, node, how, x, axes, shape, dtype, lambda i: f"{within(t.real(x, i), 5)} / {n}")


def extreme(t, node, x, axis):
    shapes = node.meta["val"]
    shape = [t.g.sizes.expr(s) for s in shapes[0].shape]
    how, users = t.name(node), {u.args[1] for u in node.users if t.is_item(u)}
    return [reduced(t, node, how, x, [axis], shape, x.dtype) if 0 in users else None, reduced(t, node, "arg" + how, x, [axis], shape, "i64") if 1 in users else None]


@operator("argmax", "argmin")
def position(t, node, x, axis=None, keep=False):
    if axis is None:
        x = reshaped(t, x, [sympy.Mul(*x.shape)])
        axis = 0
    return reduced(t, node, t.name(node), x, [axis], t.shape(node), "i64")


@operator("var", "std", "var_mean", "std_mean")
def variance(t, node, x, axes=None, unbiased=True, keep=False, correction=None, **_):
    several = t.name(node).endswith("_mean")
    correction = (1 if unbiased else 0) if correction is None else correction
    axes = axes_of(None if isinstance(axes, bool) else axes, len(x.shape))
    shape = [t.g.sizes.expr(s) for s in (node.meta["val"][0] if several else node.meta["val"]).shape]
    x = t.g.held(x)
    mean, squares = moments(t, x, axes, correction)
    if t.name(node).startswith("std"):
        inner = squares
        squares = Value(inner.shape, inner.dtype, lambda i: f"sqrt({inner.at(i)})")

    def placed(v):
        if len(shape) == len(v.shape):
            return v
        return Value(shape, v.dtype, lambda i: v.at([k for a, k in enumerate(i) if a not in axes]), simple=v.simple)
    return [placed(squares), placed(mean)] if several else placed(squares)


def moments(t, x, axes, correction=0):
    """Mean and variance over the axes, of the shape of the others."""
    dims, kept = len(x.shape), [s for a, s in enumerate(x.shape) if a not in axes]
    over = [x.shape[a] for a in axes]
    n = count(over)
    mean = t.g.reduced("mean", "sum", kept, x.dtype, over, lambda i, r: f"{within(x.at(merged(i, r, axes, dims)), 5)} / {n}")
    by = n if not correction else f"({n} - {number(correction)})"
    var = t.g.reduced("var", "sum", kept, x.dtype, over, lambda i, r: f"({x.at(merged(i, r, axes, dims))} - {mean.at(i)})^2 / {by}")
    return mean, var


@operator("linalg_vector_norm")
def vector_norm(t, node, x, order=2, axes=None, keep=False, **_):
    shape, dtype = t.shape(node), t.dtype(node)
    x = x if x.cheap else t.g.held(x)
    if order in (float("inf"), float("-inf")):
        return reduced(t, node, "max" if order > 0 else "min", x, axes, shape, dtype, lambda i: f"abs({x.at(i)})")
    if order == 0:
        return reduced(t, node, "sum", x, axes, shape, dtype, lambda i: f"f64({x.at(i)} != 0)")
    if order == 1:
        return reduced(t, node, "sum", x, axes, shape, dtype, lambda i: f"abs({x.at(i)})")
    power = (lambda i: f"{within(x.at(i), 8)}^2") if order == 2 else (lambda i: f"abs({x.at(i)})^{number(order)}")
    total = reduced(t, node, "sum", x, axes, shape, dtype, power)
    return Value(total.shape, dtype, lambda i: f"sqrt({total.at(i)})" if order == 2 else f"{total.at(i)}^(1 / {number(order)})")


@operator("_softmax", "softmax", "_log_softmax", "log_softmax", "_safe_softmax")
def softmax(t, node, x, dim, *_, **__):
    dim, dims = axis_of(dim, len(x.shape)), len(x.shape)
    if not dims:
        raise Refused("a softmax of a single number is not supported")
    x = x if x.cheap else t.g.held(x)
    kept, over = [s for a, s in enumerate(x.shape) if a != dim], [x.shape[dim]]
    place = lambda i, r: merged(i, r, [dim], dims)  # noqa: E731
    rest = lambda i: [v for a, v in enumerate(i) if a != dim]  # noqa: E731
    top = t.g.reduced("top", "max", kept, x.dtype, over, lambda i, r: t.real(x, place(i, r)))
    if "log" in t.name(node):
        total = t.g.reduced("total", "sum", kept, x.dtype, over, lambda i, r: f"exp({x.at(place(i, r))} - {top.at(i)})")
        return Value(x.shape, t.dtype(node), lambda i: f"{within(t.real(x, i), 4)} - {top.at(rest(i))} - log({total.at(rest(i))})")
    e = t.g.store("e", x.shape, x.dtype, lambda i: f"exp({x.at(i)} - {top.at(rest(i))})")
    total = t.g.reduced("total", "sum", kept, x.dtype, over, lambda i, r: e.at(place(i, r)))
    if t.name(node) == "_safe_softmax":
        return Value(x.shape, t.dtype(node), lambda i: f"if({top.at(rest(i))} == -inf, 0, {e.at(i)} / {total.at(rest(i))})")
    return Value(x.shape, t.dtype(node), lambda i: f"{e.at(i)} / {total.at(rest(i))}")


@operator("cumsum", "cumprod")
def cumulative(t, node, x, dim, **_):
    dim = axis_of(dim, len(x.shape))
    x = t.cast(x, "i64") if x.dtype == "bool" else x
    how = "sum" if t.name(node) == "cumsum" else "prod"
    return t.g.reduced(t.hint(node), how, x.shape, t.dtype(node), [x.shape[dim]], lambda i, r: x.at(i[:dim] + [r[0]] + i[dim + 1:]),
                       limits=[lambda i: f"0..{i[dim]} + 1"])


@operator("logcumsumexp", "cummax", "cummin")
def not_yet(t, node, *_, **__):
    raise Refused(f"{t.name(node)} is not supported")


# --- products

def product(t, node, a, b, a_at, b_at, shape, inner):
    a, b = a if a.cheap else t.g.held(a), b if b.cheap else t.g.held(b)
    return t.g.reduced(t.hint(node), "sum", shape, t.dtype(node), [inner],
                       lambda i, r: f"{within(a.at(a_at(i, r[0])), 5)} * {within(b.at(b_at(i, r[0])), 8)}")


@operator("mm")
def mm(t, node, a, b, *_, **__):
    return product(t, node, a, b, lambda i, k: [i[0], k], lambda i, k: [k, i[1]], [a.shape[0], b.shape[1]], a.shape[1])


@operator("bmm")
def bmm(t, node, a, b, *_, **__):
    return product(t, node, a, b, lambda i, k: [i[0], i[1], k], lambda i, k: [i[0], k, i[2]], t.shape(node), a.shape[2])


@operator("mv")
def mv(t, node, a, b):
    return product(t, node, a, b, lambda i, k: [i[0], k], lambda i, k: [k], [a.shape[0]], a.shape[1])


@operator("dot", "vdot")
def dot(t, node, a, b):
    return product(t, node, a, b, lambda i, k: [k], lambda i, k: [k], [], a.shape[0])


@operator("addmm", "baddbmm", "addmv")
def addmm(t, node, c, a, b, beta=1, alpha=1):
    made = {"addmm": mm, "baddbmm": bmm, "addmv": mv}[t.name(node)](t, node, a, b)
    c = t.broadcast(c, made.shape)

    def at(i):
        left = made.at(i) if alpha == 1 else f"{made.at(i)} * {within(t.scalar(alpha), 8)}"
        return left if beta == 0 else f"{left} + {within(c.at(i), 5)}" + ("" if beta == 1 else f" * {within(t.scalar(beta), 8)}")
    return Value(made.shape, t.dtype(node), at)


@operator("linear")
def linear(t, node, x, w, bias=None):
    dims = len(x.shape)
    made = product(t, node, x, w, lambda i, k: i[:dims - 1] + [k], lambda i, k: [i[-1], k], t.shape(node), w.shape[1])
    return made if bias is None else Value(made.shape, made.dtype, lambda i: f"{made.at(i)} + {bias.at([i[-1]])}")


__all__ = ["OPERATORS", "DTYPES", "level", "torch"]
