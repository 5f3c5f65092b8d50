// SPDX-License-Identifier: Apache-2.0
#include "llm/roles_file.h"
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include "base/described_json.h"
#include "base/files.h"
#include "llm/catalogue.h"

namespace ww::llm {
namespace {

// Walks over the tokens of JSON with comments that is known to be well-formed.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) { skip_blanks(); }
  bool ended() const { return at_ >= text_.size(); }
  char now() const { return ended() ? '\0' : text_[at_]; }
  std::size_t at() const { return at_; }

  std::string_view next() {  // the token here: a bracket, a colon, a comma, a string with its quotes, or a word
    const std::size_t begin = at_;
    if (now() == '"') {
      for (++at_; !ended() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\';
      ++at_;
    } else if (std::string_view("{}[]:,").find(now()) != std::string_view::npos) {
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of("{}[]:,\" \t\r\n/", at_), text_.size());
    }
    at_ = std::min(std::max(at_, begin + 1), text_.size());
    const std::size_t end = at_;
    skip_blanks();
    return text_.substr(begin, end - begin);
  }
  std::size_t after_value() {  // the place behind the value that begins here
    int depth = 0;
    std::size_t end = at_;
    do {
      const std::size_t begin = at_;
      const std::string_view token = next();
      depth += token == "{" || token == "[" ? 1 : token == "}" || token == "]" ? -1 : 0;
      end = begin + token.size();
    } while (depth > 0 && !ended());
    return end;
  }

 private:
  void skip_blanks() {
    while (!ended()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (rest.starts_with("/*"))
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      else if (std::string_view(" \t\r\n").find(rest.front()) != std::string_view::npos)
        ++at_;
      else
        return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Span {
  std::size_t begin = 0, end = 0;
};

// The value of the outermost object's member "roles".
std::optional<Span> roles_in(std::string_view text) {
  Walk walk(text);
  walk.next();  // {
  while (!walk.ended() && walk.now() != '}') {
    const std::string_view name = walk.next();
    walk.next();  // :
    const std::size_t begin = walk.at(), end = walk.after_value();
    if (name == "\"roles\"") return Span{begin, end};
    if (walk.now() == ',') walk.next();
  }
  return std::nullopt;
}

json::Json json_of(const std::vector<RoleSettings>& roles) {
  json::Json all = json::Json::object();
  for (const RoleSettings& r : roles) {
    json::Json one = json::of(r);
    one.erase("role");
    if (!one.empty()) all[r.role] = std::move(one);
  }
  return all;
}

std::string printed(const json::Json& roles) {  // as a member of an object, two spaces deep
  std::string text = json::dump(roles, 2);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
    text.insert(at + 1, "  ");
  return text;
}

}  // namespace

Result<std::string> with_roles(const std::string& text, const std::vector<RoleSettings>& roles) {
  for (const RoleSettings& r : roles) WW_TRY(check_role(r));
  const std::string now = printed(json_of(roles));
  const bool none = text.find_first_not_of(" \t\r\n") == std::string::npos;
  std::string out = none ? "{\n  \"schema\": \"warpwright-models/1\",\n  \"roles\": " + now + "\n}\n" : text;
  const std::string shipped = WW_TRY(read_file(Catalogue::shipped_file()));
  if (!none) {
    WW_TRY(Catalogue::parse(shipped, text));
    if (const auto old = roles_in(text))
      out.replace(old->begin, old->end - old->begin, now);
    else
      out.insert(text.find('{', Walk(text).at()) + 1, "\n  \"roles\": " + now + ",");
  }
  const Catalogue read = WW_TRY(Catalogue::parse(shipped, out));
  if (json_of(read.roles()) != json_of(roles))
    return fail(Code::parse, "the file sets roles in more than one place, so they cannot be changed here");
  return out;
}

Status save_roles(const std::vector<RoleSettings>& roles) {
  namespace fs = std::filesystem;
  const fs::path file = Catalogue::own_file();
  std::error_code ec;
  const std::string text = fs::exists(file, ec) ? WW_TRY(read_file(file)) : std::string();
  const std::string changed = WW_TRY(with_roles(text, roles));
  fs::create_directories(file.parent_path(), ec);
  return write_file_atomic(file, changed);
}

}  // namespace ww::llm
