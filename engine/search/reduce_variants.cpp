// SPDX-License-Identifier: Apache-2.0
// One reduction spread over many blocks: to a scalar, or down the columns of a matrix.
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/group_lowering.h"
#include "search/team.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::ReduceOp;
using op::Type;

namespace {

enum class Form : std::uint8_t {
  parts,
  tree,
  atomics,
  last_block,
  vectors,
  column_block,
  column_split,
  column_atomics
};

// The access has the place of the reduction's element itself.
bool at_element(const Program& program, const Expr& reduce, const Expr& access) {
  if (access.args.size() != reduce.indices.size()) return false;
  const Tensor& t = program.tensor(access.name);
  for (std::size_t d = 0; d < access.args.size(); ++d) {
    const Index& i = reduce.indices[d];
    if (!is_name(*access.args[d], i.name) || !from_zero(i) || !same(t.shape[d], i.hi)) return false;
  }
  return true;
}

// Inputs that a sum over all elements reads at its element and only there; none where it has a condition.
std::set<std::string> whole_reads(const Program& program, const Expr& reduce) {
  std::set<std::string> at, elsewhere;
  if (reduce.args.size() > 1) return at;
  op::for_each(*reduce.args[0], [&](const Expr& x) {
    if (x.kind != ExprKind::access) return;
    const DType dtype = program.tensor(x.name).dtype;
    const bool vector = is_real(dtype) && dtype != DType::f64 && program.tensor(x.name).storage == Storage::input;
    (vector && at_element(program, reduce, x) ? at : elsewhere).insert(x.name);
  });
  for (const std::string& name : elsewhere) at.erase(name);
  return at;
}

class ReduceLowering : GroupLowering {
 public:
  ReduceLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : GroupLowering(source, group, kept, kernel) {
    for (const Equation& eq : group.equations)
      for (const Expr* r : outer_reductions(*eq.value)) {
        reduce_ = r;
        target_ = source_.identifier(eq.target);
      }
    type_ = accumulator_type(*reduce_);
    e_.read = [this](const Expr& access) { return read(access); };
  }

  void run(Form form) {
    switch (form) {
      case Form::parts: parts(false); break;
      case Form::tree: parts(true); break;
      case Form::atomics: atomics(); break;
      case Form::last_block: last_block(false); break;
      case Form::vectors: last_block(true); break;
      case Form::column_block: column_block(); break;
      case Form::column_split: column_split(false); break;
      case Form::column_atomics: column_split(true); break;
    }
  }

 private:
  DType stored_type() const {
    return type_ == Type::real      ? (program_.f64 ? DType::f64 : DType::f32)
           : type_ == Type::integer ? DType::i64
                                    : DType::i32;
  }

  std::optional<std::string> read(const Expr& access) {
    if (const auto it = locals_.find(access.name); it != locals_.end()) return it->second;
    if (!at_element(program_, *reduce_, access)) return std::nullopt;
    const DType dtype = program_.tensor(access.name).dtype;
    if (const auto pack = packs_.find(access.name); pack != packs_.end()) return e_.loaded(dtype, pack->second);
    if (element_.empty()) return std::nullopt;
    return e_.loaded(dtype, k_.tensor(access.name, false) + "[" + element_ + "]");
  }

  // Every thread's share of all elements, in steps of the whole grid.
  Accumulator grid_share() {
    const std::string t = source_.index_type();
    e_.name_sizes(group_.equations);
    const Accumulator a = declare_accumulator(e_, *reduce_, word());
    const bool single = reduce_->indices.size() == 1 && from_zero(reduce_->indices[0]);
    element_ = single ? k_.index(reduce_->indices[0].name) : k_.fresh_inside("element");
    k_.open(fmt::format("for ({0} {1} = {2}blockIdx.x * {3} + threadIdx.x; {1} < {4}; {1} += gridDim.x * {3}) {{", t,
                        element_, program_.wide ? "(long long)" : "", block_,
                        e_.subscript(extent(reduce_->indices), sum_strength)));
    e_.decompose(element_, reduce_->indices);
    update_accumulator(e_, a);
    k_.close();
    element_.clear();
    return a;
  }

  // The same in vectors: a thread's ITEMS loads of a round are under way together.
  Accumulator grid_share_of_vectors(const std::string& vec, const std::string& items) {
    e_.name_sizes(group_.equations);
    const Accumulator a = declare_accumulator(e_, *reduce_, word());
    const std::string total = k_.fresh("total"), step = k_.fresh("step"), first = k_.fresh("first"),
                      item = k_.fresh("item"), at = k_.fresh("at"), t = source_.index_type();
    k_.line(fmt::format("const long long {} = {};", total, e_.subscript(extent(reduce_->indices))));
    k_.line(fmt::format("const long long {} = (long long)gridDim.x * {} * {};", step, block_, vec));
    k_.open(
        fmt::format("for (long long {0} = ((long long)blockIdx.x * {1} + threadIdx.x) * {2}; {0} < {3}; {0} += {4} * "
                    "{5}) {{",
                    first, block_, vec, total, items, step));
    std::vector<std::pair<std::string, std::string>> held;
    for (const std::string& name : whole_reads(program_, *reduce_)) {
      held.emplace_back(name, k_.fresh(source_.identifier(name) + "_pack"));
      k_.line(fmt::format("{} {}[{}];", source_.pack(program_.tensor(name).dtype, vec), held.back().second, items));
    }
    const auto each_item = [&](const std::function<void()>& body) {
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item, items));
      k_.line(fmt::format("const long long {} = {} + {} * {};", at, first, item, step));
      k_.open(fmt::format("if ({} + {} <= {}) {{", at, vec, total));
      body();
      k_.close();
      k_.close();
    };
    each_item([&] {
      for (const auto& [name, variable] : held)
        k_.line(fmt::format("{}[{}] = *reinterpret_cast<const {}*>(&{}[{}]);", variable, item,
                            source_.pack(program_.tensor(name).dtype, vec), k_.tensor(name, false), at));
    });
    const std::string lane = k_.fresh("v"), element = k_.fresh("element");
    each_item([&] {
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", lane, vec));
      k_.line(fmt::format("const {0} {1} = ({0})({2} + {3});", t, element, at, lane));
      for (const auto& [name, variable] : held) packs_[name] = fmt::format("{}[{}].v[{}]", variable, item, lane);
      e_.decompose(element, reduce_->indices);
      update_accumulator(e_, a);
      packs_.clear();
      k_.close();
    });
    k_.close();
    k_.comment("The last elements, fewer than a vector.");
    element_ = k_.fresh("element");
    k_.line(fmt::format("const {0} {1} = ({0})({2} / {3} * {3} + threadIdx.x);", t, element_, total, vec));
    k_.open(fmt::format("if (blockIdx.x == 0 && {} < {}) {{", element_, total));
    e_.decompose(element_, reduce_->indices);
    update_accumulator(e_, a);
    k_.close();
    element_.clear();
    return a;
  }

  std::string word() const {
    static constexpr const char* words[] = {"sum",   "product", "largest", "smallest",
                                            "place", "place",   "found",   "holds"};
    return words[static_cast<int>(reduce_->reduce)];
  }

  void choose_grid() {
    block_ = source_.tune("BLOCK", {256, 128, 512});
    blocks_ = source_.tune("BLOCKS", {64, 128, 32, 256});
  }

  void parts(bool tree) {
    choose_grid();
    const std::string parts = source_.scratch(target_ + "_parts", stored_type(), {blocks_});
    k_.launch(blocks_, block_);
    const Accumulator a = grid_share();
    join_team(e_, Team::block, a, block_, tree);
    k_.line(fmt::format("if (threadIdx.x == 0) {}[blockIdx.x] = {};", k_.tensor(parts, true), a.value));
    Kernel& second = source_.kernel(k_.name() + "_finish");
    second.about("One block joins the parts.");
    second.launch("1", block_);
    join_parts(second, parts, tree);
  }

  void join_parts(Kernel& second, const std::string& parts, bool tree) {
    ReduceLowering last(source_, group_, kept_, second);
    last.join_stored(parts, blocks_, block_, tree);
    second.open("if (threadIdx.x == 0) {");
    finish_equations(last.e_, group_, kept_, last.locals_);
    second.close();
  }

  void join_stored(const std::string& parts, const std::string& count, const std::string& block, bool tree) {
    const Accumulator a = declare_accumulator(e_, *reduce_, word());
    const std::string part = k_.fresh_inside("part");
    k_.open(fmt::format("for (int {0} = threadIdx.x; {0} < {1}; {0} += {2}) {{", part, count, block));
    k_.line(
        combine_statement(e_, reduce_->reduce, type_, a.value, {fmt::format("{}[{}]", k_.tensor(parts, false), part)}));
    k_.close();
    join_team(e_, Team::block, a, block, tree);
    e_.replaced[reduce_] = a.value;
  }

  std::string atomic_add(const std::string& place, const std::string& value) const {
    if (type_ == Type::integer)
      return fmt::format("atomicAdd(reinterpret_cast<unsigned long long*>(&{}), (unsigned long long){});", place,
                         value);
    return fmt::format("atomicAdd(&{}, {});", place, value);
  }

  void atomics() {
    choose_grid();
    const std::string total = source_.scratch(target_ + "_total", stored_type(), {});
    source_.zero(total);
    k_.launch(blocks_, block_);
    const Accumulator a = grid_share();
    join_team(e_, Team::block, a, block_);
    k_.line("if (threadIdx.x == 0) " + atomic_add(k_.tensor(total, true) + "[0]", a.value));
    Kernel& second = source_.kernel(k_.name() + "_finish");
    second.about("The rest of the equation, once all blocks have added.");
    second.launch("1", "1");
    ReduceLowering last(source_, group_, kept_, second);
    last.e_.replaced[reduce_] = second.tensor(total, false) + "[0]";
    finish_equations(last.e_, group_, kept_, last.locals_);
  }

  // More than a device holds at once, at the default case.
  bool large() const { return program_.estimate(reduce_->indices) >= 1 << 23; }

  // As many blocks as have a whole round of vectors each, and at most BLOCKS.
  void choose_grid_of_vectors(const std::string& vec, const std::string& items) {
    block_ =
        source_.tune("BLOCK", large() ? std::vector<std::int64_t>{512, 256, 128} : std::vector<std::int64_t>{256, 128});
    blocks_ = fmt::format("min(ceildiv({}, {} * {} * {}), {})", op::print(*extent(reduce_->indices)), block_, vec,
                          items, source_.tune("BLOCKS", {8448, 2112, 1056, 264}));
  }

  void last_block(bool vectors) {
    std::string vec, items;
    if (vectors) {
      bool narrow = true;
      for (const std::string& name : whole_reads(program_, *reduce_))
        narrow = narrow && dtype_size(program_.tensor(name).dtype) <= 2;
      vec = source_.tune("VEC", narrow ? std::vector<std::int64_t>{8, 4} : std::vector<std::int64_t>{4, 2});
      items = source_.tune("ITEMS", large() ? std::vector<std::int64_t>{8, 4, 2} : std::vector<std::int64_t>{2, 1, 4});
      choose_grid_of_vectors(vec, items);
    } else {
      choose_grid();
    }
    const std::string parts = source_.scratch(target_ + "_parts", stored_type(), {blocks_}),
                      done = source_.scratch("blocks_done", DType::i32, {});
    source_.zero(done);
    k_.launch(blocks_, block_);
    const std::string blocks = vectors ? "int(gridDim.x)" : blocks_;
    const Accumulator a = vectors ? grid_share_of_vectors(vec, items) : grid_share();
    join_team(e_, Team::block, a, block_);
    const std::string last = k_.fresh("is_last");
    k_.comment(
        "The block that finishes last joins the parts of all: the fence orders each block's part before its tick of "
        "the counter.");
    k_.line(fmt::format("__shared__ bool {};", last));
    k_.open("if (threadIdx.x == 0) {");
    k_.line(fmt::format("{}[blockIdx.x] = {};", k_.tensor(parts, true), a.value));
    k_.line("__threadfence();");
    k_.line(fmt::format("{} = atomicAdd(&{}[0], 1) == {} - 1;", last, k_.tensor(done, true), blocks));
    k_.close();
    k_.barrier();
    k_.line(fmt::format("if (!{}) return;", last));
    k_.line("__threadfence();");
    k_.line(fmt::format("{} = {};", a.value, identity_of(e_, reduce_->reduce, type_)));
    const std::string part = k_.fresh_inside("part");
    k_.open(fmt::format("for (int {0} = threadIdx.x; {0} < {1}; {0} += {2}) {{", part, blocks, block_));
    k_.line(combine_statement(e_, reduce_->reduce, type_, a.value,
                              {fmt::format("__ldcg(&{}[{}])", k_.tensor(parts, true), part)}));
    k_.close();
    join_team(e_, Team::block, a, block_);
    e_.replaced[reduce_] = a.value;
    k_.open("if (threadIdx.x == 0) {");
    finish_equations(e_, group_, kept_, locals_);
    k_.close();
  }

  // --- columns
  // --------------------------------------------------------------------------------------------------------------
  std::string columns() const { return op::print(*extent(group_.rows)); }

  // Binds the column of this thread; its flat position.
  std::string bind_column(const std::string& position) {
    const bool single = group_.rows.size() == 1 && from_zero(group_.rows[0]);
    if (single) e_.bind(group_.rows[0]);
    const std::string flat = single ? e_.index(group_.rows[0].name) : k_.fresh("column");
    k_.line(fmt::format("const {} {} = {};", source_.index_type(), flat, position));
    return flat;
  }

  // for (r = first; r < last; r += step) over the flat reduction domain.
  void column_loop(const Accumulator& a, const std::string& first, const std::string& last, const std::string& step) {
    const auto& domain = reduce_->indices;
    const bool single = domain.size() == 1 && from_zero(domain[0]);
    const std::string flat = single ? k_.index(domain[0].name) : k_.fresh_inside("line");
    if (single) e_.bind(domain[0]);
    k_.open(
        fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", source_.index_type(), flat, first, last, step));
    if (!single) e_.decompose(flat, domain);
    update_accumulator(e_, a);
    k_.close();
  }

  void column_block() {
    const std::string width = source_.tune("WIDTH", {32, 64}), lines = source_.tune("LINES", {8, 16, 4});
    k_.launch(fmt::format("ceildiv({}, {})", columns(), width), width + ", " + lines);
    e_.name_sizes(group_.equations);
    const std::string total = e_.subscript(extent(group_.rows), sum_strength), parts = k_.fresh("parts");
    k_.line(fmt::format("__shared__ {} {}[{}][{}];", e_.type_name(type_), parts, lines, width));
    const std::string flat = bind_column(fmt::format("blockIdx.x * {} + threadIdx.x", width));
    const Accumulator a = declare_accumulator(e_, *reduce_, word());
    k_.open(fmt::format("if ({} < {}) {{", flat, total));
    if (!(group_.rows.size() == 1 && from_zero(group_.rows[0]))) e_.decompose(flat, group_.rows);
    column_loop(a, "threadIdx.y", e_.subscript(extent(reduce_->indices), sum_strength), lines);
    k_.close();
    k_.line(fmt::format("{}[threadIdx.y][threadIdx.x] = {};", parts, a.value));
    k_.barrier();
    k_.open(fmt::format("if (threadIdx.y == 0 && {} < {}) {{", flat, total));
    if (!(group_.rows.size() == 1 && from_zero(group_.rows[0]))) e_.decompose(flat, group_.rows);
    const std::string line = k_.fresh_inside("line");
    k_.open(fmt::format("for (int {0} = 1; {0} < {1}; ++{0}) {{", line, lines));
    k_.line(combine_statement(e_, reduce_->reduce, type_, a.value, {fmt::format("{}[{}][threadIdx.x]", parts, line)}));
    k_.close();
    e_.replaced[reduce_] = a.value;
    finish_equations(e_, group_, kept_, locals_);
    k_.close();
  }

  void column_split(bool atomic) {
    block_ = source_.tune("BLOCK", {128, 64, 256});
    const std::string splits = source_.tune("SPLITS", {16, 8, 32, 4});
    const std::string parts = atomic ? source_.scratch(target_ + "_total", stored_type(), {columns()})
                                     : source_.scratch(target_ + "_parts", stored_type(), {splits, columns()});
    if (atomic) source_.zero(parts);
    const std::string t = source_.index_type();
    k_.launch(fmt::format("ceildiv({}, {}), {}", columns(), block_, splits), block_);
    e_.name_sizes(group_.equations);
    const std::string total = e_.subscript(extent(group_.rows), sum_strength),
                      lines = e_.subscript(extent(reduce_->indices), primary);
    const std::string flat = bind_column(fmt::format("blockIdx.x * {} + threadIdx.x", block_));
    k_.line(fmt::format("if ({} >= {}) return;", flat, total));
    if (!(group_.rows.size() == 1 && from_zero(group_.rows[0]))) e_.decompose(flat, group_.rows);
    const std::string share = k_.fresh("share"), first = k_.fresh("first"), last = k_.fresh("last");
    k_.line(fmt::format("const {} {} = ({} + {} - 1) / {};", t, share, lines, splits, splits));
    k_.line(fmt::format("const {} {} = blockIdx.y * {};", t, first, share));
    k_.line(
        fmt::format("const {} {} = min({} + {}, {});", t, last, first, share, e_.subscript(extent(reduce_->indices))));
    const Accumulator a = declare_accumulator(e_, *reduce_, word());
    column_loop(a, first, last, "1");
    if (atomic)
      k_.line(atomic_add(fmt::format("{}[{}]", k_.tensor(parts, true), flat), a.value));
    else
      k_.line(fmt::format("{}[blockIdx.y * {} + {}] = {};", k_.tensor(parts, true),
                          e_.subscript(extent(group_.rows), primary), flat, a.value));
    Kernel& second = source_.kernel(k_.name() + "_finish");
    second.about(atomic ? "The rest of the equation." : "Joins the parts of each column.");
    second.launch(fmt::format("ceildiv({}, {})", columns(), block_), block_);
    ReduceLowering end(source_, group_, kept_, second);
    end.e_.name_sizes(group_.equations);
    const std::string at = end.bind_column(fmt::format("blockIdx.x * {} + threadIdx.x", block_));
    second.line(fmt::format("if ({} >= {}) return;", at, end.e_.subscript(extent(group_.rows), sum_strength)));
    if (!(group_.rows.size() == 1 && from_zero(group_.rows[0]))) end.e_.decompose(at, group_.rows);
    if (atomic) {
      end.e_.replaced[reduce_] = fmt::format("{}[{}]", second.tensor(parts, false), at);
    } else {
      const Accumulator joined = declare_accumulator(end.e_, *reduce_, word());
      const std::string part = second.fresh_inside("part");
      second.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", part, splits));
      second.line(combine_statement(end.e_, reduce_->reduce, type_, joined.value,
                                    {fmt::format("{}[{} * {} + {}]", second.tensor(parts, false), part,
                                                 end.e_.subscript(extent(group_.rows), primary), at)}));
      second.close();
      end.e_.replaced[reduce_] = joined.value;
    }
    finish_equations(end.e_, group_, kept_, end.locals_);
  }

  const Expr* reduce_ = nullptr;
  Type type_ = Type::real;
  std::string target_, block_, blocks_, element_;
  std::map<std::string, std::string> packs_;  // inputs whose element is in a vector
};

const Expr* the_reduction(const Group& group) {
  const Expr* found = nullptr;
  for (const Equation& eq : group.equations)
    for (const Expr* r : outer_reductions(*eq.value)) found = r;
  return found;
}

bool additive(const Expr& reduce) { return reduce.reduce == ReduceOp::sum; }
bool positional(const Expr& reduce) { return reduce.reduce == ReduceOp::argmax || reduce.reduce == ReduceOp::argmin; }

}  // namespace

std::vector<Variant> full_variants(const Program& program, const Group& group) {
  const Expr& reduce = *the_reduction(group);
  if (positional(reduce)) return {};
  std::vector<Variant> out;
  if (!whole_reads(program, reduce).empty())
    out.push_back(variant_by<ReduceLowering>(
        "full-vector", "Vector loads over the whole device, the last block joins the parts",
        "Each thread has ITEMS loads of VEC neighbouring elements under way at a time, and there are as many blocks as "
        "the elements fill, up to BLOCKS: enough bytes in flight for the memory's full rate. Each block leaves one "
        "part; "
        "a counter in global memory tells the block that finishes last, and that one joins the parts of all, in order.",
        Form::vectors));
  out.push_back(variant_by<ReduceLowering>(
      "full-parts", "Grid-stride partial results, joined by a second launch",
      "A fixed number of blocks walks over all elements in steps of the whole grid; each block "
      "leaves one partial result, and a second launch of one block joins them. "
      "Deterministic: the parts are joined in the same order every time.",
      Form::parts));
  if (additive(reduce))
    out.push_back(
        variant_by<ReduceLowering>("full-atomics", "Grid-stride partial sums, added by atomics",
                                   "As many blocks as before, but each adds its partial sum to one total by an atomic "
                                   "operation. No array of parts; the order of the additions, and so the last "
                                   "bits, may differ from run to run.",
                                   Form::atomics));
  out.push_back(
      variant_by<ReduceLowering>("full-last-block", "Grid-stride partial results, the last block joins them",
                                 "One launch: a counter in global memory tells each block whether it is the last to "
                                 "finish, and that one joins the parts of all.",
                                 Form::last_block));
  out.push_back(variant_by<ReduceLowering>(
      "full-tree", "Partial results by trees in shared memory",
      "The classic form: every block reduces through a tree of halving steps in shared memory "
      "instead of warp shuffles.",
      Form::tree));
  return out;
}

std::vector<Variant> column_variants(const Program& program, const Group& group) {
  const Expr& reduce = *the_reduction(group);
  std::vector<Variant> out;
  out.push_back(row_variants(program, group).back());
  if (positional(reduce) || program.estimate(reduce.indices) < 16) return out;
  out.push_back(variant_by<ReduceLowering>(
      "column-block", "A block of lines and columns, joined in shared memory",
      "A block covers WIDTH columns with LINES threads each: the loads of a warp stay along a "
      "line, and LINES times as many threads work. Shared memory joins the lines' "
      "parts.",
      Form::column_block));
  out.push_back(
      variant_by<ReduceLowering>("column-split", "The lines split over several blocks, joined by a second launch",
                                 "Blocks along y take shares of the lines and leave one part per column each; a second "
                                 "launch joins the parts. Fills the device when there are few columns.",
                                 Form::column_split));
  if (additive(reduce))
    out.push_back(variant_by<ReduceLowering>(
        "column-atomics", "The lines split over several blocks, added by atomics",
        "Blocks along y take shares of the lines and add their parts with one atomic operation per column.",
        Form::column_atomics));
  return out;
}

}  // namespace ww::search
