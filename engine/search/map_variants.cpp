// SPDX-License-Identifier: Apache-2.0
// Maps: how the elements are dealt out to threads.
#include <fmt/format.h>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::Type;

namespace {

enum class Deal : std::uint8_t { vector, items, stride, plane };

class MapLowering : GroupLowering {
 public:
  MapLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel) {
    e_.read = [this](const Expr& access) { return read(access); };
  }

  void run(Deal deal) {
    total_ = op::print(*extent(group_.rows));
    if (deal != Deal::plane) block_ = source_.tune("BLOCK", {256, 128, 512, 64});
    switch (deal) {
      case Deal::vector: vectors(); break;
      case Deal::items: items(); break;
      case Deal::stride: stride(); break;
      case Deal::plane: plane(); break;
    }
  }

 private:
  std::string first_thread() const {
    return fmt::format("{}blockIdx.x * {} + threadIdx.x", program_.wide ? "(long long)" : "", block_);
  }

  // The access has the place of the element itself.
  bool flat(const std::string& tensor, const std::vector<ExprPtr>& at) const {
    const Tensor& t = program_.tensor(tensor);
    if (at.size() != group_.rows.size()) return false;
    for (std::size_t d = 0; d < at.size(); ++d)
      if (!is_name(*at[d], group_.rows[d].name) || !from_zero(group_.rows[d]) || !same(t.shape[d], group_.rows[d].hi))
        return false;
    return true;
  }

  std::optional<std::string> read(const Expr& access) {
    if (const auto it = locals_.find(access.name); it != locals_.end()) return it->second;
    if (!flat(access.name, access.args)) return std::nullopt;
    const DType dtype = program_.tensor(access.name).dtype;
    if (const auto it = packs_.find(access.name); it != packs_.end()) return e_.loaded(dtype, it->second);
    if (element_.empty()) return std::nullopt;
    return e_.loaded(dtype, k_.tensor(access.name, false) + "[" + element_ + "]");
  }

  // All equations for the element whose indices are bound.
  void evaluate() {
    for (const Equation& eq : group_.equations) {
      const Tensor& t = program_.tensor(eq.target);
      const Type type = is_real(t.dtype) ? Type::real : eq.value->type;
      Code value = type == Type::real ? e_.real(*eq.value) : e_.emit(*eq.value);
      if (t.storage == Storage::temp && !kept_.count(eq.target)) {
        k_.allow(source_.identifier(eq.target));
        locals_[eq.target] = e_.local(source_.identifier(eq.target), value, type);
        continue;
      }
      if (t.storage == Storage::temp) value = {locals_[eq.target] = e_.local("value", value, type)};
      if (const auto it = pack_stores_.find(eq.target); it != pack_stores_.end())
        k_.line(it->second + " = " + e_.stored(t.dtype, value, type) + ";");
      else if (!element_.empty() && flat(eq.target, eq.at))
        k_.line(k_.tensor(eq.target, true) + "[" + element_ + "] = " + e_.stored(t.dtype, value, type) + ";");
      else
        e_.store(eq.target, eq.at, value, type);
    }
    locals_.clear();
  }

  void at_element(const std::string& name) {
    element_ = name;
    e_.decompose(name, group_.rows);
  }

  void items() {
    const std::string n = source_.tune("ITEMS", {4, 2, 8});
    k_.launch(fmt::format("ceildiv({}, {} * {})", total_, block_, n), block_);
    e_.name_sizes(group_.equations);
    const std::string first = k_.fresh("first"), item = k_.fresh("item"), element = k_.fresh("element"),
                      t = source_.index_type();
    k_.line(fmt::format("const {} {} = {}blockIdx.x * ({} * {}) + threadIdx.x;", t, first,
                        program_.wide ? "(long long)" : "", block_, n));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item, n));
    k_.line(fmt::format("const {} {} = {} + {} * {};", t, element, first, item, block_));
    k_.open(fmt::format("if ({} < {}) {{", element, e_.subscript(extent(group_.rows), sum_strength)));
    at_element(element);
    evaluate();
    k_.close();
    k_.close();
  }

  void stride() {
    const std::string blocks = source_.tune("BLOCKS", {264, 132, 528, 1056});
    k_.launch(fmt::format("min(ceildiv({}, {}), {})", total_, block_, blocks), block_);
    e_.name_sizes(group_.equations);
    const std::string element = k_.fresh("element"), t = source_.index_type();
    k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += gridDim.x * {4}) {{", t, element, first_thread(),
                        e_.subscript(extent(group_.rows), sum_strength), block_));
    at_element(element);
    evaluate();
    k_.close();
  }

  void plane() {
    const std::string lines = source_.tune("LINES", {4, 1, 8, 2});
    const Index& last = group_.rows.back();
    const std::vector<Index> outer(group_.rows.begin(), group_.rows.end() - 1);
    const std::string across = source_.tune("WIDTH", {64, 32, 128});
    k_.launch(fmt::format("ceildiv({}, {}), min(ceildiv({}, {}), 65535)", op::print(*extent(last)), across,
                          op::print(*extent(outer)), lines),
              across + ", " + lines);
    e_.name_sizes(group_.equations);
    const std::string t = source_.index_type(), c = k_.index(last.name),
                      line = outer.size() == 1 && from_zero(outer[0]) ? k_.index(outer[0].name) : k_.fresh("line");
    e_.bind(last);
    const std::string offset = from_zero(last) ? "" : e_.subscript(last.lo, sum_strength) + " + ";
    k_.line(fmt::format("const {} {} = {}blockIdx.x * {} + threadIdx.x;", t, c, offset, across));
    k_.line(fmt::format("if ({} >= {}) return;", c, e_.subscript(last.hi, sum_strength)));
    k_.open(fmt::format("for ({0} {1} = blockIdx.y * {2} + threadIdx.y; {1} < {3}; {1} += gridDim.y * {2}) {{", t, line,
                        lines, e_.subscript(extent(outer), sum_strength)));
    e_.decompose(line, outer);
    evaluate();
    k_.close();
  }

  void vectors() {
    std::set<std::string> reads;
    bool narrow = true;
    for (const Equation& eq : group_.equations)
      op::for_each(*eq.value, [&](const Expr& x) {
        if (x.kind != ExprKind::access || program_.tensor(x.name).storage == Storage::output || !flat(x.name, x.args))
          return;
        for (const Equation& own : group_.equations)
          if (own.target == x.name) return;
        reads.insert(x.name);
      });
    for (const std::string& name : reads) narrow = narrow && dtype_size(program_.tensor(name).dtype) <= 2;
    for (const Equation& eq : group_.equations) narrow = narrow && dtype_size(program_.tensor(eq.target).dtype) <= 2;
    const std::string vec = source_.tune("VEC", narrow         ? std::vector<std::int64_t>{8, 4, 2}
                                                : program_.f64 ? std::vector<std::int64_t>{2}
                                                               : std::vector<std::int64_t>{4, 2});
    k_.launch(fmt::format("ceildiv({}, {} * {})", total_, block_, vec), block_);
    e_.name_sizes(group_.equations);
    const std::string first = k_.fresh("first"), total = k_.fresh("total"), t = source_.index_type();
    k_.line(fmt::format("const {} {} = {};", t, total, e_.subscript(extent(group_.rows))));
    k_.line(fmt::format("const {} {} = ({}) * {};", t, first, first_thread(), vec));
    k_.open(fmt::format("if ({} + {} <= {}) {{", first, vec, total));
    const std::string j = k_.fresh("j");
    for (const std::string& name : reads) {
      const std::string type = source_.pack(program_.tensor(name).dtype, vec),
                        variable = k_.fresh(source_.identifier(name) + "_pack");
      k_.line(fmt::format("const {0} {1} = *reinterpret_cast<const {0}*>(&{2}[{3}]);", type, variable,
                          k_.tensor(name, false), first));
      packs_[name] = variable + ".v[" + j + "]";
    }
    std::vector<std::pair<std::string, std::string>> stores;
    for (const Equation& eq : group_.equations) {
      const Tensor& out = program_.tensor(eq.target);
      if ((out.storage == Storage::temp && !kept_.count(eq.target)) || !flat(eq.target, eq.at)) continue;
      const std::string variable = k_.fresh(source_.identifier(eq.target) + "_pack");
      k_.line(source_.pack(out.dtype, vec) + " " + variable + ";");
      stores.emplace_back(eq.target, variable);
      pack_stores_[eq.target] = variable + ".v[" + j + "]";
    }
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", j, vec));
    const std::string element = k_.fresh("element");
    k_.line(fmt::format("const {} {} = {} + {};", t, element, first, j));
    e_.decompose(element, group_.rows);
    evaluate();
    k_.close();
    for (const auto& [name, variable] : stores)
      k_.line(fmt::format("*reinterpret_cast<{}*>(&{}[{}]) = {};", source_.pack(program_.tensor(name).dtype, vec),
                          k_.tensor(name, true), first, variable));
    packs_.clear();
    pack_stores_.clear();
    k_.otherwise();
    k_.comment("The last elements, fewer than a vector.");
    const std::string rest = k_.fresh("element");
    k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", t, rest, first, total));
    at_element(rest);
    evaluate();
    k_.close();
    k_.close();
  }

  std::string total_, block_, element_;
  std::map<std::string, std::string> packs_, pack_stores_;
};

}  // namespace

std::vector<Variant> map_variants(const Program& program, const Group& group) {
  std::vector<Variant> out;
  out.push_back(row_variants(program, group).back());
  if (group.rows.empty()) return out;
  bool packable = true;
  for (const Equation& eq : group.equations) packable = packable && !has_reduce(*eq.value);
  for (const Index& i : group.rows) packable = packable && from_zero(i);
  if (packable)
    out.push_back(
        variant_by<MapLowering>("map-vector", "Several neighbouring elements per thread, vector loads and stores",
                                "Each thread moves several neighbouring elements with one load and one store "
                                "instruction: fewer instructions in flight for the same bytes. What is left at "
                                "the end, fewer than a vector, goes one by one.",
                                Deal::vector));
  out.push_back(variant_by<MapLowering>(
      "map-items", "Several elements per thread, a block apart",
      "Each thread computes several elements that lie a block width apart, so every access of a "
      "warp stays contiguous. The loads of the unrolled loop are independent "
      "and overlap in flight.",
      Deal::items));
  out.push_back(
      variant_by<MapLowering>("map-stride", "Grid-stride loop, a fixed number of blocks",
                              "A grid of bounded size walks over all elements in steps of the whole grid: launch cost "
                              "does not grow with the tensor, and each thread sets its constants up "
                              "once.",
                              Deal::stride));
  if (group.rows.size() >= 2)
    out.push_back(variant_by<MapLowering>(
        "map-plane", "Two-dimensional grid",
        "The contiguous dimension runs over threadIdx.x, the others over y: no division to find "
        "the indices, and what depends on one of them alone is shared by the "
        "threads of a column or line.",
        Deal::plane));
  return out;
}

}  // namespace ww::search
