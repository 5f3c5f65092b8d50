// SPDX-License-Identifier: Apache-2.0
// Syntax: PTX ISA 8.8, "Syntax" and "Directives".
#include "explore/ptx_identity.h"
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include "base/hash.h"

namespace ww::explore {
namespace {

bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Words ("ld", "%r1"), dotted words (".global", ".L1::no_allocate"), numbers, strings, single characters. Comments and
// the directives .loc and .file (which end with their line) are left out.
std::vector<std::string> tokens_of(std::string_view s) {
  std::vector<std::string> out;
  std::size_t i = 0;
  const auto to_line_end = [&] {
    while (i < s.size() && s[i] != '\n') ++i;
  };
  while (i < s.size()) {
    const char c = s[i];
    const std::size_t begin = i;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '/' && i + 1 < s.size() && s[i + 1] == '/') {
      to_line_end();
    } else if (c == '/' && i + 1 < s.size() && s[i + 1] == '*') {
      const std::size_t end = s.find("*/", i + 2);
      i = end == std::string_view::npos ? s.size() : end + 2;
    } else if (c == '"') {
      for (++i; i < s.size() && s[i] != '"'; ++i)
        if (s[i] == '\\') ++i;
      i = std::min(i + 1, s.size());
      out.emplace_back(s.substr(begin, i - begin));
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (i < s.size() && (word_char(s[i]) ||
                              (s[i] == '.' && i + 1 < s.size() && std::isdigit(static_cast<unsigned char>(s[i + 1])))))
        ++i;
      out.emplace_back(s.substr(begin, i - begin));
    } else if (word_start(c)) {
      for (++i; i < s.size() && word_char(s[i]);) ++i;
      out.emplace_back(s.substr(begin, i - begin));
    } else if (c == '.') {
      for (++i; i < s.size(); ++i) {
        if (word_char(s[i])) continue;
        if (s.substr(i, 2) != "::" || i + 2 >= s.size() || !word_char(s[i + 2])) break;
        ++i;
      }
      const std::string_view word = s.substr(begin, i - begin);
      if (word == ".loc" || word == ".file")
        to_line_end();
      else
        out.emplace_back(word);
    } else {
      out.emplace_back(1, c);
      ++i;
    }
  }
  return out;
}

using Tokens = std::vector<std::string>;

bool is_word(const std::string& t) { return word_start(t[0]); }

struct Function {
  bool entry = false;
  std::string name;
  Tokens head, body;  // body with its braces; empty: declared only
};

struct Module {
  std::map<std::string, Function> functions;
  std::map<std::string, Tokens> variables;
};

std::size_t closing(const Tokens& t, std::size_t open) {  // of the "{" there; the end where there is none
  int depth = 0;
  for (std::size_t i = open; i < t.size(); ++i) {
    if (t[i] == "{") ++depth;
    if (t[i] == "}" && --depth == 0) return i;
  }
  return t.size() - 1;
}

Module module_of(const Tokens& t) {
  Module m;
  for (std::size_t i = 0; i < t.size();) {
    if (t[i] == ".version" || t[i] == ".target" || t[i] == ".address_size") {  // one value, or a list of words
      for (++i; i < t.size() && (t[i][0] != '.' || t[i] == ","); ++i) {}
      continue;
    }
    if (t[i] == ".section") {
      while (i < t.size() && t[i] != "{") ++i;
      if (i < t.size()) i = closing(t, i) + 1;
      continue;
    }
    const std::size_t begin = i;
    bool function = false;
    for (; i < t.size() && t[i] != ";"; ++i) {
      if (t[i] == ".entry" || t[i] == ".func") function = true;
      if (t[i] != "{") continue;
      if (function) break;
      i = closing(t, i);  // of an initialiser
    }
    if (!function) {
      const auto from = t.begin() + static_cast<std::ptrdiff_t>(begin),
                 to = t.begin() + static_cast<std::ptrdiff_t>(std::min(i, t.size()));
      const auto name = std::find_if(from, to, is_word);
      if (name != to) m.variables[*name] = Tokens(from, to);
      ++i;
      continue;
    }
    Function f;
    int depth = 0;
    bool named = false, kind = false;
    for (std::size_t k = begin; k < std::min(i, t.size()); ++k) {
      if (t[k] == "(") ++depth;
      if (t[k] == ")") --depth;
      if (t[k] == ".entry" || t[k] == ".func") kind = true, f.entry = t[k] == ".entry";
      if (kind && !named && depth == 0 && is_word(t[k])) f.name = t[k], named = true;
      if (t[k] != ".visible" && t[k] != ".weak" && t[k] != ".extern") f.head.push_back(t[k]);
    }
    if (i < t.size() && t[i] == "{") {
      const std::size_t end = closing(t, i);
      f.body.assign(t.begin() + static_cast<std::ptrdiff_t>(i), t.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      i = end;
    }
    ++i;
    Function& known = m.functions[f.name];
    if (known.body.empty()) known = std::move(f);  // a declaration does not replace the definition
  }
  return m;
}

class Writer {  // of one function
 public:
  Writer(const Module& module, std::set<std::string> callers) : module_(module), callers_(std::move(callers)) {}

  std::string write(const Function& f) {
    callers_.insert(f.name);
    int depth = 0;
    for (const std::string& t : f.head) {
      if (t == "(") ++depth;
      if (t == ")") --depth;
      if (t == f.name && depth == 0)
        put("@self");
      else if (depth > 0 && is_word(t))
        put(names_.emplace(t, "@p" + std::to_string(names_.size())).first->second);
      else
        put(t);
    }
    for (std::size_t i = 0; i + 1 < f.body.size(); ++i)
      if (is_word(f.body[i]) && f.body[i + 1] == ":") labels_.insert(f.body[i]);
    body(f.body);
    for (std::size_t i = 0; i < used_.size(); ++i) {  // grows as initialisers name others
      put("\n" + names_.at(used_[i]) + ":");
      for (const std::string& t : module_.variables.at(used_[i])) is_word(t) ? word(t) : put(t);
    }
    return std::move(out_);
  }

 private:
  struct Scope {
    int id = 0;
    std::map<std::string, std::string> types;                           // of single registers
    std::map<std::string, std::pair<std::string, std::size_t>> ranges;  // of "%r<12>": type and count
  };

  void put(const std::string& t) {
    if (!out_.empty()) out_ += ' ';
    out_ += t;
  }

  void body(const Tokens& t) {
    bool fresh = true;  // a statement begins
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (t[i] == "{" && fresh) {
        scopes_.push_back({next_scope_++, {}, {}});
        put("{");
      } else if (t[i] == "}" && fresh) {
        if (!scopes_.empty()) scopes_.pop_back();
        put("}");
      } else if (fresh && t[i] == ".reg") {
        i = declare_registers(t, i);
      } else {
        if (fresh &&
            (t[i] == ".local" || t[i] == ".shared" || t[i] == ".param" || t[i] == ".global" || t[i] == ".const"))
          declare_variable(t, i);
        is_word(t[i]) ? word(t[i]) : put(t[i]);
        fresh = t[i] == ";" || (t[i] == ":" && i > 0 && labels_.contains(t[i - 1]));
        continue;
      }
      fresh = true;
    }
  }

  std::size_t declare_registers(const Tokens& t, std::size_t i) {
    std::string type;
    if (scopes_.empty()) scopes_.push_back({next_scope_++, {}, {}});
    for (++i; i < t.size() && t[i] != ";"; ++i) {
      if (t[i][0] == '.') {
        type += t[i];
      } else if (is_word(t[i])) {
        if (i + 2 < t.size() && t[i + 1] == "<")
          scopes_.back().ranges[t[i]] = {type, std::strtoull(t[i + 2].c_str(), nullptr, 10)};
        else
          scopes_.back().types[t[i]] = type;
      }
    }
    return i;
  }

  void declare_variable(const Tokens& t, std::size_t i) {  // of this function; a name may come again in another block
    for (; i < t.size() && t[i] != ";" && t[i] != "="; ++i)
      if (is_word(t[i])) {
        names_[t[i]] = "@l" + std::to_string(++locals_);
        return;
      }
  }

  std::optional<std::string> as_register(const std::string& t) {
    std::size_t digits = t.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(t[digits - 1]))) --digits;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      std::string type;
      if (const auto one = scope->types.find(t); one != scope->types.end()) {
        type = one->second;
      } else {
        const auto range = digits < t.size() ? scope->ranges.find(t.substr(0, digits)) : scope->ranges.end();
        if (range == scope->ranges.end() || std::strtoull(t.c_str() + digits, nullptr, 10) >= range->second.second)
          continue;
        type = range->second.first;
      }
      const auto [at, fresh] = registers_.emplace(std::pair{scope->id, t}, "");
      if (fresh) at->second = "%" + std::to_string(registers_.size()) + type;
      return at->second;
    }
    return std::nullopt;
  }

  void word(const std::string& t) {
    if (const auto r = as_register(t)) return put(*r);
    if (const auto n = names_.find(t); n != names_.end()) return put(n->second);
    if (labels_.contains(t)) return put(names_[t] = "@b" + std::to_string(++blocks_));
    if (module_.variables.contains(t)) {
      used_.push_back(t);
      return put(names_[t] = "@g" + std::to_string(used_.size()));
    }
    if (const auto f = module_.functions.find(t); f != module_.functions.end()) {
      const std::string text =
          callers_.contains(t) ? "@again" : "@f" + hash_hex(Writer(module_, callers_).write(f->second));
      return put(names_[t] = text);
    }
    put(t);
  }

  const Module& module_;
  std::set<std::string> callers_, labels_;
  std::vector<Scope> scopes_;
  std::map<std::string, std::string> names_;
  std::map<std::pair<int, std::string>, std::string> registers_;
  std::vector<std::string> used_;
  int next_scope_ = 0, locals_ = 0, blocks_ = 0;
  std::string out_;
};

void add_plan(Hasher& h, const candidate::Plan& plan, const std::map<std::string, std::string>& kernels) {
  std::map<std::string, std::string> temps;  // their names have no meaning: numbered in order of first use
  const auto tensor = [&](const std::string& name) {
    const bool temp = std::any_of(plan.temps.begin(), plan.temps.end(), [&](const auto& t) { return t.name == name; });
    return temp ? temps.emplace(name, "@" + std::to_string(temps.size())).first->second : name;
  };
  const auto dims = [&](const std::array<std::uint32_t, 3>& d) { h.add(d.data(), sizeof d); };
  for (const candidate::PlannedLaunch& l : plan.launches) {
    h.field("launch").field(kernels.at(l.kernel));
    dims(l.grid), dims(l.block), dims(l.cluster);
    h.add(&l.shared_bytes, sizeof l.shared_bytes)
        .add(&l.carveout, sizeof l.carveout)
        .field(l.cooperative ? "cooperative" : "");
    for (const candidate::PlannedArg& a : l.args) {
      h.field(std::to_string(static_cast<int>(a.kind)))
          .field(a.kind == candidate::PlannedArg::Kind::tensor ? tensor(a.tensor) : std::string());
      h.add(&a.integer, sizeof a.integer).add(&a.real, sizeof a.real);
    }
  }
  std::set<std::string> rest;  // in no order
  for (const candidate::PlannedTensor& t : plan.temps)
    rest.insert(tensor(t.name) + " " + std::string(dtype_name(t.dtype)) + " " + std::to_string(t.count) +
                (t.zeroed ? " zeroed" : ""));
  for (const std::string& z : plan.zeroed_outputs) rest.insert("zero " + z);
  for (const std::string& r : rest) h.field(r);
}

}  // namespace

std::map<std::string, std::string> normalised_entries(std::string_view ptx) {
  const Module module = module_of(tokens_of(ptx));
  std::map<std::string, std::string> out;
  for (const auto& [name, f] : module.functions)
    if (f.entry && !f.body.empty()) out.emplace(name, Writer(module, {}).write(f));
  return out;
}

std::string identity_of(const candidate::Candidate& c, const op::Spec& spec, const std::vector<gate::Case>& cases,
                        std::string_view ptx) {
  std::map<std::string, std::string> kernels = normalised_entries(ptx);
  for (auto& [name, text] : kernels) text = hash_hex(text);
  for (const candidate::Launch& l : c.launches)
    if (!kernels.contains(l.kernel)) return {};
  Hasher h;
  std::set<std::string> options(c.options.begin(), c.options.end());
  for (const std::string& o : options) h.field("option").field(o);
  const candidate::Tuning tuning = candidate::first_tuning(c);
  for (const gate::Case& one : cases) {
    h.field("case").field(one.name);
    const Result<bool> claimed = candidate::claims(c, spec, one.binding, tuning);
    if (!claimed) return {};
    if (!*claimed) {
      h.field("not claimed");
      continue;
    }
    const Result<candidate::Plan> plan = candidate::plan(c, spec, one.binding, tuning);
    if (!plan) return {};
    add_plan(h, *plan, kernels);
  }
  return h.hex();
}

}  // namespace ww::explore
