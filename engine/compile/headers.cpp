// SPDX-License-Identifier: Apache-2.0
#include "compile/headers.h"
#include <fmt/format.h>
#include <algorithm>
#include "base/files.h"
#include "compile/cutlass.h"

namespace ww::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_cutlass_bytes = std::size_t{64} << 20, max_cutlass_files = 4096;  // 4.2: 27 MB, 802 files

bool leaves(const std::string& name) {
  if (name.front() == '/') return true;
  return name.find("..") != std::string::npos && fs::path(name).lexically_normal().native().starts_with("..");
}

// The header that CUTLASS names by a macro, which NVRTC would expand: "CUDA_STD_HEADER(cassert)".
std::string cutlass_macro(std::string_view operand) {
  constexpr std::string_view macro = "CUDA_STD_HEADER(";
  const std::size_t end = operand.find(')');
  if (!operand.starts_with(macro) || end == std::string_view::npos) return {};
  return "cuda/std/" + std::string(operand.substr(macro.size(), end - macro.size()));
}

}  // namespace

Result<std::unique_ptr<HeaderLibrary>> HeaderLibrary::open(const fs::path& list, const fs::path& own,
                                                           const fs::path& toolkit, const fs::path& cutlass) {
  const auto text = WW_TRY(read_file(list));
  auto out = std::make_unique<HeaderLibrary>();
  out->roots_.push_back(own);
  // CUDA 13 keeps the C++ core libraries in cccl/; wheels of CUDA 12 keep them, and crt/, beside the others.
  if (!toolkit.empty())
    for (const fs::path& p :
         {toolkit, toolkit / "cccl", toolkit / "../../cuda_cccl/include", toolkit / "../../cuda_nvcc/include"})
      out->roots_.push_back(p);
  out->cutlass_ = cutlass;
  std::error_code ec;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (line.empty()) continue;
    if (!line.ends_with("/*")) {
      out->allowed_.insert(line);
      continue;
    }
    // "folder/*": the headers directly in that folder
    const std::string folder = line.substr(0, line.size() - 1);
    std::vector<fs::path> roots = out->roots_;
    if (is_cutlass_name(folder)) roots.assign(cutlass.empty() ? 0 : 1, cutlass);
    for (const fs::path& root : roots)
      for (fs::directory_iterator at(root / folder, ec), last; !ec && at != last; at.increment(ec))
        if (const std::string name = folder + at->path().filename().string(); !out->file_of(name).empty())
          out->allowed_.insert(name);
  }
  return out;
}

// Whether more of CUTLASS can be held.
bool HeaderLibrary::may_hold(const std::string& name, const std::string& text) {
  if (!is_cutlass_name(name)) return true;
  cutlass_bytes_ += text.size();
  if (++cutlass_files_ > max_cutlass_files || cutlass_bytes_ > max_cutlass_bytes) too_much_ = true;
  return !too_much_;
}

fs::path HeaderLibrary::file_of(const std::string& name) const {
  if (name.empty() || leaves(name)) return {};
  if (is_cutlass_name(name)) return cutlass_.empty() ? fs::path() : cutlass_file(cutlass_, name);
  std::error_code ec;
  for (const fs::path& root : roots_)
    if (fs::is_regular_file(root / name, ec)) return root / name;
  return {};
}

const HeaderLibrary::Header* HeaderLibrary::load(const std::string& name) {
  if (const auto at = loaded_.find(name); at != loaded_.end()) return at->second.get();
  std::unique_ptr<Header>& slot = loaded_[name];
  const fs::path path = file_of(name);
  if (path.empty()) return nullptr;
  const auto text = read_file(path);
  if (!text || !may_hold(name, *text)) return nullptr;
  auto header = std::make_unique<Header>();
  header->name = name;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    std::size_t i = line.find_first_not_of(" \t");
    const auto skip_word = [&](std::string_view word) {
      if (i == std::string_view::npos || line.compare(i, word.size(), word) != 0) return false;
      i = line.find_first_not_of(" \t", i + word.size());
      return i != std::string_view::npos;
    };
    if (skip_word("#") && skip_word("include"))
      add_include(*header, line, line.substr(i));
    else
      header->text.append(line).push_back('\n');
  }
  slot = std::move(header);
  return slot.get();
}

// `operand`: the rest of the line, from what follows "include".
void HeaderLibrary::add_include(Header& header, std::string_view line, std::string_view operand) const {
  const bool of_cutlass = is_cutlass_name(header.name);
  char open = operand.front(), close = open == '<' ? '>' : '"';
  std::string wanted;
  if (open == '<' || open == '"') {
    const std::size_t last = operand.find(close, 1);
    wanted = operand.substr(1, last == std::string_view::npos ? 0 : last - 1);
  } else if (of_cutlass) {
    wanted = cutlass_macro(operand);
    open = '<', close = '>';
  } else {
    header.text.append(line).push_back('\n');
    return;
  }
  if (open == '"') {
    const std::string beside = (fs::path(header.name).parent_path() / wanted).lexically_normal().string();
    if (!beside.starts_with("..") && !file_of(beside).empty()) wanted = beside;
  }
  if (of_cutlass && (wanted.empty() || leaves(wanted))) {
    header.text += "#error an include that leaves the folders of CUTLASS\n";  // where it is not skipped
    return;
  }
  header.text.append("#include ").append(1, open).append(wanted).append(1, close).push_back('\n');
  if (!file_of(wanted).empty()) header.includes.push_back(std::move(wanted));
}

Result<std::vector<NamedText>> HeaderLibrary::closure(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  for (const std::string& n : names)
    if (!load(n) && !too_much_)
      return fail(Code::compile,
                  "the header <" + n + "> may be included, but the CUDA toolkit that was found here does not have it");
  std::vector<NamedText> all = reached_from(names);
  if (too_much_ && std::any_of(names.begin(), names.end(), is_cutlass_name))
    return fail(Code::compile, fmt::format("the headers in '{}' are more than {} MiB or {} files", cutlass_.string(),
                                           max_cutlass_bytes >> 20, max_cutlass_files));
  return all;
}

void HeaderLibrary::preload() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all = names();
  std::erase_if(all, is_cutlass_name);
  reached_from(std::move(all));
}

std::vector<NamedText> HeaderLibrary::reached_from(std::vector<std::string> todo) {
  std::vector<NamedText> out;
  std::set<std::string> seen;
  while (!todo.empty()) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    if (!seen.insert(name).second) continue;
    const Header* h = load(name);
    if (!h) continue;
    out.push_back({h->name.c_str(), h->text.c_str()});
    todo.insert(todo.end(), h->includes.begin(), h->includes.end());
  }
  return out;
}

}  // namespace ww::compile
