// SPDX-License-Identifier: Apache-2.0
// Shapes as Python changes and names them: x.view(B, T, -1), x.flatten(1), x.squeeze(1), x.repeat(1, 2), x.shape[0].
#include <algorithm>
#include <cmath>
#include <set>
#include "op/formula/lowering.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {

using Kind = Node::Kind;

namespace {

bool whole_number(const Node& n) { return n.kind == Kind::number && n.number == std::floor(n.number); }

// The arguments behind the first, or those of a tuple in their place: view(2, 3), reshape((2, 3)).
std::vector<Node> sizes_behind(const Node& n) {
  std::vector<Node> out(n.args.begin() + 1, n.args.end());
  if (out.empty() && n.named.size() == 1) out = {n.named[0].value};
  if (out.size() == 1 && out[0].kind == Kind::tuple) out = std::vector<Node>(out[0].args);
  return out;
}

// The product of two sizes; nothing where one is not known, or beyond what any tensor has.
std::optional<std::int64_t> bounded_product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  return a && b && *a <= most / std::max<std::int64_t>(*b, 1) ? std::optional(*a * *b) : std::nullopt;
}

// dim of squeeze(x, dim), flatten(x, start_dim=1): the argument by place or by one of its names.
const Node* call_argument(const Node& n, std::size_t place, std::initializer_list<const char*> names) {
  if (n.args.size() > place) return &n.args[place];
  for (const NamedArgument& a : n.named)
    for (const char* name : names)
      if (a.name == name) return &a.value;
  return nullptr;
}

}  // namespace

// The sizes whose product a size is; itself where it is none.
std::vector<int> Lowering::factors_of_size(int size) {
  for (const auto& [of, factors] : products_of_sizes_)
    if (builder_.same_size(of, size)) return factors;
  return {size};
}

int Lowering::product_size(const std::vector<int>& sizes) {
  std::vector<int> factors;
  for (const int s : sizes)
    for (const int f : factors_of_size(s)) factors.push_back(f);
  if (factors.size() == 1) return factors[0];
  std::string text;
  std::optional<std::int64_t> value = 1;
  for (const int f : factors) {
    text += (text.empty() ? "" : "*") + Builder::size_text(f);
    value = bounded_product(value, builder_.value_of(f));
  }
  const int out = builder_.new_size({}, value);
  builder_.set_text(out, factors.empty() ? "1" : text);
  products_of_sizes_.emplace_back(out, std::move(factors));
  return out;
}

// 64, B, "H*D", "2*N"
int Lowering::size_by_text(const std::string& text) {
  std::vector<int> sizes;
  for (const std::string& part : phrases::split_list(text, '*')) {
    if (part.find_first_not_of("0123456789") == std::string::npos) {
      sizes.push_back(builder_.new_size({}, std::stoll(part.substr(0, 15))));
      builder_.set_text(sizes.back(), part);
    } else {
      sizes.push_back(symbol_size({part, {}}));
      builder_.own_size(sizes.back());
    }
  }
  return product_size(sizes);
}

bool Lowering::equal_sizes(int a, int b) {
  const auto first = builder_.value_of(a), second = builder_.value_of(b);
  if (builder_.same_size(a, b) || (first && second && *first == *second)) return true;
  std::vector<int> left = factors_of_size(a), right = factors_of_size(b);
  if (left.size() != right.size() || left.size() < 2) return false;
  return std::all_of(left.begin(), left.end(), [&](int l) {
    const auto same = std::find_if(right.begin(), right.end(), [&](int r) { return builder_.same_size(l, r); });
    if (same == right.end()) return false;
    right.erase(same);
    return true;
  });
}

// A target of a reshape; nothing for -1, the rest, or for what is no size.
std::optional<int> Lowering::target_size(const Node& target, const Value& from, const std::string& name) {
  if (whole_number(target) && target.number >= 1 && target.number < 1e12)
    return size_by_text(std::to_string(static_cast<std::int64_t>(target.number)));
  if (target.kind == Kind::word && target.text.find_first_not_of("0123456789*") != std::string::npos)
    return size_by_text(target.text);
  const bool own = target.kind == Kind::call && target.text == "size" && target.args.size() == 2 &&
                   target.args[0].kind == Kind::name && target.args[0].text == name && whole_number(target.args[1]);
  if (!own) return std::nullopt;
  const auto rank = static_cast<double>(from.axes.size());
  const double at = target.args[1].number + (target.args[1].number < 0 ? rank : 0);
  if (at < 0 || at >= rank) return std::nullopt;
  return builder_.size_of(from.axes[static_cast<std::size_t>(at)]);
}

namespace {
constexpr int rest_of_sizes = -1;
}

// What `targets`, one of which may be the rest, are of the dimensions `from` of a tensor. False: they do not fit, or it
// is not certain that they do.
bool Lowering::fit_sizes(const std::vector<int>& from, std::vector<int>& targets) {
  const auto value_of_all = [&](const std::vector<int>& sizes) {
    std::optional<std::int64_t> out = 1;
    for (const int s : sizes)
      out = bounded_product(out, s == rest_of_sizes ? std::optional<std::int64_t>(1) : builder_.value_of(s));
    return out;
  };
  const auto rest = std::find(targets.begin(), targets.end(), rest_of_sizes);
  const auto all = value_of_all(from), given = value_of_all(targets);
  if (rest != targets.end()) {
    if (targets.size() == 1) {
      *rest = product_size(from);
      return true;
    }
    if (all && given) {
      if (*all % *given != 0) return false;
      *rest = size_by_text(std::to_string(*all / *given));
      return true;
    }
    if (from.size() != 1 || builder_.value_of(from[0]) || factors_of_size(from[0]).size() > 1) return false;
    *rest = builder_.new_size();
    builder_.own_size(*rest);
    return builder_.join_sizes(from[0], product_size(targets));
  }
  if (all && given) return *all == *given;
  const int left = product_size(from), right = product_size(targets);
  if (equal_sizes(left, right)) return true;
  if (from.size() == 1 && factors_of_size(from[0]).size() == 1) return builder_.join_sizes(from[0], right);
  return targets.size() == 1 && factors_of_size(targets[0]).size() == 1 && builder_.join_sizes(targets[0], left);
}

// The elements of `v` in their order, in a tensor of other sizes.
Maybe Lowering::regrouped(const Value& v, std::vector<int> targets) {
  if (v.kept) return ask("Another shape of a result with keepdim=True is not understood; leave keepdim out.");
  if (std::count(targets.begin(), targets.end(), rest_of_sizes) > 1) return ask("Only one size may be -1.");
  const Value held = builder_.hold(v);
  std::vector<int> sizes;
  for (const int a : held.axes) sizes.push_back(builder_.size_of(a));
  std::size_t front = 0, back = 0;  // dimensions that stay as they are
  const auto stays = [&](std::size_t from, std::size_t to) {
    return targets[to] != rest_of_sizes && equal_sizes(sizes[from], targets[to]);
  };
  while (front < sizes.size() && front < targets.size() && stays(front, front)) ++front;
  while (front + back < sizes.size() && front + back < targets.size() &&
         stays(sizes.size() - 1 - back, targets.size() - 1 - back))
    ++back;
  const auto middle = [&](const std::vector<int>& all) {
    return std::vector<int>(all.begin() + static_cast<std::ptrdiff_t>(front),
                            all.end() - static_cast<std::ptrdiff_t>(back));
  };
  const std::vector<int> from = middle(sizes);
  std::vector<int> to = middle(targets);
  if (!fit_sizes(from, to)) return std::nullopt;
  Value out = with_text(held, held.tensor);
  out.axes.assign(held.axes.begin(), held.axes.begin() + static_cast<std::ptrdiff_t>(front));
  std::string flat;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const int axis = builder_.new_axis(to[i]);
    out.axes.push_back(axis);
    const std::string size = Builder::size_text(to[i]);
    flat = i == 0 ? Builder::axis_text(axis) : "(" + flat + ") * " + size + " + " + Builder::axis_text(axis);
  }
  if (flat.empty()) flat = "0";
  std::vector<std::string> places;
  for (std::size_t i = 0; i < front; ++i) places.push_back(Builder::axis_text(held.axes[i]));
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::string place = from.size() == 1 && to.size() == 1 ? flat : "(" + flat + ")";
    std::string below;
    for (std::size_t k = i + 1; k < from.size(); ++k) below += (below.empty() ? "" : "*") + Builder::size_text(from[k]);
    if (!below.empty()) place += " / (" + below + ")";
    if (i > 0) place = "(" + place + ") % " + Builder::size_text(from[i]);
    places.push_back(place);
  }
  for (std::size_t i = 0; i < back; ++i) {
    const int axis = held.axes[held.axes.size() - back + i];
    out.axes.push_back(axis);
    places.push_back(Builder::axis_text(axis));
  }
  for (std::size_t i = 0; i < places.size(); ++i) out.text += (i == 0 ? "[" : ", ") + places[i];
  if (!places.empty()) out.text += "]";
  return out;
}

// Whether a name stands for a tensor of which no number of dimensions is known.
bool Lowering::shapeless(const Node& n) const {
  return n.kind == Kind::name && !builder_.find(n.text) && !facts_.shapes.count(n.text) && facts_.general.empty() &&
         !facts_.rank && !rank_.count(n.text);
}

Maybe Lowering::reshaped(const Node& n) {
  const std::vector<Node> targets = sizes_behind(n);
  const bool flat = targets.size() == 1 && whole_number(targets[0]) && targets[0].number == -1;
  if (targets.empty() || n.args.empty() || n.named.size() > 1) return ask("'" + n.text + "' takes the new sizes.");
  const std::string name = n.args[0].kind == Kind::name ? n.args[0].text : std::string();
  if (!flat && shapeless(n.args[0])) return ask_for_shape(n, targets);
  auto v = lower(n.args[0]);
  if (!v) return v;
  std::vector<int> sizes;
  for (const Node& t : targets) {
    if (whole_number(t) && t.number == -1) {
      sizes.push_back(rest_of_sizes);
      continue;
    }
    const auto size = target_size(t, *v, name);
    if (!size) return ask("The new sizes of '" + n.text + "' are not understood.");
    sizes.push_back(*size);
  }
  auto out = regrouped(*v, sizes);
  if (!out)
    ask("It is not certain that the new sizes of '" + n.text + "' fit the tensor; give its shape in the same sizes.");
  return out;
}

// "x.view(B, T, H, D)" of a tensor of which nothing is known: with its last sizes as one.
Maybe Lowering::ask_for_shape(const Node& n, const std::vector<Node>& targets) {
  ask("Which shape does '" + n.args[0].text + "' have before '" + n.text + "'?");
  std::string shape, flat;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Node& t = targets[i];
    const bool number = whole_number(t) && t.number >= 1;
    if (!number && (t.kind != Kind::word || t.text == "None")) return std::nullopt;
    const std::string size = number ? std::to_string(static_cast<std::int64_t>(t.number)) : t.text;
    flat += (flat.empty() ? "" : "*") + size;
    shape += i == 0 ? size : (i + 1 == targets.size() ? "*" : ", ") + size;
  }
  if (targets.size() > 2)
    out_.insertions.push_back({statement_.next, 0, ", " + n.args[0].text + " is [" + shape + "]", "of shape " + shape});
  return std::nullopt;
}

// flatten(start_dim, end_dim), ravel()
Maybe Lowering::flattened(const Node& n) {
  const Node *first = call_argument(n, 1, {"start_dim"}), *last = call_argument(n, 2, {"end_dim"});
  if ((first && !whole_number(*first)) || (last && !whole_number(*last)))
    return ask("'" + n.text + "' takes the numbers of the first and the last dimension.");
  const bool whole = (!first || first->number == 0) && (!last || last->number == -1);
  if (!whole && shapeless(n.args[0])) {
    ask("How many dimensions does '" + n.args[0].text + "' have?");
    for (const char* shape : {"(N, C, H, W)", "(B, T, D)"})
      out_.insertions.push_back(
          {statement_.next, 0, ", " + n.args[0].text + " is " + shape, std::string("of shape ") + shape});
    return std::nullopt;
  }
  auto v = lower(n.args[0]);
  if (!v) return v;
  const auto rank = static_cast<double>(v->axes.size());
  double from = first ? first->number : 0, to = last ? last->number : -1;
  from += from < 0 ? rank : 0, to += to < 0 ? rank : 0;
  if (from < 0 || to >= rank || from > to)
    return ask("There is no such dimension: the tensor has " + std::to_string(v->axes.size()) + ".");
  std::vector<int> sizes;
  for (std::size_t i = 0; i < v->axes.size(); ++i) {
    const auto at = static_cast<double>(i);
    if (at > from && at <= to) continue;
    sizes.push_back(at == from && from < to ? rest_of_sizes : builder_.size_of(v->axes[i]));
  }
  return regrouped(*v, sizes);
}

// squeeze(x), squeeze(x, 1): without a dimension of size 1
Maybe Lowering::squeezed(const Node& n) {
  const Node* dim = call_argument(n, 1, {"dim", "axis"});
  if (dim && !whole_number(*dim)) return ask("'squeeze' takes the number of a dimension.");
  auto v = lower(n.args[0]);
  if (!v) return v;
  const auto rank = static_cast<double>(v->axes.size()) + (v->kept ? 1 : 0);
  const double at = dim ? dim->number + (dim->number < 0 ? rank : 0) : v->kept ? static_cast<double>(*v->kept) : -1;
  if (v->kept && at == static_cast<double>(*v->kept)) {
    v->kept.reset();
    v->numbered.reset();
    return v;
  }
  if (v->kept || at < 0 || at >= rank) return ask("'squeeze' is understood for a dimension of size 1 by its number.");
  const auto place = static_cast<std::size_t>(at);
  const auto size = builder_.value_of(builder_.size_of(v->axes[place]));
  if (size != std::optional<std::int64_t>(1)) return ask("'squeeze' is of a dimension of size 1.");
  std::vector<int> sizes;
  for (std::size_t i = 0; i < v->axes.size(); ++i)
    if (i != place) sizes.push_back(builder_.size_of(v->axes[i]));
  return regrouped(*v, sizes);
}

// unsqueeze(x, 1), expand_dims(x, axis=1): with a dimension of size 1
Maybe Lowering::unsqueezed(const Node& n) {
  const Node* dim = call_argument(n, 1, {"dim", "axis"});
  if (!dim || !whole_number(*dim)) return ask("'" + n.text + "' takes the number of a dimension.");
  if (shapeless(n.args[0])) {
    ask("How many dimensions does '" + n.args[0].text + "' have?");
    std::set<std::string> names;
    tensor_names(statement_.value, names);
    const std::string all = phrases::listed(std::vector<std::string>(names.begin(), names.end()), " and ");
    const std::string link = names.size() > 1 ? " are " : " is ";
    for (const auto& [shape, difference] : {std::pair("vectors", "one"), std::pair("2-D", "two")})
      out_.insertions.push_back({statement_.next, 0,
                                 ", " + all + link + (names.size() > 1 || shape[0] == '2' ? shape : "a vector"),
                                 std::string(difference) + (difference[0] == 'o' ? " dimension" : " dimensions")});
    return std::nullopt;
  }
  auto v = lower(n.args[0]);
  if (!v) return v;
  const double rank = static_cast<double>(v->axes.size()) + 1;
  const double at = dim->number + (dim->number < 0 ? rank : 0);
  if (v->kept || at < 0 || at >= rank)
    return ask("'" + n.text + "' is understood once, for a dimension that the result has.");
  v->kept = static_cast<std::size_t>(at);
  return v;
}

// repeat(2, 3) of PyTorch and tile(x, (2, 3)): each dimension so many times over.
Maybe Lowering::repeated(const Node& n) {
  const std::vector<Node> times = sizes_behind(n);
  const bool whole =
      std::all_of(times.begin(), times.end(), [](const Node& t) { return whole_number(t) && t.number >= 1; });
  if (times.empty() || !whole || (n.named.size() == 1 && n.args.size() > 1))
    return ask("'" + n.text + "' takes how often each dimension is repeated.");
  if (shapeless(n.args[0])) rank_.emplace(n.args[0].text, static_cast<int>(times.size()));
  auto v = lower(n.args[0]);
  if (!v) return v;
  if (v->kept || times.size() != v->axes.size())
    return ask("'" + n.text + "' is understood with one number for each dimension of the tensor.");
  const Value held = builder_.hold(*v);
  Value out = with_text(held, held.tensor);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const int size = builder_.size_of(held.axes[i]);
    std::string place = Builder::axis_text(held.axes[i]);
    if (times[i].number > 1) {
      const int count = size_by_text(std::to_string(static_cast<std::int64_t>(times[i].number)));
      out.axes[i] = builder_.new_axis(product_size({count, size}));
      place = Builder::axis_text(out.axes[i]) + " % " + Builder::size_text(size);
    }
    out.text += (i == 0 ? "[" : ", ") + place;
  }
  out.text += "]";
  return out;
}

// roll(x, 1, 0) and flip(x, (0, 1)): other places of the same dimension.
Maybe Lowering::moved(const Node& n) {
  const bool roll = n.text == "roll";
  const Node *shift = roll ? call_argument(n, 1, {"shifts", "shift"}) : nullptr,
             *dim = call_argument(n, roll ? 2 : 1, {"dims", "dim", "axis"});
  if ((roll && (!shift || !whole_number(*shift))) || !dim)
    return ask(roll ? "'roll' is understood with a number of places and a dimension: x.roll(1, 0)."
                    : "'flip' is understood with its dimensions: x.flip(0).");
  std::vector<Node> dims = roll || n.args.size() < 3 ? std::vector<Node>{*dim} : sizes_behind(n);  // x.flip(0, 1)
  if (dims.size() == 1 && dims[0].kind == Kind::tuple) dims = std::vector<Node>(dims[0].args);
  if (roll && dims.size() > 1) return ask("'roll' is understood along one dimension.");
  if (shapeless(n.args[0])) {
    int least = 2;
    for (const Node& d : dims) least = std::max(least, static_cast<int>(d.number < 0 ? -d.number : d.number + 1));
    rank_.emplace(n.args[0].text, least);
  }
  auto v = lower(n.args[0]);
  if (!v) return v;
  if (v->kept) return ask("'" + n.text + "' of a result with keepdim=True is not understood; leave keepdim out.");
  const Value held = builder_.hold(*v);
  Value out = with_text(held, held.tensor);
  std::vector<std::string> places;
  for (const int a : held.axes) places.push_back(Builder::axis_text(a));
  for (const Node& d : dims) {
    const auto rank = static_cast<double>(held.axes.size());
    const double at = d.number + (d.number < 0 ? rank : 0);
    if (!whole_number(d) || at < 0 || at >= rank)
      return ask("There is no such dimension: the tensor has " + std::to_string(held.axes.size()) + ".");
    const auto i = static_cast<std::size_t>(at);
    const std::string size = Builder::size_text(builder_.size_of(held.axes[i]));
    const std::string by = roll ? std::to_string(static_cast<std::int64_t>(std::fabs(shift->number))) : "";
    places[i] = roll ? "(" + places[i] + (shift->number < 0 ? " + " : " - ") + by + ") % " + size
                     : size + " - 1 - " + places[i];
  }
  for (std::size_t i = 0; i < places.size(); ++i) out.text += (i == 0 ? "[" : ", ") + places[i];
  out.text += "]";
  return out;
}

// x.shape[0], x.size(-1), len(x), x.numel()
Maybe Lowering::size_of_tensor(const Node& n) {
  auto v = lower(n.args[0]);
  if (!v) return v;
  Value out;
  if (n.text == "numel") {
    for (const int a : v->axes) out.text += (out.text.empty() ? "(" : " * ") + Builder::size_text(builder_.size_of(a));
    out.text += out.text.empty() ? "1" : ")";
    return out;
  }
  const double number = n.text == "len" ? 0 : n.args[1].number;
  const auto rank = static_cast<double>(v->axes.size());
  const double at = number + (number < 0 ? rank : 0);
  if (v->kept || at < 0 || at >= rank)
    return ask("There is no such dimension: the tensor has " + std::to_string(v->axes.size()) + ".");
  out.text = Builder::size_text(builder_.size_of(v->axes[static_cast<std::size_t>(at)]));
  return out;
}

// Calls that change or name a shape; nothing, without a question, for others.
Maybe Lowering::shape_call(const Node& n) {
  if (n.args.empty()) return std::nullopt;
  const bool size = n.text == "size" && n.args.size() == 2 && whole_number(n.args[1]);
  const bool numel = n.text == "numel" && n.args.size() == 1;
  if (n.named.empty() && ((n.exact && (size || numel)) || (n.text == "len" && n.args.size() == 1)))
    return size_of_tensor(n);
  if (!n.exact) return std::nullopt;
  if (n.text == "view" || n.text == "reshape") return reshaped(n);
  if (n.text == "flatten" || n.text == "ravel") return flattened(n);
  if (n.text == "squeeze") return squeezed(n);
  if (n.text == "unsqueeze" || n.text == "expand_dims") return unsqueezed(n);
  const bool numpy = n.library == "np" || n.library == "numpy" || n.library == "jnp";
  if (n.text == "tile" || (n.text == "repeat" && !numpy)) return repeated(n);
  if (n.text == "roll" || n.text == "flip") {
    const Node* dim = call_argument(n, n.text == "roll" ? 2 : 1, {"dims", "dim", "axis"});
    // roll(x, 1, 1), flip(x, 0) and flip(x, 1) are ops of the library.
    const double first = n.text == "flip" ? 0 : 1;
    const bool several =
        dim && (dim->kind == Kind::tuple ? dim->args.size() > 1 : n.text == "flip" && n.args.size() > 2);
    const bool other = dim && whole_number(*dim) && dim->number != -1 && dim->number != 1 && dim->number != first;
    if (several || other) return moved(n);
  }
  return std::nullopt;
}

}  // namespace ww::op::formula
