# SPDX-License-Identifier: Apache-2.0
"""ATen's convolutions, pooling, normalisations and upsampling; see operators.py."""
import sympy

from frames import Refused
from .graph import Value
from .operators import axis_of, count, merged, moments, operator
from .sizes import text as size_text
from .texts import flat, number, plus, times, within


def several(value, dims):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * dims if len(value) == 1 else value


def position(p, stride, offset, padding):
    """p*stride + offset - padding"""
    return plus(plus(times(p, size_text(sympy.sympify(stride))), offset), size_text(-sympy.sympify(padding)))


@operator("convolution", "conv1d", "conv2d", "conv3d")
def convolution(t, node, x, w, bias, stride, padding, dilation, transposed, output_padding, groups):
    x, dims = t.g.held(x), len(x.shape) - 2
    w = t.g.held(w)
    stride, padding, dilation = (several(v, dims) for v in (stride, padding, dilation))
    shape, groups = t.shape(node), sympy.sympify(groups)
    made = (deconvolved if transposed else convolved)(t, node, x, w, shape, stride, padding, dilation, groups)
    return made if bias is None else Value(shape, made.dtype, lambda i: f"{made.at(i)} + {bias.at([i[1]])}")


def channel_of(filter_, per_filter, per_channel, c):
    """The input channel of group number filter/per_filter."""
    return plus(times(f"{filter_} / {within(size_text(per_filter), 8)}" if per_filter != 1 else filter_, size_text(per_channel)), c)


def convolved(t, node, x, w, shape, stride, padding, dilation, groups):
    per_filter = sympy.cancel(w.shape[0] / groups)
    padded = any(p != 0 for p in padding)
    alone = groups != 1 and w.shape[1] == 1  # one channel a group

    def body(i, r):
        c, offsets = ("0", r) if alone else (r[0], r[1:])
        channel = c if groups == 1 else channel_of(i[1], per_filter, w.shape[1], c) if not alone else channel_of(i[1], per_filter, sympy.Integer(1), "0")
        place = [position(p, s, times(o, size_text(sympy.sympify(d))), pad) for p, s, o, d, pad in zip(i[2:], stride, offsets, dilation, padding)]
        element = x.at([i[0], channel, *place])
        return f"{f'pad({element}, 0)' if padded else element} * {w.at([i[1], c, *offsets])}"
    return t.g.reduced(t.hint(node), "sum", shape, t.dtype(node), list(w.shape[2:] if alone else w.shape[1:]), body)


def deconvolved(t, node, x, w, shape, stride, padding, dilation, groups):
    per_channel, per_filter = sympy.cancel(x.shape[1] / groups), w.shape[1]
    stride_texts = [size_text(sympy.sympify(s)) for s in stride]

    def reach(i, offsets):
        return [plus(plus(p, size_text(sympy.sympify(pad))), "-" + times(o, size_text(sympy.sympify(d))) if d != 1 else f"-{o}")
                for p, o, d, pad in zip(i[2:], offsets, dilation, padding)]

    def body(i, r):
        c = r[0] if groups == 1 else channel_of(i[1], per_filter, per_channel, r[0])
        filter_ = i[1] if groups == 1 else f"{i[1]} % {within(size_text(per_filter), 8)}"
        place = [p if s == "1" else f"{within(p, 8)} / {s}" for p, s in zip(reach(i, r[1:]), stride_texts)]
        return f"pad({x.at([i[0], c, *place])}, 0) * {w.at([c, filter_, *r[1:]])}"

    def hits(i, r):
        return " && ".join(f"{within(p, 8)} % {s} == 0" for p, s in zip(reach(i, r[1:]), stride_texts) if s != "1")
    strided = any(s != "1" for s in stride_texts)
    return t.g.reduced(t.hint(node), "sum", shape, t.dtype(node), [per_channel, *w.shape[2:]], body, condition=hits if strided else None)


# --- pooling

def windows(t, node, x, shape, how, kernel, stride, padding, dilation, fill, scale=None):
    dims = len(kernel)
    x = t.g.held(x)

    def body(i, r):
        front = i[:len(i) - dims]
        place = [position(p, s, times(o, size_text(sympy.sympify(d))), pad) for p, s, o, d, pad in zip(i[len(i) - dims:], stride, r, dilation, padding)]
        element = f"pad({x.at([*front, *place])}, {fill})" if any(p != 0 for p in padding) or t.ragged(node) else x.at([*front, *place])
        return element if scale is None else f"{element} / {scale(i, r)}"
    return t.g.reduced(t.hint(node), how, shape, x.dtype, [sympy.sympify(k) for k in kernel], body)


@operator("max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool1d_with_indices", "max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(t, node, x, kernel, stride=(), padding=0, dilation=1, ceil=False):
    several_values = t.name(node).endswith("_with_indices")
    dims = int(t.name(node)[8])
    kernel = several(kernel, dims)
    stride, padding, dilation = several(stride, dims) if stride not in ((), []) else kernel, several(padding, dims), several(dilation, dims)
    if several_values and any(t.is_item(u) and u.args[1] == 1 and u.users for u in node.users):
        raise Refused("the positions that max pooling finds are not supported")
    value = node.meta["val"][0] if several_values else node.meta["val"]
    shape = [t.g.sizes.expr(s) for s in value.shape]
    t.set_ragged(node, ceil)
    made = windows(t, node, x, shape, "max", kernel, stride, padding, dilation, "-inf")
    return [made, None] if several_values else made


@operator("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(t, node, x, kernel, stride=(), padding=0, ceil=False, count_padding=True, divisor=None):
    dims = int(t.name(node)[8])
    kernel = several(kernel, dims)
    stride, padding = several(stride, dims) if stride not in ((), []) else kernel, several(padding, dims)
    if ceil and divisor is None:
        raise Refused("average pooling with ceil_mode is not supported")
    sizes = x.shape[-dims:]

    def scale(i, r):
        if divisor is not None:
            return number(divisor)
        if count_padding or not any(padding):
            return count([sympy.sympify(k) for k in kernel])
        spans = []
        for p, s, k, pad, size in zip(i[len(i) - dims:], stride, kernel, padding, sizes):
            begin = position(p, s, "0", pad)
            spans.append(f"(min({begin} + {k}, {size_text(size)}) - max({begin}, 0))")
        return f"({' * '.join(spans)})"
    t.set_ragged(node, ceil)
    return windows(t, node, x, t.shape(node), "sum", kernel, stride, padding, [1] * dims, "0", scale)


@operator("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d", "_adaptive_avg_pool1d")
def adaptive(t, node, x, sizes):
    dims = len(sizes)
    if any(sympy.sympify(s) != 1 for s in sizes):
        raise Refused("adaptive pooling to more than one element is not supported")
    axes = list(range(len(x.shape) - dims, len(x.shape)))
    over = [x.shape[a] for a in axes]
    x = t.g.held(x)
    made = t.g.reduced("mean", "sum", x.shape[:-dims], x.dtype, over, lambda i, r: f"{x.at([*i, *r])} / {count(over)}")
    return Value(t.shape(node), x.dtype, lambda i: made.at(i[:-dims]), simple=True)


# --- normalisations

def normal(t, node, x, axes, weight, bias, eps, scale_at, dtype):
    """(x - mean) * rsqrt(var + eps), scaled and shifted by the elements at scale_at(subscripts)."""
    x = t.g.held(x)
    mean, var = moments(t, x, axes)

    def at(i):
        kept = [v for a, v in enumerate(i) if a not in axes]
        return scaled(f"({x.at(i)} - {mean.at(kept)}) * rsqrt({var.at(kept)} + {number(eps)})", weight, bias, scale_at(i))
    return Value(x.shape, dtype, at)


def scaled(text, weight, bias, i):
    if weight is not None:
        text += f" * {within(weight.at(i), 8)}"
    return text if bias is None else f"{text} + {within(bias.at(i), 5)}"


def first_dtype(t, node):
    from .graph import DTYPES
    value = node.meta["val"]
    return DTYPES[(value[0] if isinstance(value, (list, tuple)) else value).dtype]


@operator("native_layer_norm", "layer_norm", "_fused_rms_norm", "rms_norm")
def layer_norm(t, node, x, shape, weight=None, bias=None, eps=1e-5, *_):
    axes = list(range(len(x.shape) - len(shape), len(x.shape)))
    dtype = first_dtype(t, node)
    if "rms" in t.name(node):
        eps = bias if bias is not None else 2.220446049250313e-16 if x.dtype == "f64" else 1.1920928955078125e-07
        return rms_norm(t, node, x, axes, weight, eps, dtype)
    made = normal(t, node, x, axes, weight, bias, eps, lambda i: i[-len(shape):], dtype)
    return made if t.name(node) == "layer_norm" else [made, None, None]


def rms_norm(t, node, x, axes, weight, eps, dtype):
    x, dims = t.g.held(x), len(x.shape)
    over = [x.shape[a] for a in axes]
    n = count(over)
    square = t.g.reduced("square", "sum", x.shape[:axes[0]], x.dtype, over, lambda i, r: f"{x.at([*i, *r])}^2 / {n}")

    def at(i):
        return scaled(f"{x.at(i)} * rsqrt({square.at(i[:axes[0]])} + {number(eps)})", weight, None, i[axes[0] - dims:])
    made = Value(x.shape, dtype, at)
    return [made, None] if t.name(node) == "_fused_rms_norm" else made


@operator("native_group_norm", "group_norm")
def group_norm(t, node, x, weight, bias, n, channels, spatial, groups, eps):
    x = t.g.held(x)
    per = sympy.cancel(x.shape[1] / sympy.sympify(groups))
    if not per.is_polynomial():
        raise Refused(f"{channels} channels in {groups} groups are not whole")
    over = [per, *x.shape[2:]]
    m, by, g = count(over), size_text(per), [x.shape[0], sympy.sympify(groups)]

    def element(i, r):
        return x.at([i[0], flat([i[1], r[0]], [size_text(sympy.sympify(groups)), by]), *r[1:]])
    mean = t.g.reduced("mean", "sum", g, x.dtype, over, lambda i, r: f"{element(i, r)} / {m}")
    var = t.g.reduced("var", "sum", g, x.dtype, over, lambda i, r: f"({element(i, r)} - {mean.at(i)})^2 / {m}")

    def at(i):
        group = i[1] if per == 1 else f"{within(i[1], 8)} / {within(by, 8)}"
        return scaled(f"({x.at(i)} - {mean.at([i[0], group])}) * rsqrt({var.at([i[0], group])} + {number(eps)})", weight, bias, [i[1]])
    made = Value(x.shape, first_dtype(t, node), at)
    return made if t.name(node) == "group_norm" else [made, None, None]


@operator("_native_batch_norm_legit_functional", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "native_batch_norm")
def batch_norm(t, node, x, weight, bias, *rest):
    if str(node.target).endswith("no_stats"):
        mean, var, (training, _, eps) = None, None, rest
    elif t.name(node).endswith("no_training"):
        (mean, var, _, eps), training = rest, False
    else:
        mean, var, training, _, eps = rest
    x = t.g.held(x)
    if training or mean is None:
        axes = [a for a in range(len(x.shape)) if a != 1]
        made = normal(t, node, x, axes, weight, bias, eps, lambda i: [i[1]], first_dtype(t, node))
    else:
        made = Value(x.shape, first_dtype(t, node),
                     lambda i: scaled(f"({x.at(i)} - {mean.at([i[1]])}) * rsqrt({var.at([i[1]])} + {number(eps)})", weight, bias, [i[1]]))
    return [made] + [None] * 4


# --- upsampling and padding

@operator("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def nearest(t, node, x, *_, **__):
    shape = t.shape(node)
    x = t.g.held(x)

    def at(i):
        return x.at([*i[:2], *(f"{within(times(v, size_text(s)), 5)} / {within(size_text(o), 8)}" for v, s, o in zip(i[2:], x.shape[2:], shape[2:]))])
    return Value(shape, x.dtype, at)


@operator("reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d")
def edge_pad(t, node, x, pads):
    x, dims = t.g.held(x), len(pads) // 2
    reflects = t.name(node).startswith("reflection")

    def at(i):
        front, out = i[:len(i) - dims], []
        for k, v in enumerate(i[len(i) - dims:]):
            p, size = plus(v, size_text(-sympy.sympify(pads[2 * (dims - 1 - k)]))), size_text(x.shape[len(i) - dims + k])
            out.append(f"{size} - 1 - abs({size} - 1 - abs({p}))" if reflects else f"clamp({p}, 0, {size} - 1)")
        return x.at([*front, *out])
    return Value(t.shape(node), x.dtype, at)


__all__ = ["axis_of", "merged"]
