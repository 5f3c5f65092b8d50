// SPDX-License-Identifier: Apache-2.0
#include "op/formula/builder.h"
#include <algorithm>
#include "base/ascii.h"
#include "op/parse.h"

namespace ww::op::formula {
namespace {

// Sizes that a sentence leaves open.
constexpr std::int64_t default_vector = 4096, default_rows = 512, default_columns = 1024, default_product = 256,
                       default_factor = 16;

}  // namespace

int Builder::new_size(std::string name, std::optional<std::int64_t> value) {
  sizes_.push_back({static_cast<int>(sizes_.size()), std::move(name), {}, value});
  return static_cast<int>(sizes_.size()) - 1;
}
int Builder::new_axis(int size) {
  axes_.push_back({static_cast<int>(axes_.size()), size});
  return static_cast<int>(axes_.size()) - 1;
}

std::optional<int> Builder::part_of(int size, const Slice& slice) {
  const int end = slice.stop.value_or(0), step = slice.step;
  const bool to_end = !slice.stop || end < 0;
  int out = new_size();
  if (to_end && slice.first >= 0) {  // all but `cut`
    const int cut = slice.first - end;
    const std::string less = size_text(size) +
                             (cut == step - 1  ? ""
                              : cut > step - 1 ? " - "
                                               : " + ") +
                             (cut == step - 1 ? "" : std::to_string(std::abs(step - 1 - cut)));
    set_text(out, step == 1 ? less : "(" + less + ") / " + std::to_string(step));
    if (const auto whole = value_of(size); whole && *whole >= cut)
      sizes_[static_cast<std::size_t>(out)].value = (*whole - cut + step - 1) / step;
    computed_.push_back({out, size, cut, step});
    return out;
  }
  if (to_end == (slice.first >= 0)) return std::nullopt;  // x[-3:2]
  const int count = end - slice.first;
  if (count < 1) return std::nullopt;
  const int steps = (count + step - 1) / step;
  set_text(out, std::to_string(steps));
  sizes_[static_cast<std::size_t>(out)].value = steps;
  return out;
}

bool Builder::known_sizes() {
  for (const Computed& c : computed_) {
    SizeClass& part = sizes_[static_cast<std::size_t>(root(sizes_, c.size))];
    SizeClass& whole = sizes_[static_cast<std::size_t>(root(sizes_, c.of))];
    if (part.value && !whole.value && whole.text.empty()) whole.value = *part.value * c.step + c.cut;
    if (!part.value || !whole.value) continue;
    const std::int64_t is = (*whole.value - c.cut + c.step - 1) / c.step;
    if (is == *part.value) continue;
    clash = "A slice of " + std::to_string(is) + " elements and " + std::to_string(*part.value) +
            " belong to one dimension";
    return false;
  }
  return true;
}

bool Builder::computed_from(int size, int other) {
  const std::string& text = sizes_[static_cast<std::size_t>(root(sizes_, size))].text;
  for (std::size_t i = text.find("$s"); i != std::string::npos; i = text.find("$s", i + 2)) {
    const int part = root(sizes_, std::stoi(text.substr(i + 2)));
    if (part == other || computed_from(part, other)) return true;
  }
  return false;
}

bool Builder::join_sizes(int a, int b) {
  a = root(sizes_, a), b = root(sizes_, b);
  if (a == b) return true;
  if (computed_from(a, b) || computed_from(b, a)) {
    clash = "A part of a dimension and the whole of it do not fit together.";
    return false;
  }
  SizeClass& first = sizes_[static_cast<std::size_t>(a)];
  SizeClass& second = sizes_[static_cast<std::size_t>(b)];
  if (first.value && second.value && *first.value != *second.value) {
    clash = "The sizes " + std::to_string(*first.value) + " and " + std::to_string(*second.value) +
            " belong to one dimension.";
    return false;
  }
  const bool equal = first.value && second.value;  // both known, and the same
  if (!first.text.empty() && !second.text.empty() && first.text != second.text && !equal) {
    clash = "Two dimensions that must agree are computed in different ways.";
    return false;
  }
  if (!first.value) first.value = second.value;
  if (first.name.empty()) first.name = second.name;
  if (first.text.empty()) first.text = second.text;
  second.parent = a;
  return true;
}

bool Builder::join_axes(int a, int b) {
  a = root(axes_, a), b = root(axes_, b);
  if (a == b) return true;
  if (!join_sizes(axes_[static_cast<std::size_t>(a)].size, axes_[static_cast<std::size_t>(b)].size)) return false;
  axes_[static_cast<std::size_t>(b)].parent = a;
  return true;
}

void Builder::set_name(int size, const std::string& name, bool forced) {
  SizeClass& s = sizes_[static_cast<std::size_t>(root(sizes_, size))];
  if (s.name.empty() || forced) s.name = name;
}

const Builder::Tensor* Builder::find(const std::string& name) const {
  for (const Tensor& t : tensors_)
    if (t.name == name) return &t;
  return nullptr;
}
Builder::Tensor& Builder::declare(const std::string& name, std::vector<int> sizes, DType dtype) {
  taken_.insert(name);
  tensors_.push_back({name, std::move(sizes), dtype, {}});
  return tensors_.back();
}
void Builder::retype(const std::string& name, DType dtype) {
  for (Tensor& t : tensors_)
    if (t.name == name) t.dtype = dtype;
}
void Builder::limit(const std::string& name, const std::string& domain) {
  for (Tensor& t : tensors_)
    if (t.name == name) t.domain = domain;
}
Value Builder::use(const Tensor& tensor) {
  Value out;
  for (int s : tensor.sizes) out.axes.push_back(new_axis(s));
  out.text = tensor.name + subscripts(out.axes);
  out.plain = true;
  out.tensor = tensor.name;
  out.dtype = tensor.dtype;
  return out;
}
std::string Builder::subscripts(const std::vector<int>& axes) const {
  std::string out;
  for (int a : axes) out += (out.empty() ? "[" : ", ") + axis_text(a);
  return out.empty() ? out : out + "]";
}
std::string Builder::fresh(const std::string& base) {
  std::string name = base;
  for (int n = 1; !taken_.insert(name).second; ++n) name = base + std::to_string(n);
  return name;
}
bool Builder::has_constant(const std::string& name) const {
  return std::any_of(constants_.begin(), constants_.end(), [&](const auto& c) { return c.first == name; });
}

Value Builder::hold(const Value& value) {
  if (value.plain && value.tensor + subscripts(value.axes) == value.text) return value;
  Value out = value;
  out.tensor = fresh("t");
  std::string left;
  for (int a : value.axes) left += (left.empty() ? "[" : ", ") + axis_text(a) + " in 0.." + size_text(size_of(a));
  equation(out.tensor + (left.empty() ? left : left + "]") + " = " + value.text);
  out.text = out.tensor + subscripts(value.axes);
  out.plain = false;
  out.number.reset();
  return out;
}

void Builder::name_sizes() {
  std::set<std::string> names;
  const auto own = [&](std::string wanted) {
    if (wanted.empty() || taken_.count(wanted) || names.count(wanted)) {
      for (const char* other : {"N", "M", "K", "L", "P", "Q", "D0", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8"})
        if (!taken_.count(other) && !names.count(other)) {
          wanted = other;
          break;
        }
    }
    names.insert(wanted);
    return wanted;
  };
  for (Tensor& t : tensors_) {
    for (std::size_t i = 0; i < t.sizes.size(); ++i) {
      const int id = root(sizes_, t.sizes[i]);
      SizeClass& s = sizes_[static_cast<std::size_t>(id)];
      if (size_names_.count(id) || !s.text.empty()) continue;
      static const std::vector<std::vector<const char*>> usual = {
          {"N"}, {"R", "C"}, {"B", "R", "C"}, {"N", "C", "H", "W"}};
      std::string wanted = s.name;
      if (wanted.empty() && t.sizes.size() <= usual.size()) wanted = usual[t.sizes.size() - 1][i];
      size_names_[id] = own(wanted);
      if (!s.value) {
        const bool product =
            t.sizes.size() < 3 && (s.name == "M" || s.name == "K" || s.name == "L" || s.name == "N" || s.name == "P");
        s.value = t.sizes.size() == 1 && s.name.empty() ? default_vector
                  : product                             ? default_product
                  : t.sizes.size() == 2                 ? (i == 0 ? default_rows : default_columns)
                                                        : 64;
      }
    }
  }
  for (const int own_size : own_) {
    const int id = root(sizes_, own_size);
    SizeClass& s = sizes_[static_cast<std::size_t>(id)];
    if (size_names_.count(id) || !s.text.empty()) continue;
    size_names_[id] = own(s.name);
    if (!s.value) s.value = default_factor;
  }
  std::set<std::string> used;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const int id = root(axes_, static_cast<int>(a));
    if (axis_names_.count(id)) continue;
    const auto size = size_names_.find(root(sizes_, axes_[static_cast<std::size_t>(id)].size));
    std::string name = size != size_names_.end() ? ascii_lower(size->second) : std::string();
    const std::string base = name;
    const auto is_free = [&](const std::string& n) {
      return !n.empty() && !taken_.count(n) && !used.count(n) && !names.count(n);
    };
    for (const char* other : {"i", "j", "k", "l", "p", "q"})
      if (!is_free(name)) name = other;
    for (int n = 0; !is_free(name); ++n) name = "i" + std::to_string(n);
    used.insert(name);
    axis_names_[id] = name;
  }
}

std::string Builder::filled(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    const bool axis = text[i + 1] == 'a';
    const std::size_t digits = i + 2;
    i = text.find('$', digits);
    const int id = std::stoi(text.substr(digits, i - digits));
    if (axis) {
      out += axis_names_[root(axes_, id)];
    } else {
      const int s = root(sizes_, id);
      const std::string& computed = sizes_[static_cast<std::size_t>(s)].text;
      out += computed.empty() ? size_names_[s] : "(" + filled(computed) + ")";
    }
  }
  return out;
}

Result<Spec> Builder::finish(const Value& value, const std::string& name, const std::string& output,
                             const Facts& facts) {
  const std::string target = output.empty() || taken_.count(output) ? fresh("y") : fresh(output);
  if (!known_sizes()) return fail(Code::parse, clash);
  name_sizes();
  std::string inputs, shape, left, defaults;
  for (const Tensor& t : tensors_) {
    std::string dims;
    for (int s : t.sizes) dims += (dims.empty() ? "[" : ", ") + filled(size_text(s));
    const DType type = t.dtype == DType::f32 ? facts.dtype.value_or(DType::f32) : t.dtype;
    inputs += (inputs.empty() ? "" : ", ") + t.name + ": " + std::string(dtype_name(type)) +
              (dims.empty() ? dims : dims + "]") + filled(t.domain);
  }
  std::string constants;
  for (const auto& [n, v] : constants_) constants += (constants.empty() ? "; " : ", ") + n + " = " + v;
  const auto dimension = [&](const std::string& index, const std::string& size) {
    shape += (shape.empty() ? "[" : ", ") + size;
    left += (left.empty() ? "[" : ", ") + index + " in 0.." + size;
  };
  for (std::size_t i = 0; i <= value.axes.size(); ++i) {
    if (value.kept == i) dimension("one", "1");
    if (i < value.axes.size()) dimension(filled(axis_text(value.axes[i])), filled(size_text(size_of(value.axes[i]))));
  }
  if (!shape.empty()) shape += "]", left += "]";
  for (const auto& [id, n] : size_names_)
    if (sizes_[static_cast<std::size_t>(id)].text.empty())
      defaults += (defaults.empty() ? "\n  default " : ", ") + n + " = " +
                  std::to_string(*sizes_[static_cast<std::size_t>(id)].value);
  const DType type = value.dtype == DType::f32 ? facts.output.value_or(facts.dtype.value_or(DType::f32)) : value.dtype;
  std::string text = "op " + name + "(" + inputs + constants + ") -> " + target + ": " + std::string(dtype_name(type)) +
                     shape + defaults + "\n{\n";
  // The last temporary is the output itself where nothing is done with it.
  const bool last = !value.plain && !value.kept && !equations_.empty() && !value.tensor.empty() &&
                    value.text == value.tensor + subscripts(value.axes) &&
                    equations_.back().compare(0, value.tensor.size() + 1, value.tensor + "[") == 0;
  if (last) equations_.back().replace(0, value.tensor.size(), target);
  for (const std::string& e : equations_) text += "  " + filled(e) + "\n";
  if (!last) text += "  " + target + left + " = " + filled(value.text) + "\n";
  text += "}\n";
  return parse_spec(text, name);
}

}  // namespace ww::op::formula
