// SPDX-License-Identifier: Apache-2.0
#include "corpus/kernels.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include "base/ascii.h"
#include "base/files.h"

namespace ww::corpus {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view heading = "// ==== ";

struct Common {
  std::map<std::string, std::string> lines;  // by name
  std::string code;
};

Result<Common> read_common(const fs::path& file) {
  std::istringstream in(WW_TRY(read_file(file)));
  Common out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t eq = line.find(" = ");
    if (line.starts_with("//+ ") && eq != std::string::npos)
      out.lines[line.substr(4, eq - 4)] = line.substr(eq + 3);
    else
      out.code += line + '\n';
  }
  return out;
}

Result<std::string> spec_of(const fs::path& corpus, const std::string& op) {
  return read_file(op.ends_with(".op") ? corpus / "specs" / op : resources_dir() / "ops" / (op + ".op"));
}

// "NAME: OP SYMBOL = INT, …" and the lines that follow.
Result<Kernel> read_kernel(const fs::path& corpus, const Common& common, const std::string& kind,
                           const std::string& title, const std::string& lines) {
  Kernel k;
  k.kind = kind;
  k.known = comment(lines, "known");
  k.limited = comment(lines, "limited");
  const std::size_t colon = title.find(": "), space = title.find(' ', colon + 2);
  if (colon == std::string::npos) return fail(Code::parse, kind + ": a heading without an op: " + title);
  k.name = title.substr(0, colon);
  const std::string op = title.substr(colon + 2, space == std::string::npos ? space : space - colon - 2);
  if (space != std::string::npos) k.binding = WW_TRY(binding_of(title.substr(space + 1)));
  k.spec = WW_TRY(spec_of(corpus, op));
  k.text = "// " + kind + ": " + k.name + "\n//@ candidate " + fs::path(op).stem().string() + '\n';
  std::istringstream in(lines);
  bool head = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("//+ ")) {
      const auto at = common.lines.find(line.substr(4));
      if (at == common.lines.end()) return fail(Code::parse, k.name + ": nothing is called " + line.substr(4));
      line = at->second;
    }
    if (head && !line.starts_with("//")) {
      k.text += common.code;
      head = false;
    }
    k.text += line + '\n';
  }
  return k;
}

}  // namespace

fs::path corpus_folder() { return resources_dir() / "corpus"; }

std::string comment(const std::string& text, const std::string& key) {
  const std::string start = "// " + key + ": ";
  std::size_t at = text.starts_with(start) ? 0 : text.find("\n" + start);
  if (at == std::string::npos) return {};
  at = text.find(start, at) + start.size();
  return text.substr(at, text.find('\n', at) - at);
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    if (!part.empty()) out.push_back(part);
  return out;
}

Result<op::Binding> binding_of(const std::string& line) {
  op::Binding b;
  for (const std::string& part : split(line, ',')) {
    const std::size_t eq = part.find('=');
    const std::string_view name = trimmed(std::string_view(part).substr(0, eq));
    if (eq == std::string::npos || name.empty() || name.find(' ') != std::string_view::npos)
      return fail(Code::parse, "'" + std::string(trimmed(part)) + "' is not NAME = NUMBER");
    const std::string_view number = trimmed(std::string_view(part).substr(eq + 1));
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status != std::errc() || end != number.data() + number.size())
      return fail(Code::parse,
                  "'" + std::string(number) + "' is not a whole number that " + std::string(name) + " can be");
    if (!b.symbols.emplace(std::string(name), value).second)
      return fail(Code::parse, "it sets " + std::string(name) + " twice");
  }
  return b;
}

std::string seen(const evidence::Verdict& v) {
  const evidence::StageResult* failed = v.last_stage();
  if (v.accepted || !failed) return v.accepted ? "proved" : "rejected";
  std::string text(enum_name(failed->stage));
  if (failed->failure && failed->failure->fault) text += ", " + enum_string(failed->failure->fault->kind);
  return text + ": " + failed->message;
}

Result<std::vector<Kernel>> kernels_in(const fs::path& folder) {
  const fs::path corpus = folder.parent_path();
  const Common common = WW_TRY(read_common(corpus / "common.cu"));
  std::vector<fs::path> files;
  for (const fs::directory_entry& e : fs::directory_iterator(folder)) files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<Kernel> out;
  for (const fs::path& file : files) {
    std::istringstream in(WW_TRY(read_file(file)));
    std::string title, lines;
    Common own = common;
    const auto end = [&]() -> Status {
      if (title.empty()) own.code += lines;  // what stands before the first heading
      if (title.empty()) return {};
      out.push_back(WW_TRY(read_kernel(corpus, own, file.stem().string(), title, lines)));
      return {};
    };
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with(heading)) {
        lines += line + '\n';
        continue;
      }
      WW_TRY(end());
      title = line.substr(heading.size());
      lines.clear();
    }
    WW_TRY(end());
  }
  return out;
}

}  // namespace ww::corpus
