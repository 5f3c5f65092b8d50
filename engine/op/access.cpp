// SPDX-License-Identifier: Apache-2.0
// Elements of tensors, in the lanes of a block: their places in memory, their values, and what padding gives.
#include <algorithm>
#include <limits>
#include "base/plural.h"
#include "op/interpret.h"

namespace ww::op {
namespace {

template <class T, class Out>
void gather(const void* data, const std::int64_t* offset, int n, Out* out) {
  const T* at = static_cast<const T*>(data);
  for (int l = 0; l < n; ++l) out[l] = static_cast<Out>(at[offset[l]]);
}

void load(const Tensor& t, const std::int64_t* offset, int n, double* out) {
  if (t.storage == DType::f32)
    gather<float>(t.data, offset, n, out);
  else
    gather<double>(t.data, offset, n, out);
}

void load(const Tensor& t, const std::int64_t* offset, int n, std::int64_t* out) {
  switch (t.storage) {
    case DType::i32: return gather<std::int32_t>(t.data, offset, n, out);
    case DType::i8: return gather<std::int8_t>(t.data, offset, n, out);
    case DType::u8: return gather<std::uint8_t>(t.data, offset, n, out);
    case DType::u16: return gather<std::uint16_t>(t.data, offset, n, out);
    case DType::u32: return gather<std::uint32_t>(t.data, offset, n, out);
    case DType::boolean:
      gather<std::uint8_t>(t.data, offset, n, out);
      for (int l = 0; l < n; ++l) out[l] = out[l] != 0;
      return;
    default: gather<std::int64_t>(t.data, offset, n, out);
  }
}

}  // namespace

// Adds the subscript's part to the offsets of the elements, -1 where it is out of range. False when it is in some lane.
bool Worker::add_subscript(const Node& node, std::size_t k, const std::int64_t* subscript, int n,
                           std::int64_t* offset) const {
  const std::int64_t stride = node.tensor->strides[k];
  if (!node.checked) {
    for (int l = 0; l < n; ++l) offset[l] += subscript[l] * stride;
    return true;
  }
  const std::uint64_t extent = static_cast<std::uint64_t>(node.tensor->shape[k]);
  bool inside = true;
  for (int l = 0; l < n; ++l) {
    const bool in = static_cast<std::uint64_t>(subscript[l]) < extent;
    inside &= in;
    offset[l] = in && offset[l] >= 0 ? offset[l] + subscript[l] * stride : -1;
  }
  return inside;
}

void Worker::fail_subscript(const Node& node, std::size_t k, const std::int64_t* subscript, int n) {
  const std::int64_t extent = node.tensor->shape[k];
  const std::int64_t* const bad =
      std::find_if(subscript, subscript + n, [&](std::int64_t s) { return s < 0 || s >= extent; });
  if (bad == subscript + n) return;
  fail(print(*node.source) + " is out of range" + lane_text(node, static_cast<int>(bad - subscript)) + ": subscript " +
       std::to_string(k) + " is " + std::to_string(*bad) + ", and dimension " + std::to_string(k) + " of '" +
       node.source->name + "' has " + plural(extent, "element"));
}

View Worker::access(const Node& node, int n) {
  Buffer& out = buffer(node.slot);
  std::int64_t* offset = buffer(node.slot + 1).i;
  const Tensor& t = *node.tensor;
  const std::size_t rank = t.shape.size();
  const bool real = node.type == Type::real;
  const double* unsure = nullptr;  // errors of a subscript that is itself uncertain
  std::fill(offset, offset + n, 0);
  bool outside = false;
  for (std::size_t k = 0; k < rank; ++k) {
    const View s = eval(*node.args[k], n);
    if (node.args[k]->fuzzy && bounds_) unsure = s.e;
    outside |= !add_subscript(node, k, s.i, n, offset);
    if (!outside || node.padded) continue;
    fail_subscript(node, k, s.i, n);
    if (t.shape[k] == 0 || failed_) {
      std::fill(out.i, out.i + n, 0);
      std::fill(out.e, out.e + n, 0.0);
      return real ? real_view(out) : integer_view(node, out);
    }
  }
  // Lanes whose value comes from the padding read element 0, if there is one.
  int pads[lanes];
  int pad_count = 0;
  if (node.padded && outside) {
    for (int l = 0; l < n; ++l) {
      if (offset[l] >= 0) continue;
      pads[pad_count++] = l;
      offset[l] = 0;
    }
  }
  const bool empty = pad_count == n;
  if (!empty && real) load(t, offset, n, out.v);
  if (!empty && !real) load(t, offset, n, out.i);
  const bool with_error = bounds_ && (t.error || unsure || pad_count);
  if (with_error) {
    if (t.error && !empty)
      gather<double>(t.error, offset, n, out.e);
    else
      std::fill(out.e, out.e + n, 0.0);
  }
  if (pad_count) {
    const View p = eval(*node.args[rank], n);
    for (int x = 0; x < pad_count; ++x) {
      const int l = pads[x];
      if (real)
        out.v[l] = p.v[l];
      else
        out.i[l] = p.i[l];
      if (bounds_) out.e[l] = p.e[l];
    }
  }
  if (unsure) {
    for (int l = 0; l < n; ++l)
      if (unsure[l] > 0) out.e[l] = std::numeric_limits<double>::infinity();
  }
  const double* e = with_error ? out.e : zeros_->e;
  return real ? View{out.v, nullptr, e} : View{nullptr, out.i, e};
}

}  // namespace ww::op
