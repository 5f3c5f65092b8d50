// SPDX-License-Identifier: Apache-2.0
#include "llm/prompt.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <set>
#include "base/ascii.h"
#include "base/fence.h"
#include "base/files.h"
#include "base/hash.h"
#include "llm/reply_text.h"
#include "llm/tokens.h"

namespace ww::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file = std::size_t{1} << 20, max_includes = 8;  // bytes; levels
constexpr std::string_view unless_key = "unless ";

struct Line {
  std::string_view text;
  int number = 0;  // in its file, from 1
};

struct Parsed {  // one file, its head read
  const PromptFile* file = nullptr;
  std::string version, role;
  std::vector<std::string> drop, shorten;
  std::vector<std::pair<std::string, std::vector<std::string>>> unless;  // what a text of the sheet makes superfluous
  std::vector<Line> system, common, user;                                // of a role's file
  std::vector<Line> body;                                                // of a file that others include
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    out.push_back({line, static_cast<int>(out.size()) + 1});
    at = end + 1;
  }
  return out;
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (const auto word = trimmed(text.substr(0, comma)); !word.empty()) out.emplace_back(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

bool is_name(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

// A fence line of Markdown: its backticks, else 0. `info`: the text after them.
std::size_t fence_of(std::string_view line, std::string_view& info) {
  const std::string_view t = trimmed(line);
  const std::size_t n = std::min(t.find_first_not_of('`'), t.size());
  info = trimmed(t.substr(n));
  return n >= 3 && info.find('`') == std::string_view::npos ? n : 0;
}

std::string place(const PromptFile& file, int line) { return fmt::format("{}:{}", file.path.string(), line); }
tl::unexpected<Error> wrong(const PromptFile& file, int line, const std::string& what) {
  return fail(Code::parse, place(file, line) + ": " + what);
}

// "{{name}}" or "{{> file.md}}" in a line, from `at` on.
struct Mark {
  std::size_t begin = 0, end = 0;
  std::string_view name;
  bool include = false, good = true;
};
std::optional<Mark> next_mark(std::string_view line, std::size_t at) {
  Mark m;
  m.begin = line.find("{{", at);
  if (m.begin == std::string_view::npos) return std::nullopt;
  const std::size_t close = line.find("}}", m.begin + 2);
  if (close == std::string_view::npos) {
    m.good = false;
    return m;
  }
  m.end = close + 2;
  m.name = trimmed(line.substr(m.begin + 2, close - m.begin - 2));
  if (m.name.starts_with('>')) {
    m.include = true;
    m.name = trimmed(m.name.substr(1));
    m.good = m.name.ends_with(".md") && m.name.find('/') == std::string_view::npos &&
             trimmed(line).size() == m.end - m.begin;
  } else {
    m.good = is_name(m.name);
  }
  return m;
}

Result<Parsed> parse(const PromptFile& file) {
  Parsed p;
  p.file = &file;
  const std::vector<Line> lines = lines_of(file.text);
  std::size_t i = 0;
  const auto comment = [](std::string_view l) { return trimmed(l).starts_with("<!--") && trimmed(l).ends_with("-->"); };
  while (i < lines.size() && (trimmed(lines[i].text).empty() || comment(lines[i].text))) ++i;
  for (; i < lines.size() && !trimmed(lines[i].text).empty() && !lines[i].text.starts_with('#'); ++i) {
    const std::string_view l = lines[i].text;
    const std::size_t colon = l.find(':');
    const std::string_view key = trimmed(l.substr(0, std::min(colon, l.size())));
    if (colon == std::string_view::npos || (key != "version" && key != "role" && key != "drop" && key != "shorten" &&
                                            key != "about" && !key.starts_with(unless_key))) {
      if (p.version.empty() && p.role.empty() && p.drop.empty()) break;  // no head at all
      return wrong(
          file, lines[i].number,
          "the header contains only version, role, drop, shorten, unless NAME and about, and ends with an empty "
          "line");
    }
    const std::string_view value = trimmed(l.substr(colon + 1));
    if (key == "version")
      p.version = value;
    else if (key == "role")
      p.role = value;
    else if (key == "drop")
      p.drop = list_of(value);
    else if (key == "shorten")
      p.shorten = list_of(value);
    else if (key.starts_with(unless_key))
      p.unless.emplace_back(trimmed(key.substr(unless_key.size())), list_of(value));
  }
  std::vector<std::string> names = p.drop;
  names.insert(names.end(), p.shorten.begin(), p.shorten.end());
  for (const auto& [text, superfluous] : p.unless) {
    names.push_back(text);
    names.insert(names.end(), superfluous.begin(), superfluous.end());
  }
  for (const std::string& n : names)
    if (!is_name(n)) return wrong(file, 1, fmt::format("'{}' is not a name: lower-case letters, digits and '_'", n));
  std::vector<Line>* into = p.role.empty() ? &p.body : nullptr;
  bool fenced = false;
  std::size_t open = 0;
  for (; i < lines.size(); ++i) {
    const std::string_view l = lines[i].text, t = trimmed(l);
    std::string_view info;
    if (const std::size_t n = fence_of(l, info); n != 0) {
      if (!fenced)
        fenced = true, open = n;
      else if (n >= open && info.empty())
        fenced = false;
    }
    if (!p.role.empty() && !fenced && (t == "## system" || t == "## common" || t == "## user")) {
      into = t == "## system" ? &p.system : t == "## common" ? &p.common : &p.user;
      continue;
    }
    for (std::size_t at = 0;;) {
      const auto mark = next_mark(l, at);
      if (!mark) break;
      if (!mark->good)
        return wrong(file, lines[i].number,
                     "'{{' begins a name ({{device}}) or, alone in its line, another file ({{> contract.md}})");
      at = mark->end;
    }
    if (into != nullptr)
      into->push_back(lines[i]);
    else if (!t.empty())
      return wrong(file, lines[i].number,
                   "text before the first part; the parts are \"## system\", \"## common\" and \"## user\"");
  }
  if (fenced) return wrong(file, lines.empty() ? 1 : lines.back().number, "a fence of backticks is not closed");
  if (!p.role.empty()) {
    if (p.version.empty()) return wrong(file, 1, "the head has no \"version:\"");
    if (file.path.stem().string() != p.role)
      return wrong(file, 1,
                   fmt::format("the role is '{}', but the file is '{}'", p.role, file.path.filename().string()));
    if (p.user.empty()) return wrong(file, 1, "the part \"## user\" is missing");
  }
  return p;
}

const PromptFile* find_file(const std::vector<PromptFile>& files, std::string_view filename) {
  for (const PromptFile& f : files)
    if (f.path.filename().string() == filename) return &f;
  return nullptr;
}

// Fills one role's file. Renders as often as the budget asks for, each time from the same parts.
class Filler {
 public:
  Filler(const std::vector<PromptFile>& files, Parsed main) : files_(files), main_(std::move(main)) {}

  Status open() {
    hasher_.field(main_.file->path.filename().string()).field(main_.file->text);
    if (auto s = expand(*main_.file, main_.system, system_, {}); !s) return s;
    if (auto s = expand(*main_.file, main_.common, common_, {}); !s) return s;
    return expand(*main_.file, main_.user, user_, {});
  }
  std::string hash() { return hasher_.hex(); }

  void set(const Sheet& sheet) {
    for (const auto& [name, text] : sheet) values_[name] = plain_text(text.whole);
  }
  bool uses(const std::string& name) const {
    const auto v = values_.find(name);
    return (names_.contains(name) && v != values_.end() && !v->second.empty()) || includes_.contains(name);
  }
  void hide(const std::string& name) {
    hidden_.insert(name);
    values_[name].clear();
  }
  std::string& value(const std::string& name) { return values_[name]; }

  std::vector<Message> render() const {
    std::vector<Message> out;
    if (std::string s = fill(system_); !s.empty()) out.push_back(message(Role::system, std::move(s), true));
    std::string common = fill(common_), user = fill(user_);
    if (common.empty()) {
      out.push_back(message(Role::user, std::move(user)));
      return out;
    }
    if (!user.empty()) common += "\n\n";
    Message m = message(Role::user, std::move(common));
    m.blocks.back().cache = true;
    if (!user.empty()) m.blocks.push_back({Block::Kind::text, std::move(user), {}});
    out.push_back(std::move(m));
    return out;
  }
  std::int64_t tokens(const std::vector<Message>& messages) const {
    Request r;
    r.messages = messages;
    return estimate_tokens(r);
  }

 private:
  struct Piece {
    std::string text;
    std::vector<std::string> within;  // the files that it was included by, by stem
  };

  Status expand(const PromptFile& file, const std::vector<Line>& lines, std::vector<Piece>& into,
                std::vector<std::string> within) {
    for (const Line& l : lines) {
      const auto mark = next_mark(l.text, 0);
      if (!mark || !mark->include) {
        into.push_back({std::string(l.text), within});
        for (auto m = mark; m; m = next_mark(l.text, m->end)) names_.emplace(m->name);
        continue;
      }
      const PromptFile* other = find_file(files_, mark->name);
      if (other == nullptr) return wrong(file, l.number, fmt::format("there is no prompt file '{}'", mark->name));
      const std::string stem = other->path.stem().string();
      if (std::find(within.begin(), within.end(), stem) != within.end() || other == main_.file ||
          within.size() == max_includes)
        return wrong(file, l.number, fmt::format("'{}' includes itself", mark->name));
      auto parsed = WW_TRY(parse(*other));
      if (!parsed.role.empty())
        return wrong(file, l.number, fmt::format("'{}' is the prompt of a role and cannot be included", mark->name));
      if (includes_.insert(stem).second) hasher_.field(other->path.filename().string()).field(other->text);
      auto inner = within;
      inner.push_back(stem);
      if (auto s = expand(*other, parsed.body, into, std::move(inner)); !s) return s;
    }
    return {};
  }

  bool visible(const Piece& p) const {
    return std::none_of(p.within.begin(), p.within.end(), [&](const std::string& w) { return hidden_.contains(w); });
  }
  const std::string& text_of(std::string_view name) const {
    static const std::string none;
    const auto at = values_.find(std::string(name));
    return at == values_.end() ? none : at->second;
  }

  std::string fill(const std::vector<Piece>& pieces) const {
    std::string out;
    std::vector<const Piece*> paragraph;
    std::size_t open = 0;
    const auto flush = [&] {
      std::string text = paragraph_text(paragraph);
      paragraph.clear();
      if (text.empty()) return;
      if (!out.empty()) out += "\n\n";
      out += text;
    };
    for (const Piece& p : pieces) {
      if (!visible(p)) continue;
      std::string_view info;
      const std::size_t n = fence_of(p.text, info);
      if (open == 0 && trimmed(p.text).empty()) {
        flush();
        continue;
      }
      paragraph.push_back(&p);
      if (n != 0 && open == 0)
        open = n;
      else if (n >= open && info.empty())
        open = 0;
    }
    flush();
    return out;
  }

  // Texts stand as they are. Within a fence of the file the fence is made longer than any run of backticks of its
  // texts; a text of several lines outside of a fence gets one of its own.
  std::string paragraph_text(const std::vector<const Piece*>& lines) const {
    bool any = false, filled = false;
    for (const Piece* p : lines)
      for (auto m = next_mark(p->text, 0); m; m = next_mark(p->text, m->end))
        any = true, filled = filled || !text_of(m->name).empty();
    if (any && !filled) return {};
    std::string out;
    const auto add = [&](std::string_view line) {
      if (!out.empty()) out += '\n';
      out += line;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string_view info;
      const std::size_t n = fence_of(lines[i]->text, info);
      if (n == 0) {
        outside(lines[i]->text, add);
        continue;
      }
      std::string inside;
      std::size_t k = i + 1;
      for (std::string_view end; k < lines.size(); ++k) {
        if (fence_of(lines[k]->text, end) >= n && end.empty()) break;
        if (k > i + 1) inside += '\n';
        inside += substituted(lines[k]->text);
      }
      const std::string fence(std::max(n, fence_for(inside).size()), '`');
      add(fence + std::string(info));
      add(inside);
      add(fence);
      i = k;
    }
    return out;
  }

  std::string substituted(std::string_view line) const {
    std::string out;
    std::size_t at = 0;
    for (auto m = next_mark(line, 0); m; m = next_mark(line, at)) {
      out.append(line.substr(at, m->begin - at)).append(text_of(m->name));
      at = m->end;
    }
    return out.append(line.substr(at));
  }

  template <class Add>
  void outside(std::string_view line, const Add& add) const {
    std::string out;
    std::vector<const std::string*> long_ones;
    std::size_t at = 0;
    for (auto m = next_mark(line, 0); m; m = next_mark(line, at)) {
      const std::string& text = text_of(m->name);
      out.append(line.substr(at, m->begin - at));
      if (text.find('\n') == std::string::npos && text.find("```") == std::string::npos &&
          text.find("~~~") == std::string::npos)
        out += text;
      else
        long_ones.push_back(&text);
      at = m->end;
    }
    out.append(line.substr(at));
    if (long_ones.empty() || !trimmed(out).empty()) add(out);
    for (const std::string* text : long_ones) {
      const std::string fence = fence_for(*text);
      add(fence + "text");
      add(*text);
      add(fence);
    }
  }

  const std::vector<PromptFile>& files_;
  Parsed main_;
  std::vector<Piece> system_, common_, user_;
  std::set<std::string> names_, includes_, hidden_;
  std::map<std::string, std::string> values_;
  Hasher hasher_;
};

// The first and the last part of a text, about `keep` bytes together, cut at the ends of lines where there are any.
std::string shortened(const std::string& text, std::size_t keep) {
  const auto boundary = [&](std::size_t at) {  // never within a character
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  };
  std::size_t head = boundary(keep / 2), tail = boundary(text.size() - keep / 2);
  if (const std::size_t end = head == 0 ? std::string::npos : text.rfind('\n', head - 1);
      end != std::string::npos && end + 1 > head / 2)
    head = end + 1;
  if (const std::size_t end = text.find('\n', tail);
      end != std::string::npos && end + 1 < text.size() && end - tail < keep / 4)
    tail = end + 1;
  std::string out = text.substr(0, head);
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out + fmt::format("[... {} bytes left out here ...]\n", tail - head) + text.substr(tail);
}

Status read_folder(const fs::path& folder, bool own, std::vector<PromptFile>& files) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".md" && it->path().filename() != "README.md") paths.push_back(it->path());
  if (error) {
    if (own && error == std::errc::no_such_file_or_directory) return {};
    return fail(Code::io, "the prompts in '" + folder.string() + "' cannot be read", error.message());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    auto text = WW_TRY(read_file(path, max_file));
    PromptFile f;
    f.path = path;
    f.text = std::move(text);
    f.own = own;
    const auto at = std::find_if(files.begin(), files.end(),
                                 [&](const PromptFile& o) { return o.path.filename() == path.filename(); });
    if (at != files.end())
      *at = std::move(f);
    else
      files.push_back(std::move(f));
  }
  return {};
}

}  // namespace

Result<PromptLibrary> PromptLibrary::load(const fs::path& workspace) {
  PromptLibrary library;
  WW_TRY(read_folder(resources_dir() / "prompts", false, library.files_));
  if (!workspace.empty()) WW_TRY(read_folder(workspace / "prompts", true, library.files_));
  for (PromptFile& f : library.files_) {
    auto parsed = WW_TRY(parse(f));
    f.role = parsed.role;
    f.version = parsed.version;
  }
  for (const PromptFile& f : library.files_) {
    if (f.role.empty()) continue;
    Filler filler(library.files_, *parse(f));
    WW_TRY(filler.open());
  }
  return library;
}

Result<Prompt> PromptLibrary::make(const std::string& role, const Sheet& sheet, std::int64_t budget,
                                   std::int64_t beside) const {
  const auto at =
      std::find_if(files_.begin(), files_.end(), [&](const PromptFile& f) { return !role.empty() && f.role == role; });
  if (at == files_.end()) return fail(Code::not_found, fmt::format("there is no prompt for '{}'", role));
  auto parsed = WW_TRY(parse(*at));
  const std::vector<std::string> drop = parsed.drop, shorten = parsed.shorten;
  const auto unless = parsed.unless;
  Filler filler(files_, std::move(parsed));
  WW_TRY(filler.open());
  filler.set(sheet);
  for (const auto& [text, superfluous] : unless)
    if (const auto said = sheet.find(text); said != sheet.end() && !said->second.whole.empty())
      for (const std::string& name : superfluous) filler.hide(name);
  Prompt p;
  p.role = role;
  p.version = at->version;
  const auto again = [&] {
    p.messages = filler.render();
    p.tokens = filler.tokens(p.messages);
    return budget <= 0 || p.tokens + beside <= budget;
  };
  bool fits = again();
  for (std::size_t i = 0; i < drop.size() && !fits; ++i) {
    if (!filler.uses(drop[i])) continue;
    filler.hide(drop[i]);
    p.dropped.push_back(drop[i]);
    fits = again();
  }
  // The longest first. The remaining text must still be meaningful.
  constexpr std::size_t least = 400;  // bytes
  std::vector<std::string> long_ones;
  for (const std::string& name : shorten)
    if (!fits && filler.uses(name) && filler.value(name).size() > 2 * least) long_ones.push_back(name);
  std::stable_sort(long_ones.begin(), long_ones.end(), [&](const std::string& a, const std::string& b) {
    return filler.value(a).size() > filler.value(b).size();
  });
  for (std::size_t i = 0; i < long_ones.size() && !fits; ++i) {
    const std::string whole = filler.value(long_ones[i]);
    p.dropped.push_back(long_ones[i] + " (the middle)");
    std::size_t low = least, high = whole.size() - 100;  // the most that fits lies between
    filler.value(long_ones[i]) = shortened(whole, low);
    fits = again();
    while (fits && high - low > 64) {
      const std::size_t middle = low + (high - low) / 2;
      filler.value(long_ones[i]) = shortened(whole, middle);
      (again() ? low : high) = middle;
    }
    filler.value(long_ones[i]) = shortened(whole, low);
    fits = again();
  }
  if (!fits)
    return fail(
        Code::invalid_argument,
        fmt::format("the prompt of the {} needs {} tokens even without everything that may be left out; {} are allowed",
                    role, p.tokens + beside, budget));
  p.hash = filler.hash();
  return p;
}

}  // namespace ww::llm
