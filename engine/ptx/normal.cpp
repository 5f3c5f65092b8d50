// SPDX-License-Identifier: Apache-2.0
#include "ptx/normal.h"
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>
#include "base/hash.h"
#include "ptx/syntax.h"

namespace ww::ptx {
namespace {

struct Symbols {
  const File& file;
  std::map<std::string_view, const Function*> functions;   // a declaration does not replace the definition
  std::map<std::string_view, std::string_view> variables;  // with the statement that declares them
  mutable int writers_left;                                // of called functions
};

Symbols symbols_of(const File& file) {
  Symbols out{file, {}, {}, 4096};
  for (const Function& f : file.functions) {
    const Function*& known = out.functions[f.name];
    if (known == nullptr || !known->has_body) known = &f;
  }
  for (const Statement& s : file.items) {
    if (s.kind == Statement::Kind::variables)
      for (std::uint32_t i = s.range.begin; i < s.range.end; ++i)
        out.variables[file.variables[i].name] = s.text.substr(0, s.text.rfind(';'));
    if (s.kind != Statement::Kind::other || s.name != ".alias") continue;
    Lexer lexer(s.text);
    Token t = lexer.next();
    while (t.kind != Token::Kind::end && t.kind != Token::Kind::name) t = lexer.next();
    if (t.kind == Token::Kind::name) out.variables[t.text] = s.text;
  }
  return out;
}

class NormalWriter {  // of one function
 public:
  NormalWriter(const Symbols& module, std::set<std::string_view> callers)
      : module_(module), file_(module.file), callers_(std::move(callers)) {}

  std::string write(const Function& f) {
    callers_.insert(f.name);
    head(f);
    const auto named = [](const Statement& s) {
      return s.kind == Statement::Kind::label || s.kind == Statement::Kind::prototype ||
             s.kind == Statement::Kind::targets;
    };
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i)
      if (named(file_.statements[i])) labels_.insert(file_.statements[i].name);
    if (f.has_body) {
      open();
      for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) statement(file_.statements[i]);
      put("}");
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {  // grows as initialisers name others
      put("\n" + names_.at(used_[i]) + ":");
      tokens(module_.variables.at(used_[i]));
    }
    return std::move(out_);
  }

 private:
  struct Scope {
    int id = 0;
    std::map<std::string_view, Register> registers;  // single ones and ranges by their prefix
  };

  void put(std::string_view t) {
    if (!out_.empty()) out_ += ' ';
    out_ += t;
  }

  void head(const Function& f) {
    int depth = 0;
    Lexer lexer(f.head);
    for (Token t = lexer.next(); t.kind != Token::Kind::end; t = lexer.next()) {
      depth += t.is('(') - t.is(')');
      if (t.is_directive("visible") || t.is_directive("weak") || t.is_directive("extern")) continue;
      if (t.text == f.name && depth == 0)
        put("@self");
      else if (depth > 0 && t.kind == Token::Kind::name)
        put(names_.emplace(t.text, "@p" + std::to_string(names_.size())).first->second);
      else
        put(t.text);
    }
  }

  void open() {
    scopes_.push_back({next_scope_++, {}});
    put("{");
  }

  void statement(const Statement& s) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::open: return open();
      case Kind::close:
        if (!scopes_.empty()) scopes_.pop_back();
        return put("}");
      case Kind::location: return;
      case Kind::registers:
        for (std::uint32_t i = s.range.begin; i < s.range.end; ++i)
          scopes_.back().registers[file_.registers[i].name] = file_.registers[i];
        return;
      case Kind::variables:  // of this function; a name may come again in another block
        for (std::uint32_t i = s.range.begin; i < s.range.end; ++i)
          names_[file_.variables[i].name] = "@l" + std::to_string(++locals_);
        break;
      case Kind::other:
        if (s.name == ".file") return;
        break;
      default: break;
    }
    tokens(s.text, s.kind == Kind::instruction ? s.name : std::string_view());
  }

  void tokens(std::string_view text, std::string_view opcode = {}) {
    Lexer lexer(text);
    for (Token t = lexer.next(); t.kind != Token::Kind::end; t = lexer.next())
      t.kind == Token::Kind::name&& t.text.data() != opcode.data() ? word(t.text) : put(t.text);
  }

  std::optional<std::string> as_register(std::string_view t) {
    const std::size_t prefix = t.find_last_not_of("0123456789") + 1;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      auto found = scope->registers.find(t);
      if (found == scope->registers.end() || found->second.is_range) {
        found = prefix < t.size() ? scope->registers.find(t.substr(0, prefix)) : scope->registers.end();
        std::uint64_t number = 0;
        if (found == scope->registers.end() || !found->second.is_range ||
            std::from_chars(t.data() + prefix, t.data() + t.size(), number).ec != std::errc() ||
            number >= found->second.count)
          continue;
      }
      const auto [at, fresh] = registers_.emplace(std::pair{scope->id, t}, "");
      if (fresh)
        at->second = "%" + std::to_string(registers_.size()) + "." + std::string(type_name(found->second.type));
      return at->second;
    }
    return std::nullopt;
  }

  void word(std::string_view t) {
    if (const auto r = as_register(t)) return put(*r);
    if (const auto n = names_.find(t); n != names_.end()) return put(n->second);
    if (labels_.contains(t)) return put(names_[t] = "@b" + std::to_string(++blocks_));
    if (module_.variables.contains(t)) {
      used_.push_back(t);
      return put(names_[t] = "@g" + std::to_string(used_.size()));
    }
    if (const auto f = module_.functions.find(t); f != module_.functions.end())
      return put(names_[t] = callers_.contains(t) ? "@again" : "@f" + hash_hex(called(*f->second)));
    put(t);
  }

  // What a called function does; of chains and fans of calls beyond all reason its text, which only ever tells apart.
  std::string called(const Function& f) {
    if (callers_.size() >= 64 || module_.writers_left-- <= 0) return std::string(f.text);
    return NormalWriter(module_, callers_).write(f);
  }

  const Symbols& module_;
  const File& file_;
  std::set<std::string_view> callers_, labels_;
  std::vector<Scope> scopes_;
  std::map<std::string_view, std::string> names_;
  std::map<std::pair<int, std::string_view>, std::string> registers_;
  std::vector<std::string_view> used_;
  int next_scope_ = 0, locals_ = 0, blocks_ = 0;
  std::string out_;
};

}  // namespace

std::map<std::string, std::string> normalised_entries(std::string_view ptx) {
  const File file = parse(ptx);
  const Symbols symbols = symbols_of(file);
  std::map<std::string, std::string> out;
  for (const auto& [name, f] : symbols.functions)
    if (f->is_entry && f->has_body) out.emplace(name, NormalWriter(symbols, {}).write(*f));
  return out;
}

}  // namespace ww::ptx
