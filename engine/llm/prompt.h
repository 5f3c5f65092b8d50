// SPDX-License-Identifier: Apache-2.0
// Prompts are files: resources/prompts/ROLE.md, overridden by WORKSPACE/prompts/ROLE.md. A file has a header
// ("version: 3", "role: writer", "drop: attempts, moves, example_tiled, …" in the order in which texts are dropped if
// the token budget is short, "shorten: parent, …" the texts that may then be cut in the middle, "unless shown_parent:
// example_rows" what is not sent where the sheet has that text) and parts under "## system", "## common" (first in the
// user's message, constant in a run) and "## user". {{name}} is replaced by a text of the sheet; a paragraph whose
// names are all empty is left out. {{> contract.md}} includes another file, which "drop" names by its stem. Nothing
// else is interpreted: a sheet's text is never a directive, and cannot leave its fence, which is longer than any run
// of backticks in it; multi-line text outside a fence gets one. See resources/prompts/README.md.
#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/result.h"
#include "llm/message.h"

namespace ww::llm {

// A text of a sheet, and the replacements used if limits (consent.h) withhold it. The author of a text knows what it
// quotes; nothing is cut out of it later.
struct SheetText {
  SheetText() = default;
  template <class T>
  requires std::convertible_to<T, std::string> SheetText(T&& text)
      : whole(std::forward<T>(text)) {}  // NOLINT(google-explicit-constructor): a text is the usual case
  SheetText(std::string text, std::optional<std::string> no_sources, std::optional<std::string> no_device_name)
      : whole(std::move(text)),
        without_sources(std::move(no_sources)),
        without_device_name(std::move(no_device_name)) {}

  std::string whole;
  std::optional<std::string> without_sources;      // code and compiler logs left out
  std::optional<std::string> without_device_name;  // neither the product nor its driver
};
using Sheet = std::map<std::string, SheetText>;  // the contents of a prompt: "spec", "device", "parent", "failure", …

struct PromptFile {
  std::string role, version, text;  // role: empty for included files
  std::filesystem::path path;
  bool own = false;  // from the workspace
};

struct Prompt {
  std::vector<Message> messages;     // the system one and the part common to a run are marked for caching
  std::string role, version, hash;   // of the file(s) that it was made from
  std::int64_t tokens = 0;           // estimated
  std::vector<std::string> dropped;  // sheet names that did not fit, in the order in which they were dropped
};

class PromptLibrary {
 public:
  static Result<PromptLibrary> load(const std::filesystem::path& workspace = {});  // an error names file and line
  const std::vector<PromptFile>& files() const { return files_; }
  // At most `budget` tokens (0: no limit), `beside` of which the request's schema and tools take: whole texts are
  // dropped in the file's order; as a last resort, the longest text of "shorten" is cut in the middle and marked (in
  // `dropped`: "parent (the middle)"). Fails, with both numbers, if the required texts do not fit. Deterministic.
  Result<Prompt> make(const std::string& role, const Sheet& sheet, std::int64_t budget, std::int64_t beside = 0) const;

 private:
  std::vector<PromptFile> files_;
};

}  // namespace ww::llm
