// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <set>
#include "candidate/candidate.h"

namespace ww::candidate {
namespace {

// CUDA C++ Programming Guide, "Features and Technical Specifications per Compute Capability".
constexpr std::int64_t max_grid[3] = {2147483647, 65535, 65535}, max_block[3] = {1024, 1024, 64};
constexpr std::int64_t max_block_threads = 1024, max_cluster_blocks = 16, max_shared = 227 * 1024;
// Limits of this program: a larger plan is a mistake, and no device here could finish it.
constexpr std::int64_t max_blocks = std::int64_t{1} << 40, max_temp_bytes = std::int64_t{1} << 40;
constexpr const char* axis_name[3] = {"x", "y", "z"};

void collect_names(const op::Expr& e, std::set<std::string>& names) {
  if (e.kind == op::ExprKind::name) names.insert(e.name);
  for (const op::ExprPtr& a : e.args)
    if (a) collect_names(*a, names);
}

class Values {
 public:
  Values(const op::Resolved& resolved, const Tuning& tuning) : resolved_(resolved), tuning_(tuning) {}

  std::optional<std::int64_t> find(const std::string& name) const {
    if (const auto t = tuning_.find(name); t != tuning_.end()) return t->second;
    return resolved_.integer(name);
  }
  Result<std::int64_t> of(const op::Expr& e, std::string_view where) const {
    auto value = op::eval_integer(e, [this](const std::string& name) { return find(name); });
    if (!value)
      return fail(value.error().code, fmt::format("{} of {}: {}", quote(e), where, value.error().message),
                  value.error().cause);
    return *value;
  }
  // "'ceildiv(R, BLOCK)' (BLOCK = 128, R = 0)"
  std::string quote(const op::Expr& e) const {
    std::set<std::string> names;
    collect_names(e, names);
    std::string values;
    for (const std::string& n : names)
      if (const auto v = find(n)) values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", n, *v);
    return fmt::format("'{}'{}", op::print(e), values.empty() ? "" : " (" + values + ")");
  }
  // Whether each comparison holds.
  void comparisons(const op::Expr& e, std::vector<std::int64_t>& out) const {
    const bool compares =
        e.kind == op::ExprKind::binary && e.binary >= op::BinaryOp::lt && e.binary <= op::BinaryOp::ne;
    if (compares)
      out.push_back(op::eval_integer(e, [this](const std::string& name) { return find(name); }).value_or(0) != 0);
    for (const op::ExprPtr& a : e.args)
      if (a) comparisons(*a, out);
  }
  // Which argument each min and max selects, and the value of each condition.
  void choices(const op::Expr& e, std::vector<std::int64_t>& out) const {
    using K = op::ExprKind;
    const auto value = [&](const op::Expr& part) {
      return op::eval_integer(part, [this](const std::string& name) { return find(name); }).value_or(0);
    };
    if (e.kind == K::call && (e.name == "min" || e.name == "max") && e.args.size() == 2)
      out.push_back(value(*e.args[0]) < value(*e.args[1]));
    if (e.kind == K::select) out.push_back(value(*e.args[0]) != 0);
    for (const op::ExprPtr& a : e.args)
      if (a) choices(*a, out);
  }
  const op::ResolvedConstant* real_constant(const std::string& name) const {
    for (const op::ResolvedConstant& c : resolved_.constants)
      if (c.name == name && c.type == op::Type::real) return &c;
    return nullptr;
  }

 private:
  const op::Resolved& resolved_;
  const Tuning& tuning_;
};

Status known_tuning(const Candidate& candidate, const Tuning& tuning) {
  for (const TuneAxis& axis : candidate.tune)
    if (!tuning.contains(axis.name))
      return fail(Code::invalid_argument, fmt::format("no value is given for the tuned '{}'", axis.name));
  return {};
}

Result<std::array<std::uint32_t, 3>> dims(const std::array<op::ExprPtr, 3>& from, const std::int64_t (&most)[3],
                                          std::string_view what, const std::string& kernel, const Values& values) {
  std::array<std::uint32_t, 3> out{1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    if (!from[i]) continue;
    const auto v = WW_TRY(values.of(*from[i], fmt::format("{}.{} of '{}'", what, axis_name[i], kernel)));
    if (v < 1 || v > most[i])
      return fail(Code::invalid_argument, fmt::format("{}.{} of '{}' is {} = {}; it must be from 1 to {}", what,
                                                      axis_name[i], kernel, values.quote(*from[i]), v, most[i]));
    out[i] = static_cast<std::uint32_t>(v);
  }
  return out;
}

Result<PlannedLaunch> plan_launch(const Launch& launch, const Candidate& candidate, const op::Spec& spec,
                                  const Values& values) {
  PlannedLaunch out;
  out.kernel = launch.kernel;
  out.cooperative = launch.cooperative;
  const auto grid = WW_TRY(dims(launch.grid, max_grid, "grid", launch.kernel, values));
  const auto block = WW_TRY(dims(launch.block, max_block, "block", launch.kernel, values));
  constexpr std::int64_t most_cluster[3] = {max_cluster_blocks, max_cluster_blocks, max_cluster_blocks};
  const auto cluster = WW_TRY(dims(launch.cluster, most_cluster, "cluster", launch.kernel, values));
  out.grid = grid, out.block = block, out.cluster = cluster;
  const auto product = [](const std::array<std::uint32_t, 3>& d) {
    return static_cast<unsigned __int128>(d[0]) * d[1] * d[2];
  };
  if (product(out.grid) > static_cast<unsigned __int128>(max_blocks))
    return fail(Code::invalid_argument, fmt::format("the grid of '{}' is {} x {} x {}, more than 2^40 blocks",
                                                    launch.kernel, out.grid[0], out.grid[1], out.grid[2]));
  if (product(out.block) > static_cast<unsigned __int128>(max_block_threads))
    return fail(Code::invalid_argument,
                fmt::format("the block of '{}' is {} x {} x {} = {} threads; at most {} are allowed", launch.kernel,
                            out.block[0], out.block[1], out.block[2], static_cast<std::uint64_t>(product(out.block)),
                            max_block_threads));
  if (product(out.cluster) > static_cast<unsigned __int128>(max_cluster_blocks))
    return fail(Code::invalid_argument,
                fmt::format("the cluster of '{}' has more than {} blocks", launch.kernel, max_cluster_blocks));
  for (int i = 0; i < 3; ++i)
    if (out.grid[i] % out.cluster[i] != 0)
      return fail(Code::invalid_argument,
                  fmt::format("grid.{} of '{}' ({}) is not a multiple of cluster.{} ({})", axis_name[i], launch.kernel,
                              out.grid[i], axis_name[i], out.cluster[i]));
  if (launch.shared) {
    const auto v = WW_TRY(values.of(*launch.shared, fmt::format("shared of '{}'", launch.kernel)));
    if (v < 0 || v > max_shared)
      return fail(Code::invalid_argument, fmt::format("shared of '{}' is {} = {} bytes; it must be from 0 to {}",
                                                      launch.kernel, values.quote(*launch.shared), v, max_shared));
    out.shared_bytes = static_cast<std::uint64_t>(v);
  }
  if (launch.carveout) {
    const auto v = WW_TRY(values.of(*launch.carveout, fmt::format("carveout of '{}'", launch.kernel)));
    if (v < 0 || v > 100)
      return fail(Code::invalid_argument, fmt::format("carveout of '{}' is {} = {}; it must be from 0 to 100 per cent",
                                                      launch.kernel, values.quote(*launch.carveout), v));
    out.carveout = static_cast<int>(v);
  }
  const auto is_tensor = [&](const std::string& name) {
    for (const Temp& t : candidate.temps)
      if (t.name == name) return true;
    for (const auto* list : {&spec.inputs, &spec.outputs})
      for (const op::Param& p : *list)
        if (p.name == name) return true;
    return false;
  };
  for (const op::ExprPtr& e : launch.args) {
    PlannedArg arg;
    const bool lone = e->kind == op::ExprKind::name;
    if (lone && is_tensor(e->name)) {
      arg.kind = PlannedArg::Kind::tensor;
      arg.tensor = e->name;
    } else if (const auto* c = lone ? values.real_constant(e->name) : nullptr) {
      arg.kind = PlannedArg::Kind::real;
      arg.real = c->real;
    } else {
      const auto v = WW_TRY(values.of(*e, fmt::format("an argument of '{}'", launch.kernel)));
      arg.integer = v;
      arg.real = static_cast<double>(v);
    }
    out.args.push_back(std::move(arg));
  }
  return out;
}

}  // namespace

Result<bool> claims(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding,
                    const Tuning& tuning) {
  WW_TRY(known_tuning(candidate, tuning));
  const auto resolved = WW_TRY(op::resolve(spec, binding));
  const Values values(resolved, tuning);
  for (const op::ExprPtr& condition : candidate.requires_) {
    const auto v = WW_TRY(values.of(*condition, "a \"require\" line"));
    if (v == 0) return false;
  }
  return true;
}

Result<std::vector<std::int64_t>> plan_choices(const Candidate& candidate, const op::Spec& spec,
                                               const op::Binding& binding, const Tuning& tuning) {
  WW_TRY(known_tuning(candidate, tuning));
  const auto resolved = WW_TRY(op::resolve(spec, binding));
  const Values values(resolved, tuning);
  std::vector<std::int64_t> out;
  for (const op::ExprPtr& condition : candidate.requires_) values.comparisons(*condition, out);
  const auto collect = [&](const op::ExprPtr& e) {
    if (e) values.choices(*e, out);
  };
  for (const Temp& t : candidate.temps) std::for_each(t.shape.begin(), t.shape.end(), collect);
  for (const Launch& l : candidate.launches) {
    for (const auto* dims : {&l.grid, &l.block, &l.cluster}) std::for_each(dims->begin(), dims->end(), collect);
    collect(l.shared);
    std::for_each(l.args.begin(), l.args.end(), collect);
  }
  return out;
}

Result<Plan> plan(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding, const Tuning& tuning) {
  WW_TRY(known_tuning(candidate, tuning));
  const auto resolved = WW_TRY(op::resolve(spec, binding));
  const Values values(resolved, tuning);
  Plan out;
  const auto zeroed = [&](const std::string& name) {
    for (const std::string& z : candidate.zeroed)
      if (z == name) return true;
    return false;
  };
  for (const Temp& t : candidate.temps) {
    PlannedTensor tensor{t.name, t.dtype, 1, zeroed(t.name)};
    for (const op::ExprPtr& d : t.shape) {
      const auto v = WW_TRY(values.of(*d, fmt::format("the shape of '{}'", t.name)));
      const std::int64_t most = max_temp_bytes / static_cast<std::int64_t>(dtype_size(t.dtype));
      if (v < 0 || (v > 0 && tensor.count > most / v))
        return fail(Code::invalid_argument,
                    fmt::format("a dimension of '{}' is {} = {}; {}", t.name, values.quote(*d), v,
                                v < 0 ? "it cannot be negative" : "the tensor has more than 2^40 bytes"));
      tensor.count *= v;
    }
    out.temps.push_back(std::move(tensor));
  }
  for (const op::Param& p : spec.outputs)
    if (zeroed(p.name)) out.zeroed_outputs.push_back(p.name);
  for (const Launch& l : candidate.launches) {
    auto planned = WW_TRY(plan_launch(l, candidate, spec, values));
    out.launches.push_back(std::move(planned));
  }
  return out;
}

}  // namespace ww::candidate
