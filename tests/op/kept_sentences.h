// SPDX-License-Identifier: Apache-2.0
// The sentences of tests/op/sentences, each with what it asks for (op/meaning.h).
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>
#include "base/files.h"

namespace ww::op {

struct KeptSentence {
  std::string file, text, want;
  int line = 0;
};

// In the order of the files' names; empty where one cannot be read.
inline std::vector<KeptSentence> kept_sentences() {
  std::vector<std::filesystem::path> files;
  for (const auto& f : std::filesystem::directory_iterator(std::filesystem::path(WW_SOURCE_DIR) / "tests/op/sentences"))
    files.push_back(f.path());
  std::sort(files.begin(), files.end());
  std::vector<KeptSentence> out;
  for (const auto& f : files) {
    const auto text = read_file(f, std::size_t{1} << 20);
    if (!text) return {};
    int line = 0;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const std::string row = text->substr(at, end - at);
      at = end + 1;
      ++line;
      const std::size_t tab = row.find('\t');
      if (!row.empty() && row[0] != '#' && tab != std::string::npos)
        out.push_back({f.stem().string(), row.substr(0, tab), row.substr(tab + 1), line});
    }
  }
  return out;
}

}  // namespace ww::op
