// SPDX-License-Identifier: GPL-3.0-or-later
// The op library and the phrasebook. Loaded on first use; thread-safe.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/sentence/phrasebook.h"

namespace ww::widgets {

struct OpSummary {
  std::string name, summary, phrase;  // phrase: one that the phrasebook understands
  std::vector<std::string> phrases;   // all of them
  std::string torch;                  // the op in PyTorch, as an expression over its inputs; may be empty
};

class Language {
 public:
  Result<std::vector<OpSummary>> ops();
  Result<op::Understanding> understand(const std::string& sentence);
  Result<std::string> op_text(const std::string& name);  // Code::not_found
  Result<const op::Library*> library();                  // lives as long as this

 private:
  std::mutex mutex_;
  std::optional<op::Library> library_;
};

}  // namespace ww::widgets
