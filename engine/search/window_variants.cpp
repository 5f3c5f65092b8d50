// SPDX-License-Identifier: Apache-2.0
// Reductions over a window that slides over an input: pooling, depthwise convolution.
#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;
using op::Type;

namespace {

// Factor of `index` in an expression that is linear in it; null where it is not. 0 where it does not occur.
ExprPtr coefficient(const ExprPtr& e, const std::string& index) {
  if (!uses(*e, index)) return op::integer_literal(0);
  if (is_name(*e, index)) return op::integer_literal(1);
  if (e->kind != ExprKind::binary) return nullptr;
  const ExprPtr &a = e->args[0], &b = e->args[1];
  if (e->binary == BinaryOp::mul) {
    const ExprPtr& with = uses(*a, index) ? a : b;
    const ExprPtr& fixed = uses(*a, index) ? b : a;
    if (uses(*fixed, index)) return nullptr;
    const ExprPtr c = coefficient(with, index);
    return c ? mul(c, fixed) : nullptr;
  }
  if (e->binary != BinaryOp::add && e->binary != BinaryOp::sub) return nullptr;
  const ExprPtr x = coefficient(a, index), y = coefficient(b, index);
  if (!x || !y) return nullptr;
  if (e->binary == BinaryOp::add) return add(x, y);
  return is_integer(y, 0) ? x : nullptr;
}

// The input region that one block of outputs needs.
struct Region {
  struct Dimension {
    std::size_t at = 0;                           // of the access
    bool across = false;                          // follows the last output index; otherwise the one before it
    ExprPtr step;                                 // per output
    std::vector<std::pair<Index, ExprPtr>> taps;  // per reduction index
  };
  const Expr* access = nullptr;  // the access, or the padded access
  const Expr* inner = nullptr;   // the access itself
  std::vector<Dimension> dimensions;
  bool two = false;  // tiles over the last two output indices, otherwise over the last alone
};

const Equation& owner(const Group& group) {
  return *std::find_if(group.equations.begin(), group.equations.end(),
                       [](const Equation& eq) { return has_reduce(*eq.value); });
}

std::optional<Region> region_of(const Program& program, const Group& group) {
  const Equation& eq = owner(group);
  const Expr& reduce = *outer_reductions(*eq.value)[0];
  const std::set<std::string> in = names_of(reduce.indices), out = names_of(group.rows);
  std::optional<Region> found;
  bool ok = true;
  const std::function<void(const Expr&)> visit = [&](const Expr& e) {
    if (e.kind == ExprKind::access || e.kind == ExprKind::padded) {
      const Expr& access = e.kind == ExprKind::padded ? *e.args[0] : e;
      bool window = false;
      for (const ExprPtr& s : access.args) window = window || (uses_any(*s, in) && uses_any(*s, out));
      if (window) {
        if (found && op::print(*found->access) != op::print(e)) ok = false;
        if (!found) {
          found = Region{};
          found->access = &e;
          found->inner = &access;
        }
        return;
      }
    }
    for (const ExprPtr& a : e.args) visit(*a);
  };
  visit(*reduce.args[0]);
  if (!found || !ok || group.rows.empty() || program.tensor(found->inner->name).storage != Storage::input ||
      !is_real(program.tensor(found->inner->name).dtype))
    return std::nullopt;
  const std::string q = group.rows.back().name, p = group.rows.size() > 1 ? group.rows[group.rows.size() - 2].name : "";
  for (std::size_t d = 0; d < found->inner->args.size(); ++d) {
    const ExprPtr& s = found->inner->args[d];
    const bool has_q = uses(*s, q), has_p = !p.empty() && uses(*s, p);
    if (!has_q && !has_p) {
      if (uses_any(*s, in)) return std::nullopt;
      continue;
    }
    bool windowed = uses_any(*s, in);
    if (!windowed && has_p) continue;  // a plane of its own, such as a channel
    if (has_q && has_p) return std::nullopt;
    Region::Dimension dim;
    dim.at = d;
    dim.across = has_q;
    dim.step = coefficient(s, has_q ? q : p);
    if (!dim.step || !op::free_indices(*dim.step).empty()) return std::nullopt;
    for (const Index& r : reduce.indices) {
      const ExprPtr c = coefficient(s, r.name);
      if (!c || !op::free_indices(*c).empty() || !from_zero(r)) return std::nullopt;
      if (!is_integer(c, 0)) dim.taps.emplace_back(r, c);
    }
    found->two = found->two || has_p;
    found->dimensions.push_back(dim);
  }
  if (found->dimensions.empty() ||
      std::none_of(found->dimensions.begin(), found->dimensions.end(), [](const auto& d) { return d.across; }))
    return std::nullopt;
  return found;
}

class WindowLowering : GroupLowering {
 public:
  WindowLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel), reduce_(*outer_reductions(*owner(group).value)[0]) {
    q_ = group.rows.back();
    if (group.rows.size() > 1) p_ = group.rows[group.rows.size() - 2];
  }

  // A thread per output of a plane: no divisions for the last two indices.
  void plane() {
    const std::string width = source_.tune("WIDTH", {32, 16, 64}), lines = source_.tune("LINES", {8, 4, 2});
    grid(width, lines, "1");
    k_.open(fmt::format("if ({} < {} && {} < {}) {{", e_.index(p_.name), e_.subscript(p_.hi, sum_strength),
                        e_.index(q_.name), e_.subscript(q_.hi, sum_strength)));
    serial();
    k_.close();
  }

  // A thread computes ITEMS outputs below each other: what does not depend on the line is loaded once for all of them.
  void strip() {
    const std::string width = source_.tune("WIDTH", {32, 64, 16}), lines = source_.tune("LINES", {4, 2, 8}),
                      items = source_.tune("ITEMS", {4, 2, 8});
    grid(width, lines, items);
    const std::string sums = k_.fresh("sums"), item = k_.fresh_inside("item"), p = e_.index(p_.name),
                      type = e_.type_name(accumulator_type(reduce_));
    k_.line(fmt::format("if ({} >= {}) return;", e_.index(q_.name), e_.subscript(q_.hi, sum_strength)));
    k_.line(fmt::format("{} {}[{}];", type, sums, items));
    const Items outputs{.count = items, .item = item, .index = p, .first = first_};
    each_item(outputs, [&] {
      k_.line(fmt::format("{}[{}] = {};", sums, item, identity_of(e_, reduce_.reduce, accumulator_type(reduce_))));
    });
    e_.open_loops(reduce_.indices);
    Accumulator a;
    a.node = &reduce_;
    a.value = sums + "[" + item + "]";
    each_item(outputs, [&] {
      k_.open(fmt::format("if ({} < {}) {{", p, e_.subscript(p_.hi, sum_strength)));
      update_accumulator(e_, a);
      k_.close();
    });
    e_.close_loops(reduce_.indices.size());
    each_item(outputs, [&] {
      k_.open(fmt::format("if ({} < {}) {{", p, e_.subscript(p_.hi, sum_strength)));
      e_.replaced[&reduce_] = a.value;
      finish_equations(e_, group_, kept_, locals_);
      locals_.clear();
      k_.close();
    });
  }

  // The inputs of a tile of outputs go through shared memory.
  void shared(const Region& region) {
    const std::string t = source_.index_type();
    const std::string width = source_.tune("WIDTH", region.two ? std::vector<std::int64_t>{16, 32, 8}
                                                               : std::vector<std::int64_t>{128, 64, 256});
    const std::string lines = region.two ? source_.tune("LINES", {16, 8, 4}) : "1";
    std::vector<std::string> sizes;  // of the region, in the plan's language and in C++
    for (const auto& d : region.dimensions) {
      std::string size = fmt::format("({} - 1) * {}", d.across ? width : lines, bracketed(op::print(*d.step)));
      for (const auto& [r, c] : d.taps)
        size += fmt::format(" + ({} - 1){}", op::print(*extent(r)),
                            is_integer(c, 1) ? "" : " * " + bracketed(op::print(*c)));
      sizes.push_back("(" + size + " + 1)");
    }
    std::string bytes = program_.f64 ? "8" : "4";
    for (const std::string& s : sizes) bytes += " * " + s;
    source_.require(bytes + " <= 40960");
    grid(width, lines, "1", bytes, !region.two);
    const std::string tile = k_.fresh("tile"), at = k_.fresh_inside("at"), thread = k_.fresh("thread");
    k_.line(fmt::format("extern __shared__ {} {}[];", source_.real(), tile));
    std::vector<std::string> extents, starts, places;
    std::map<std::string, ExprPtr> first_tap;
    for (const Index& r : reduce_.indices) first_tap[r.name] = op::integer_literal(0);
    // From the tile's first output on.
    e_.bind(q_, column0_);
    if (region.two) e_.bind(p_, line0_);
    for (std::size_t i = 0; i < region.dimensions.size(); ++i) {
      const auto& d = region.dimensions[i];
      const std::string word = d.across ? "width" : "height";
      extents.push_back(k_.fresh("tile_" + word));
      std::string size = product(fmt::format("({} - 1)", d.across ? width : lines), d.step);
      for (const auto& [r, c] : d.taps)
        size += " + " + product("(" + e_.subscript(extent(r), sum_strength) + " - 1)", c);
      k_.line(fmt::format("const {} {} = {} + 1;", t, extents[i], size));
      starts.push_back(k_.fresh(d.across ? "left" : "top"));
      k_.line(fmt::format("const {} {} = {};", t, starts[i],
                          e_.subscript(simplified(op::substitute(region.inner->args[d.at], first_tap)))));
    }
    e_.bind(q_);
    if (region.two) e_.bind(p_);
    std::string count = extents[0];
    for (std::size_t i = 1; i < extents.size(); ++i) count += " * " + extents[i];
    k_.line(fmt::format("const int {} = threadIdx.y * {} + threadIdx.x;", thread, width));
    k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4} * {5}) {{", t, at, thread, count, width, lines));
    auto inside = std::make_shared<Expr>(*region.inner);
    std::string rest = at;
    std::vector<std::string> declared;
    for (std::size_t i = region.dimensions.size(); i-- > 0;) {
      const std::string name = k_.fresh(region.dimensions[i].across ? "column" : "line");
      declared.push_back(
          fmt::format("const {} {} = {} + {}{};", t, name, starts[i], rest, i > 0 ? " % " + extents[i] : ""));
      rest += " / " + extents[i];
      inside->args[region.dimensions[i].at] = op::name_of(name, op::Role::index);
      e_.bind({name, op::integer_literal(-1), op::integer_literal(-1), true, {}}, name);
    }
    for (std::size_t i = declared.size(); i-- > 0;) k_.line(declared[i]);
    auto padded = std::make_shared<Expr>(*region.access);
    padded->kind = ExprKind::padded;
    padded->name.clear();
    padded->type = region.inner->type;
    padded->args = {inside, region.access->kind == ExprKind::padded ? region.access->args[1] : op::real_literal(0)};
    k_.line(fmt::format("{}[{}] = {};", tile, at, e_.emit(*padded).text));
    k_.close();
    k_.barrier();
    read_from(tile, region, extents);
    k_.open(region.two ? fmt::format("if ({} < {} && {} < {}) {{", e_.index(p_.name), e_.subscript(p_.hi, sum_strength),
                                     e_.index(q_.name), e_.subscript(q_.hi, sum_strength))
                       : fmt::format("if ({} < {}) {{", e_.index(q_.name), e_.subscript(q_.hi, sum_strength)));
    serial();
    k_.close();
  }

 private:
  // From here on, what the reduction reads of the region comes from the tile.
  void read_from(const std::string& tile, const Region& region, const std::vector<std::string>& extents) {
    std::string place;
    for (std::size_t i = 0; i < region.dimensions.size(); ++i) {
      const auto& d = region.dimensions[i];
      std::string offset = product(d.across ? "threadIdx.x" : "threadIdx.y", d.step);
      for (const auto& [r, c] : d.taps) offset += " + " + product(k_.index(r.name), c);
      place = place.empty() ? offset : fmt::format("({}) * {} + {}", place, extents[i], offset);
    }
    const std::string text = op::print(*region.access);
    op::for_each(*reduce_.args[0], [&](const Expr& x) {
      if ((x.kind == ExprKind::padded || x.kind == ExprKind::access) && op::print(x) == text)
        e_.replaced[&x] = tile + "[" + place + "]";
    });
  }

  static std::string bracketed(const std::string& s) { return s.find(' ') == std::string::npos ? s : "(" + s + ")"; }
  std::string product(const std::string& a, const ExprPtr& factor) {
    return is_integer(factor, 1) ? a : a + " * " + e_.subscript(factor, product_strength + 1);
  }

  // Blocks over the last two indices (the last alone for `flat`), planes of the others along z.
  void grid(const std::string& width, const std::string& lines, const std::string& items, const std::string& bytes = {},
            bool flat = false) {
    const std::string t = source_.index_type();
    std::vector<Index> others(group_.rows.begin(), group_.rows.end() - (flat ? 1 : 2));
    const std::string planes = op::print(*extent(others)), tall = items == "1" ? lines : lines + " * " + items;
    k_.launch(fmt::format("ceildiv({}, {}), {}, {}", op::print(*extent(q_)), width,
                          flat ? "1" : fmt::format("ceildiv({}, {})", op::print(*extent(p_)), tall), planes),
              width + ", " + lines, bytes);
    if (!others.empty()) source_.require(planes + " <= 65535");
    e_.name_sizes(group_.equations);
    e_.bind(q_);
    column0_ = k_.fresh("column0");
    k_.line(fmt::format("const {} {} = blockIdx.x * {};", t, column0_, width));
    k_.line(fmt::format("const {} {} = {} + threadIdx.x;", t, e_.index(q_.name), column0_));
    if (!flat) {
      e_.bind(p_);
      line0_ = k_.fresh("line0");
      k_.line(fmt::format("const {} {} = blockIdx.y * {};", t, line0_, items == "1" ? lines : "(" + tall + ")"));
      if (items == "1") {
        k_.line(fmt::format("const {} {} = {} + threadIdx.y;", t, e_.index(p_.name), line0_));
      } else {
        first_ = k_.fresh("first");
        k_.line(fmt::format("const {} {} = {} + threadIdx.y * {};", t, first_, line0_, items));
      }
    }
    if (others.empty()) return;
    const bool single = others.size() == 1 && from_zero(others[0]);
    const std::string z = single ? k_.index(others[0].name) : k_.fresh("plane");
    k_.line(fmt::format("const {} {} = blockIdx.z;", t, z));
    e_.decompose(z, others);
  }

  void serial() {
    const Accumulator a = declare_accumulator(e_, reduce_, "result");
    e_.open_loops(reduce_.indices);
    update_accumulator(e_, a);
    e_.close_loops(reduce_.indices.size());
    e_.replaced[&reduce_] = a.result();
    finish_equations(e_, group_, kept_, locals_);
  }

  const Expr& reduce_;
  Index p_, q_;
  std::string column0_, line0_, first_;
};

Variant window_variant(std::string structure, std::string title, std::string why,
                       std::function<void(WindowLowering&, const Group&, const Program&)> run) {
  return {std::move(structure), std::move(title), std::move(why),
          [run = std::move(run)](Source& source, const Group& group, const std::set<std::string>& kept,
                                 const std::string& name, const std::string& about) {
            Kernel& kernel = source.kernel(name);
            kernel.about(about);
            WindowLowering lowering(source, group, kept, kernel);
            run(lowering, group, source.program());
          }};
}

}  // namespace

std::vector<Variant> window_variants(const Program& program, const Group& group) {
  std::vector<Variant> out;
  out.push_back(row_variants(program, group).back());
  for (const Index& i : group.rows)
    if (!from_zero(i)) return out;
  const Expr& reduce = *outer_reductions(*owner(group).value)[0];
  const bool positional = reduce.reduce == op::ReduceOp::argmax || reduce.reduce == op::ReduceOp::argmin;
  if (group.rows.size() >= 2 && !positional) {
    out.push_back(window_variant("window-plane", "Two-dimensional blocks of outputs",
                                 "Blocks cover the last two dimensions of the output, and planes of the others run "
                                 "along z: no division to find the indices, and neighbours in both "
                                 "directions share their windows in the cache.",
                                 [](WindowLowering& w, const Group&, const Program&) { w.plane(); }));
    out.push_back(window_variant("window-strip", "Several outputs below each other per thread",
                                 "Each thread computes ITEMS outputs of neighbouring lines: what does not depend on "
                                 "the line, such as a filter's weights, is loaded once for all of them, "
                                 "and the sums are independent of each other.",
                                 [](WindowLowering& w, const Group&, const Program&) { w.strip(); }));
  }
  if (region_of(program, group) && !positional)
    out.push_back(
        window_variant("window-shared", "The windows' input in shared memory",
                       "A block copies the input that all of its windows cover to shared memory, padding included, and "
                       "every thread reads its window there: what windows have in "
                       "common is loaded from global memory once.",
                       [](WindowLowering& w, const Group& g, const Program& p) { w.shared(*region_of(p, g)); }));
  return out;
}

}  // namespace ww::search
