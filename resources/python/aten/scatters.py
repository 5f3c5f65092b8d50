# SPDX-License-Identifier: Apache-2.0
"""What writes into a part of a tensor: torch.export turns `z[:, 1:] = y` and its like into operators that give the whole of the new tensor."""
import sympy

from frames import Refused
from .graph import Value
from .operators import axis_of, negative, operator
from .sizes import same as same_size, text as size_text
from .texts import plus, within


@operator("copy")
def copy(t, node, x, source, *_, **__):
    return t.broadcast(t.cast(source, x.dtype), x.shape)


@operator("slice_scatter")
def slice_scatter(t, node, x, source, dim=0, start=None, end=None, step=1):
    dim, step = axis_of(dim, len(x.shape)), int(step)
    begin = sympy.sympify(0 if start is None else start)
    if negative(begin):
        begin = x.shape[dim] + begin
    source = t.g.held(source)
    stop = begin + step * source.shape[dim]
    whole = same_size(stop, x.shape[dim]) if step == 1 else end is None or end == 2 ** 63 - 1

    def at(i):
        k = plus(i[dim], size_text(-begin)) if begin != 0 else i[dim]
        conditions = [f"{within(i[dim], 4)} >= {size_text(begin)}"] if begin != 0 else []
        conditions += [] if whole else [f"{within(i[dim], 4)} < {size_text(stop)}"]
        conditions += [f"({k}) % {step} == 0"] if step != 1 else []
        inside = source.at(i[:dim] + [f"({k}) / {step}" if step != 1 else k] + i[dim + 1:])
        return f"if({' && '.join(conditions)}, pad({inside}, 0), {x.at(i)})" if conditions else inside
    return Value(x.shape, x.dtype, at)


@operator("select_scatter")
def select_scatter(t, node, x, source, dim, position):
    dim, place = axis_of(dim, len(x.shape)), sympy.sympify(position)
    place = size_text(x.shape[dim] + place if negative(place) else place)
    return Value(x.shape, x.dtype, lambda i: f"if({within(i[dim], 4)} == {place}, {source.at(i[:dim] + i[dim + 1:])}, {x.at(i)})")


@operator("index_put")
def index_put(t, node, x, indices, value, accumulate=False):
    if accumulate or len(indices) != 1 or indices[0].dtype != "bool" or any(s != 1 for s in value.shape):
        raise Refused("writing at computed indices is not supported; writing one value where a mask is set is")
    mask, element = indices[0], t.cast(value, x.dtype).at(["0"] * len(value.shape))
    return Value(x.shape, x.dtype, lambda i: f"if({mask.at(i[:len(mask.shape)])}, {element}, {x.at(i)})")
