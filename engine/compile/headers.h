// SPDX-License-Identifier: Apache-2.0
// The headers that candidates may include, and their own includes, held in memory. CUTLASS's are read when a candidate
// first asks for them, the others at once.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "compile/nvrtc.h"

namespace ww::compile {

class HeaderLibrary {
 public:
  // `list`: resources/devices/headers.txt; `own`: folder of small stand-ins for standard headers, which take precedence
  // over the toolkit's; `toolkit`, `cutlass`: their include folders, may be empty. Reads only names.
  static Result<std::unique_ptr<HeaderLibrary>> open(const std::filesystem::path& list,
                                                     const std::filesystem::path& own,
                                                     const std::filesystem::path& toolkit,
                                                     const std::filesystem::path& cutlass = {});

  bool allowed(const std::string& name) const { return allowed_.contains(name); }
  std::vector<std::string> names() const { return {allowed_.begin(), allowed_.end()}; }
  std::filesystem::path file_of(const std::string& name) const;  // empty: it is not here
  // The headers and everything they include, each once. The texts live as long as the library. Thread-safe. An allowed
  // header that is missing in the toolkit is an error that names it; so is more of CUTLASS than is held.
  Result<std::vector<NamedText>> closure(const std::vector<std::string>& names);
  // Reads every allowed header and what these include, but nothing of CUTLASS, for a process that will lose access to
  // the disk.
  void preload();

 private:
  struct Header {
    std::string name,
        text;  // quoted includes of neighbours are rewritten to the full name, since NVRTC knows headers only by name
    std::vector<std::string> includes;  // names that exist
  };
  const Header* load(const std::string& name);
  void add_include(Header& header, std::string_view line, std::string_view operand) const;
  bool may_hold(const std::string& name, const std::string& text);
  std::vector<NamedText> reached_from(std::vector<std::string> names);

  std::set<std::string> allowed_;
  std::vector<std::filesystem::path> roots_;
  std::filesystem::path cutlass_;
  std::size_t cutlass_bytes_ = 0, cutlass_files_ = 0;  // held
  bool too_much_ = false;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Header>> loaded_;  // null: the header does not exist
};

}  // namespace ww::compile
