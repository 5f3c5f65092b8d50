// SPDX-License-Identifier: Apache-2.0
#include "search/contraction_tile.h"
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/row_steps.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::Type;

namespace {

bool whole(const std::vector<Index>& domain) {
  return std::all_of(domain.begin(), domain.end(), [](const Index& i) {
    return from_zero(i) && op::free_indices(*i.hi).empty() && op::tensors_read(*i.hi).empty();
  });
}

// Where the indices of `domain` stand among the subscripts: one after the other, in order, each over its whole
// dimension. Nothing otherwise.
std::optional<std::size_t> place_of(const Expr& access, const Tensor& tensor, const std::vector<Index>& domain) {
  for (std::size_t first = 0; first + domain.size() <= access.args.size(); ++first) {
    bool all = true;
    for (std::size_t i = 0; i < domain.size() && all; ++i)
      all = is_name(*access.args[first + i], domain[i].name) && same(tensor.shape[first + i], domain[i].hi);
    if (all) return first;
  }
  return std::nullopt;
}

const Expr& without_widening(const Expr& e) {
  return e.kind == ExprKind::cast && e.cast == DType::f32 ? without_widening(*e.args[0]) : e;
}

std::optional<MatrixOperand> operand_of(const Program& program, const Group& group, const Expr& value,
                                        const std::vector<Index>& own, const std::vector<Index>& k) {
  const Expr& access = without_widening(value);
  if (access.kind != ExprKind::access) return std::nullopt;
  const Tensor& tensor = program.tensor(access.name);
  for (const Equation& eq : group.equations)
    if (eq.target == access.name) return std::nullopt;
  const auto own_place = place_of(access, tensor, own), k_place = place_of(access, tensor, k);
  if (!own_place || !k_place) return std::nullopt;
  MatrixOperand out{&access, tensor.dtype, *k_place > *own_place, op::integer_literal(1), access.args};
  const std::size_t last = out.along_k ? *k_place + k.size() : *own_place + own.size();
  if (last != access.args.size()) return std::nullopt;
  const std::size_t after = out.along_k ? *own_place + own.size() : *k_place + k.size();
  for (std::size_t d = after; d < tensor.shape.size(); ++d) out.stride = mul(out.stride, tensor.shape[d]);
  for (std::size_t i = 0; i < own.size(); ++i) out.origin[*own_place + i] = op::integer_literal(0);
  for (std::size_t i = 0; i < k.size(); ++i) out.origin[*k_place + i] = op::integer_literal(0);
  for (const ExprPtr& at : out.origin)
    if (!is_index(*at) && !is_integer(at, 0)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<MatrixProduct> matrix_product(const Program& program, const Group& group) {
  const auto plan = plan_contraction(group);
  if (!plan || program.f64 || plan->sums.size() != 1 || plan->operands.size() != 2 || !plan->zero_fills ||
      !plan->left_masks.empty() || !plan->right_masks.empty())
    return std::nullopt;
  if (plan->m.empty() || plan->n.empty() || plan->k.empty()) return std::nullopt;
  for (const auto* domain : {&plan->batch, &plan->m, &plan->n, &plan->k})
    if (!whole(*domain)) return std::nullopt;
  const Operand &l = plan->operands[0].left ? plan->operands[0] : plan->operands[1],
                &r = plan->operands[0].left ? plan->operands[1] : plan->operands[0];
  if (!l.left || r.left || multiplicands(plan->sums[0].second->args[0]).size() != 2) return std::nullopt;
  const auto left = operand_of(program, group, *l.value, plan->m, plan->k),
             right = operand_of(program, group, *r.value, plan->n, plan->k);
  if (!left || !right) return std::nullopt;
  return MatrixProduct{*plan, *left, *right};
}

bool aligned(const Program& program, const MatrixProduct& product, int lanes) {
  const ContractionPlan& plan = product.plan;
  const auto multiple = [&](const std::vector<Index>& domain, int of) {
    return program.estimate(domain.back().hi) % of == 0;
  };
  return multiple(product.left.along_k ? plan.k : plan.m, lanes) &&
         multiple(product.right.along_k ? plan.k : plan.n, lanes) && multiple(plan.n, 4);
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

ContractionTile::ContractionTile(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
    : GroupLowering(source, group, kept, kernel), product_(*matrix_product(source.program(), group)) {
  if (product_.plan.n.size() != 1) return;
  const Index& n = product_.plan.n[0];
  vector_ = std::all_of(group.equations.begin(), group.equations.end(), [&](const Equation& eq) {
    const bool stored = program_.tensor(eq.target).storage != Storage::temp || kept.count(eq.target) != 0;
    return !stored || packable(program_, eq.target, eq.at, n);
  });
}

std::string ContractionTile::tune(const std::string& name, const std::vector<std::int64_t>& of_large,
                                  const std::vector<std::int64_t>& otherwise) {
  const ContractionPlan& plan = product_.plan;
  const double results = static_cast<double>(program_.estimate(plan.m)) *
                         static_cast<double>(program_.estimate(plan.n)) *
                         static_cast<double>(program_.estimate(plan.batch));
  return source_.tune(name, results >= 2048.0 * 2048.0 ? of_large : otherwise);
}

void ContractionTile::require_alignment(int lanes) {
  const ContractionPlan& plan = product_.plan;
  const auto multiple = [&](const std::vector<Index>& domain, int of) {
    const ExprPtr size = domain.size() == 1 ? domain[0].hi : domain.back().hi;
    source_.require(fmt::format("({}) % {} == 0", op::print(*size), of));
  };
  const auto side = [&](const MatrixOperand& o, const std::vector<Index>& own) {
    multiple(o.along_k ? plan.k : own, lanes);
  };
  side(product_.left, plan.m);
  side(product_.right, plan.n);
  if (vector_ && (product_.right.along_k || lanes < width())) multiple(plan.n, width());
}

void ContractionTile::launch(const std::string& tile_m, const std::string& tile_n, const std::string& threads,
                             const std::string& shared) {
  const ContractionPlan& plan = product_.plan;
  const std::string batch = op::print(*extent(plan.batch)), t = source_.index_type();
  k_.launch(fmt::format("ceildiv({}, {}), ceildiv({}, {}), {}", op::print(*extent(plan.n)), tile_n,
                        op::print(*extent(plan.m)), tile_m, batch),
            threads, shared);
  if (!plan.batch.empty()) source_.require(batch + " <= 65535");
  const std::string group = source_.tune("GROUP", {8, 4, 16});
  e_.name_sizes(group_.equations);
  m_size_ = size_name(plan.m, "rows");
  n_size_ = size_name(plan.n, "columns");
  k_size_ = size_name(plan.k, "terms");
  if (!plan.batch.empty()) {
    const std::string flat = flat_name(plan.batch, "batch");
    k_.line(fmt::format("const {} {} = blockIdx.z;", t, flat));
    e_.decompose(flat, plan.batch);
  }
  source_.helper(
      "block_place",
      "// Blocks run in the order of their numbers. Groups of GROUP rows of tiles, each walked column by column, make\n"
      "// those that run at the same time share more of both operands in the L2 cache than whole rows of tiles would.\n"
      "struct block_tile {\n  int row, column;\n};\n"
      "__device__ block_tile block_place(int group) {\n"
      "  const int number = blockIdx.y * gridDim.x + blockIdx.x, first = number / (group * gridDim.x) * group;\n"
      "  const int rows = min(group, int(gridDim.y) - first), inside = number % (group * gridDim.x);\n"
      "  return {first + inside % rows, inside / rows};\n}\n");
  const std::string place = k_.fresh("place");
  k_.line(fmt::format("const block_tile {} = block_place({});", place, group));
  m0_ = k_.fresh("row0");
  n0_ = k_.fresh("column0");
  k_.line(fmt::format("const {} {} = {}{}.row * {}, {} = {}{}.column * {};", t, m0_, program_.wide ? "(long long)" : "",
                      place, tile_m, n0_, program_.wide ? "(long long)" : "", place, tile_n));
}

std::string ContractionTile::size_name(const std::vector<Index>& domain, const std::string& wanted) {
  const Code c = e_.emit(*extent(domain), true);
  if (c.strength == primary) return c.text;
  const std::string name = k_.fresh(wanted);
  k_.line(fmt::format("const {} {} = {};", source_.index_type(), name, c.text));
  return name;
}

std::string ContractionTile::flat_name(const std::vector<Index>& domain, const std::string& wanted) {
  return domain.size() == 1 && from_zero(domain[0]) ? k_.index(domain[0].name) : k_.fresh(wanted);
}

void ContractionTile::name_operand(const MatrixOperand& o, const std::string& word) {
  const std::string pointer = k_.fresh(word), stride = k_.fresh(word + "_stride");
  k_.line(fmt::format("const {}* const {} = &{};", dtype_cuda_name(o.dtype), pointer,
                      e_.element(o.access->name, o.origin, false)));
  k_.line(fmt::format("const {} {} = {};", source_.index_type(), stride, e_.subscript(o.stride)));
  named_[&o] = {pointer, stride};
}

// The inputs that the equations read at the columns next to each other, as vectors; and variables for the results.
std::map<std::string, std::string> ContractionTile::open_packs() {
  const Index& n = product_.plan.n[0];
  std::map<std::string, std::string> loaded, stores;
  for (const Equation& eq : group_.equations)
    for (const Expr* access : packable_reads(program_, *eq.value, n)) {
      const DType dtype = program_.tensor(access->name).dtype;
      std::string& variable = loaded[op::print(*access)];
      if (variable.empty()) {
        const std::string type = source_.pack(dtype, std::to_string(width()));
        variable = k_.fresh(source_.identifier(access->name) + "_pack");
        k_.line(fmt::format("const {0} {1} = *reinterpret_cast<const {0}*>(&{2});", type, variable,
                            e_.element(access->name, access->args, false)));
      }
      e_.replaced[access] = e_.loaded(dtype, variable + ".v[lane_column]");
    }
  for (const Equation& eq : group_.equations) {
    const Tensor& out = program_.tensor(eq.target);
    if (out.storage == Storage::temp && !kept_.count(eq.target)) continue;
    const std::string variable = k_.fresh(source_.identifier(eq.target) + "_pack");
    k_.line(source_.pack(out.dtype, std::to_string(width())) + " " + variable + ";");
    stores[eq.target] = variable;
  }
  return stores;
}

void ContractionTile::finish(const std::string& m, const std::string& n,
                             const std::function<std::string(const std::string&)>& sum) {
  const ContractionPlan& plan = product_.plan;
  const std::string t = source_.index_type();
  const std::string m_flat = flat_name(plan.m, "m_flat"), n_flat = flat_name(plan.n, "n_flat");
  const std::string first = vector_ ? k_.fresh("n_first") : n_flat;
  k_.line(fmt::format("const {} {} = {};", t, m_flat, m));
  k_.line(fmt::format("const {} {} = {};", t, first, n));
  k_.open(fmt::format("if ({} < {} && {} < {}) {{", m_flat, m_size_, first, n_size_));
  e_.decompose(m_flat, plan.m);
  if (!vector_) {
    e_.decompose(n_flat, plan.n);
    e_.replaced[plan.sums[0].second] = sum("0");
    finish_equations(e_, group_, kept_, locals_);
    k_.close();
    return;
  }
  e_.bind(plan.n[0], first);
  const std::map<std::string, std::string> packs = open_packs();
  std::map<std::string, std::string> places;
  for (const auto& [target, variable] : packs) places[target] = variable + ".v[lane_column]";
  k_.line("#pragma unroll");
  k_.open(fmt::format("for (int lane_column = 0; lane_column < {0}; ++lane_column) {{", width()));
  k_.line(fmt::format("const {} {} = {} + lane_column;", t, n_flat, first));
  e_.bind(plan.n[0]);
  e_.replaced[plan.sums[0].second] = sum("lane_column");
  finish_equations(e_, group_, kept_, locals_, places);
  k_.close();
  for (const Equation& eq : group_.equations) {
    const auto pack = packs.find(eq.target);
    if (pack == packs.end()) continue;
    e_.bind(plan.n[0], first);
    k_.line(fmt::format("*reinterpret_cast<{}*>(&{}) = {};",
                        source_.pack(program_.tensor(eq.target).dtype, std::to_string(width())),
                        e_.element(eq.target, eq.at, true), pack->second));
  }
  k_.close();
}

}  // namespace ww::search
