// SPDX-License-Identifier: Apache-2.0
#include "ptx/notable.h"
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include "ptx/syntax.h"

namespace ww::ptx {
namespace {

struct Special {
  std::string_view prefix;
  Notable kind;
};
// PTX ISA 9.0, section 10.
constexpr Special specials[] = {
    {"%clock", Notable::clock},
    {"%globaltimer", Notable::clock},
    {"%pm", Notable::clock},
    {"%smid", Notable::identity},
    {"%nsmid", Notable::identity},
    {"%warpid", Notable::identity},
    {"%nwarpid", Notable::identity},
    {"%gridid", Notable::identity},
    {"%current_graph_exec", Notable::identity},
    {"%envreg", Notable::architecture},
    {"%total_smem_size", Notable::architecture},
    {"%aggr_smem_size", Notable::architecture},
};

std::optional<Notable> special(std::string_view name) {
  for (const Special& s : specials)
    if (name.starts_with(s.prefix)) return s.kind;
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const File& file) : file_(file) {}

  std::vector<Note> read() {
    for (const Statement& s : file_.items) tables(s, {});
    for (const Statement& s : file_.items) variables(s);
    for (const Statement& s : file_.items) addresses_in_memory(s);
    for (const Function& f : file_.functions) body(f);
    return std::move(notes_);
  }

 private:
  void tables(const Statement& s, std::string_view function) {
    if (s.kind != Statement::Kind::variables) return;
    for (std::uint32_t i = s.range.begin; i < s.range.end; ++i) {
      const Variable& v = file_.variables[i];
      if (v.values.size() == 0 || v.bytes() < least_table) continue;
      notes_.push_back(
          {Notable::large_table, std::string(function), std::string(v.name), v.line, static_cast<int>(v.bytes())});
    }
  }

  void variables(const Statement& s) {
    if (s.kind != Statement::Kind::variables) return;
    for (std::uint32_t i = s.range.begin; i < s.range.end; ++i)
      if (const Variable& v = file_.variables[i]; v.space == Variable::Space::global) kept_.insert(v.name);
  }

  // A pointer in memory may lead anywhere.
  void addresses_in_memory(const Statement& s) {
    if (s.kind != Statement::Kind::variables) return;
    for (std::uint32_t i = s.range.begin; i < s.range.end; ++i) {
      const Variable& v = file_.variables[i];
      for (std::uint32_t k = v.values.begin; k < v.values.end; ++k)
        if (const std::string_view of = file_.values[k].symbol; kept_.contains(of))
          add(Notable::kept_variable, {}, of, v.line);
    }
  }

  void add(Notable kind, std::string_view function, std::string_view what, int line) {
    const auto same = std::ranges::find_if(
        notes_, [&](const Note& n) { return n.kind == kind && n.function == function && n.what == what; });
    if (same != notes_.end())
      ++same->count;
    else
      notes_.push_back({kind, std::string(function), std::string(what), line, 1});
  }

  void body(const Function& f) {
    products_.clear();
    pointers_.clear();
    passed_.clear();
    if (!kept_.empty()) find_pointers(f);
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
      const Statement& s = file_.statements[i];
      tables(s, f.name);
      if (s.kind != Statement::Kind::instruction) continue;
      for (const Operand& o : file_.operands_of(s))
        if (o.kind == Operand::Kind::name)
          if (const auto kind = special(o.text)) add(*kind, f.name, o.text, s.place.line);
      index(s, f.name);
      if (!kept_.empty()) writes(s, f.name);
    }
  }

  using Names = std::set<std::string_view>;

  // The variables of the module whose address this may be or hold.
  Names variables_in(const Operand& o) const {
    Names found;
    if (kept_.contains(o.text)) found.insert(o.text);
    if (const auto at = pointers_.find(o.text); at != pointers_.end()) found = at->second;
    for (const Operand& part : below(o)) found.merge(variables_in(part));
    return found;
  }

  static bool keeps_address(const Statement& s) {
    constexpr std::array<std::string_view, 5> keeps = {"mov.", "cvta.", "add.", "mad.", "selp."};
    return std::ranges::any_of(keeps, [&](std::string_view p) { return s.name.starts_with(p); });
  }

  // All but the first operand, which is written.
  Names sources_of(const Statement& s) const {
    Names held;
    const Operands all = file_.operands_of(s);
    if (all.count() < 2) return held;
    auto at = all.begin();
    while (++at != all.end()) held.merge(variables_in(*at));
    return held;
  }

  // Which registers may hold the address of a variable at some time: on any path, whatever the order of the text.
  void find_pointers(const Function& f) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
        const Statement& s = file_.statements[i];
        if (s.kind != Statement::Kind::instruction || !keeps_address(s)) continue;
        Names held = sources_of(s);
        if (held.empty()) continue;
        Names& known = pointers_[(*file_.operands_of(s).begin()).text];
        const std::size_t before = known.size();
        known.merge(held);
        changed = changed || known.size() != before;
      }
    }
  }

  // An address that goes anywhere but into a load, or into arithmetic on addresses, may be written to: also by another
  // function, unless that is known to read it alone.
  void writes(const Statement& s, std::string_view function) {
    constexpr std::array<std::string_view, 3> readers = {"vprintf", "__assertfail", "free"};
    const Operands all = file_.operands_of(s);
    if (s.name.starts_with("call")) {
      const bool reads = std::any_of(all.begin().at, all.end().at, [&](const Operand& o) {
        return std::ranges::find(readers, o.text) != readers.end();
      });
      if (reads) passed_.clear();
    }
    if (s.name.starts_with("call") || s.name.starts_with("ret")) {
      for (const std::string_view v : passed_) add(Notable::kept_variable, function, v, s.place.line);
      passed_.clear();
      return;
    }
    if (s.name.starts_with("st.param")) return passed_.merge(sources_of(s));
    if (all.count() < 2 || s.name.starts_with("ld") || keeps_address(s)) return;
    Names held = sources_of(s);
    held.merge(variables_in(*all.begin()));
    for (const std::string_view v : held) add(Notable::kept_variable, function, v, s.place.line);
  }

  // One pass in text order: values carried by loops are not followed.
  void index(const Statement& s, std::string_view function) {
    const Operands all = file_.operands_of(s);
    if (all.count() < 2) return;
    auto at = all.begin();
    const Operand& to = *at;
    ++at;
    const Operand& first = *at;
    const auto is_product = [&](const Operand& o) {
      return o.kind == Operand::Kind::name && products_.contains(o.text);
    };
    if (s.name.starts_with("mul.wide.") || s.name == "cvt.s64.s32" || s.name == "cvt.u64.u32") {
      if (is_product(first)) add(Notable::narrow_index, function, {}, s.place.line);
      return;
    }
    if (to.kind != Operand::Kind::name) return;
    bool product = false;
    if (s.name.starts_with("mul.lo.") || s.name.starts_with("mad.lo.")) {
      if (!s.name.ends_with("32")) return;
      if (all.count() < 3) return;
      ++at;
      product = of_variables(first, *at);
    }
    const bool keeps = s.name.starts_with("add.s32") || s.name.starts_with("add.u32") || s.name.starts_with("mov.") ||
                       s.name.starts_with("mad.lo.");
    if (keeps)
      for (auto o = all.begin(); !product && ++o != all.end();) product = is_product(*o);
    if (product)
      products_.insert(to.text);
    else
      products_.erase(to.text);
  }

  // A block's number times a constant stays far below 2^31.
  static bool of_variables(const Operand& a, const Operand& b) {
    return a.kind == Operand::Kind::name && b.kind == Operand::Kind::name;
  }

  const File& file_;
  std::set<std::string_view> products_;         // registers that hold one
  std::set<std::string_view> kept_;             // variables of the module outside constant memory
  std::map<std::string_view, Names> pointers_;  // registers that may hold the address of one
  Names passed_;                                // to the next call, or as a result
  std::vector<Note> notes_;
};

}  // namespace

std::vector<Note> notable_in(std::string_view ptx) {
  const File file = parse(ptx);
  return Reader(file).read();
}

std::vector<std::string> kept_variables(std::string_view ptx) {
  std::vector<std::string> names;
  for (Note& note : notable_in(ptx))
    if (note.kind == Notable::kept_variable && std::ranges::find(names, note.what) == names.end())
      names.push_back(std::move(note.what));
  return names;
}

bool blocks_meet(std::string_view ptx) {
  const File file = parse(ptx);
  return std::ranges::any_of(file.statements, [](const Statement& s) {
    constexpr std::array<std::string_view, 4> strong = {".volatile", ".relaxed", ".acquire", ".release"};
    if (s.kind != Statement::Kind::instruction || s.name.find(".shared") != std::string_view::npos) return false;
    return is_atomic(s.name) ||
           std::ranges::any_of(strong, [&](std::string_view w) { return s.name.find(w) != std::string_view::npos; });
  });
}

std::string note_text(const Note& n) {
  const std::string where = (n.function.empty() ? "the module" : n.function) + " ",
                    line = " (PTX line " + std::to_string(n.line) + ")";
  switch (n.kind) {
    case Notable::clock: return where + "reads the clock " + n.what + line;
    case Notable::identity: return where + "reads where it runs: " + n.what + line;
    case Notable::architecture: return where + "reads a limit of the hardware: " + n.what + line;
    case Notable::large_table:
      return where + "has a table of constants, " + n.what + ", of " + std::to_string(n.count) + " bytes" + line;
    case Notable::kept_variable:
      return where + "may write " + n.what + ", a variable of its own that keeps its value from call to call" + line;
    case Notable::narrow_index:
      return where + "computes addresses from products in 32 bits, which tensors of over 2^31 elements overflow" + line;
  }
  return {};
}

}  // namespace ww::ptx
