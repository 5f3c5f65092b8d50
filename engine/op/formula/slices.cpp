// SPDX-License-Identifier: Apache-2.0
// Slices as Python writes them: x[1:], x[:, ::-1], x[..., 0].
#include <algorithm>
#include "op/formula/lowering.h"
#include "op/formula/parsing.h"

namespace ww::op::formula {

using Kind = Node::Kind;
using TokenKind = Token::Kind;

namespace {

// One part of a slice, in numbers: one place (`index`), or from `first` to `stop` in steps.
struct SlicePart {
  bool index = false;
  std::optional<int> first, stop, step;
};

SlicePart slice_part_of(const std::string& text) {
  SlicePart out;
  std::optional<int>* places[] = {&out.first, &out.stop, &out.step};
  std::size_t place = 0;
  std::string number;
  for (const char c : text + ":") {
    if (c != ':') {
      number += c;
      continue;
    }
    if (!number.empty()) *places[place] = std::stoi(number);
    number.clear();
    if (place < 2) ++place;
  }
  out.index = text.find(':') == std::string::npos;
  return out;
}

}  // namespace

// "1:", "::-1", "0" or "..." of each dimension, in front of "]"; empty where it is no slice.
std::vector<std::string> Parser::slice_parts() const {
  constexpr std::size_t most_digits = 6, most_parts = 8;
  std::vector<std::string> out;
  bool sliced = false;
  std::size_t ahead = 1;
  while (out.size() < most_parts) {
    std::string part;
    if (is(".", ahead) && is(".", ahead + 1) && is(".", ahead + 2)) {
      part = "...";
      ahead += 3;
    } else if (is_name("None", ahead)) {
      part = "None";
      ++ahead;
    } else if (names_.is_namespace(at(ahead).text) && is(".", ahead + 1) && is_name("newaxis", ahead + 2)) {
      part = "None";
      ahead += 3;
    }
    for (std::size_t colons = 0; part != "..." && part != "None";) {
      if (is(":", ahead) && colons < 2) {
        part += ':';
        ++colons, ++ahead;
        continue;
      }
      if (!part.empty() && part.back() != ':') break;
      const bool minus = is("-", ahead);
      const Token& t = at(ahead + (minus ? 1 : 0));
      if (t.kind != TokenKind::number || t.text.size() > most_digits) break;
      if (t.text.find_first_not_of("0123456789") != std::string::npos) break;
      part += (minus ? "-" : "") + t.text;
      ahead += minus ? 2 : 1;
    }
    if (part.empty()) return {};
    sliced = sliced || part.find(':') != std::string::npos || part == "...";
    out.push_back(std::move(part));
    if (!is(",", ahead)) break;
    ++ahead;
  }
  return sliced && is("]", ahead) ? out : std::vector<std::string>();
}

bool Parser::slice(Node& value) {
  if (!is("[") || at().spaced) return false;
  std::vector<std::string> parts = slice_parts();
  if (parts.empty()) return false;
  while (!is("]")) ++place_;
  const Span span{value.span.begin, at().span.end};
  ++place_;
  ++operators_;
  value = make_node(Kind::slice, {}, {std::move(value)}, span);
  value.subscripts = std::move(parts);
  return true;
}

namespace {

// As many parts as there are dimensions; empty where there are too many.
std::vector<std::string> one_for_each(const std::vector<std::string>& parts, std::size_t rank) {
  std::vector<std::string> out;
  bool open = false;
  for (const std::string& p : parts) {
    if (p != "...") {
      out.push_back(p);
      continue;
    }
    if (open || parts.size() > rank + 1) return {};
    open = true;
    out.insert(out.end(), rank + 1 - parts.size(), ":");
  }
  if (out.size() > rank) return {};
  out.resize(rank, ":");
  return out;
}

}  // namespace

// x[None, :], x[:, None], x[..., None]: a dimension of size 1, in front or behind.
Maybe Lowering::with_new_axis(const Node& n, Value whole) {
  const auto plain = [](const std::string& p) { return p == ":" || p == "None"; };
  const auto news = static_cast<std::size_t>(std::count(n.subscripts.begin(), n.subscripts.end(), "None"));
  const std::vector<std::string> parts = one_for_each(n.subscripts, whole.axes.size() + news);
  const bool fits = std::all_of(parts.begin(), parts.end(), plain) && parts.size() - news == whole.axes.size();
  if (!fits || news != 1 || whole.kept) return ask("This use of None in a slice is not understood.");
  if (parts.front() != "None")
    whole.kept = static_cast<std::size_t>(std::find(parts.begin(), parts.end(), "None") - parts.begin());
  return whole;
}

Maybe Lowering::sliced(const Node& n) {
  auto whole = lower(n.args[0]);
  if (!whole) return whole;
  if (std::find(n.subscripts.begin(), n.subscripts.end(), "None") != n.subscripts.end())
    return with_new_axis(n, std::move(*whole));
  if (whole->kept) return ask("A slice of a result with keepdim=True is not understood; leave keepdim out.");
  const std::vector<std::string> parts = one_for_each(n.subscripts, whole->axes.size());
  if (parts.empty()) return ask("The slice names more dimensions than there are.");
  const Value held = builder_.hold(*whole);
  Value out = with_text(held, held.tensor);
  out.axes.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SlicePart part = slice_part_of(parts[i]);
    const int size = builder_.size_of(held.axes[i]);
    const std::string all = Builder::size_text(size);
    const auto place = [&](int at) { return at < 0 ? all + " - " + std::to_string(-at) : std::to_string(at); };
    out.text += i == 0 ? "[" : ", ";
    if (part.index) {
      out.text += place(*part.first);
      continue;
    }
    const int step = part.step.value_or(1), first = part.first.value_or(0);
    const bool reversed = step == -1 && !part.first && !part.stop;
    if (step < 1 && !reversed) return ask("The slice '" + parts[i] + "' is not understood.");
    int length = size;
    if (!reversed && (first != 0 || part.stop || step != 1)) {
      const auto made = builder_.part_of(size, {first, part.stop, step});
      if (!made) return ask("The slice '" + parts[i] + "' is not understood, or has no elements.");
      length = *made;
    }
    const int axis = length == size ? (reversed ? builder_.new_axis(size) : held.axes[i]) : builder_.new_axis(length);
    const std::string at = Builder::axis_text(axis);
    out.axes.push_back(axis);
    if (reversed)
      out.text += all + " - 1 - " + at;
    else
      out.text += (step > 1 ? std::to_string(step) + " * " : "") + at + (first != 0 ? " + " + place(first) : "");
  }
  out.text += "]";
  return out;
}

}  // namespace ww::op::formula
