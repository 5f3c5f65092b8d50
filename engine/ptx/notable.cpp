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

  // The variable of the module whose address this may be or hold; empty: none.
  std::string_view variable_in(const Operand& o) const {
    if (kept_.contains(o.text)) return o.text;
    if (const auto at = pointers_.find(o.text); at != pointers_.end()) return at->second;
    for (const Operand& part : below(o))
      if (const std::string_view found = variable_in(part); !found.empty()) return found;
    return {};
  }

  // An address that goes anywhere but into a load, or into arithmetic on addresses, may be written to. What is passed
  // to a function is not followed: printf's texts are.
  void writes(const Statement& s, std::string_view function) {
    constexpr std::array<std::string_view, 5> keeps = {"mov.", "cvta.", "add.", "mad.", "selp."};
    const Operands all = file_.operands_of(s);
    if (all.count() < 2 || s.name.starts_with("ld") || s.name.starts_with("st.param")) return;
    const bool pointer = std::ranges::any_of(keeps, [&](std::string_view p) { return s.name.starts_with(p); });
    auto at = all.begin();
    const Operand& to = *at;
    if (pointer) ++at;
    std::string_view held;
    for (; held.empty() && at != all.end(); ++at) held = variable_in(*at);
    if (!pointer && !held.empty()) add(Notable::kept_variable, function, held, s.place.line);
    if (!pointer) return;
    if (held.empty())
      pointers_.erase(to.text);
    else
      pointers_[to.text] = held;
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
  std::set<std::string_view> products_;                    // registers that hold one
  std::set<std::string_view> kept_;                        // variables of the module outside constant memory
  std::map<std::string_view, std::string_view> pointers_;  // registers that hold the address of one
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
