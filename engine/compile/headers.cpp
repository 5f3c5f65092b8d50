// SPDX-License-Identifier: Apache-2.0
#include "compile/headers.h"
#include <algorithm>
#include "base/files.h"

namespace ww::compile {
namespace fs = std::filesystem;

Result<std::unique_ptr<HeaderLibrary>> HeaderLibrary::open(const fs::path& list, const fs::path& own,
                                                           const fs::path& toolkit) {
  const auto text = WW_TRY(read_file(list));
  auto out = std::make_unique<HeaderLibrary>();
  out->roots_.push_back(own);
  // CUDA 13 keeps the C++ core libraries in cccl/; wheels of CUDA 12 keep them, and crt/, beside the others.
  if (!toolkit.empty())
    for (const fs::path& p :
         {toolkit, toolkit / "cccl", toolkit / "../../cuda_cccl/include", toolkit / "../../cuda_nvcc/include"})
      out->roots_.push_back(p);
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
    for (const fs::path& root : out->roots_)
      for (fs::directory_iterator at(root / folder, ec), last; !ec && at != last; at.increment(ec))
        if (at->is_regular_file(ec)) out->allowed_.insert(folder + at->path().filename().string());
  }
  return out;
}

fs::path HeaderLibrary::file_of(const std::string& name) const {
  if (name.empty() || name.front() == '/') return {};
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
  if (!text) return nullptr;
  auto header = std::make_unique<Header>();
  header->name = name;
  const fs::path folder = fs::path(name).parent_path();
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
    if (!skip_word("#") || !skip_word("include") || (line[i] != '"' && line[i] != '<')) {
      header->text.append(line).push_back('\n');
      continue;
    }
    const char close = line[i] == '<' ? '>' : '"';
    const std::size_t last = line.find(close, i + 1);
    std::string wanted(line.substr(i + 1, last == std::string_view::npos ? 0 : last - i - 1));
    if (close == '"') {
      const std::string beside = (folder / wanted).lexically_normal().string();
      if (!beside.starts_with("..") && !file_of(beside).empty()) wanted = beside;
    }
    header->text.append("#include ").append(1, line[i]).append(wanted).append(1, close).push_back('\n');
    if (!file_of(wanted).empty()) header->includes.push_back(std::move(wanted));
  }
  slot = std::move(header);
  return slot.get();
}

Result<std::vector<NamedText>> HeaderLibrary::closure(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  for (const std::string& n : names)
    if (!load(n))
      return fail(Code::compile,
                  "the header <" + n + "> may be included, but the CUDA toolkit that was found here does not have it");
  return reached_from(names);
}

void HeaderLibrary::preload() {
  const std::lock_guard lock(mutex_);
  reached_from(names());
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
