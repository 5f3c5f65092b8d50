// SPDX-License-Identifier: Apache-2.0
// Prompts are files: resources/prompts/ROLE.md, and over them WORKSPACE/prompts/ROLE.md. A file has a head ("version:
// 3", "role: writer", "drop: attempts, moves, example_tiled, …" in order of what goes first when the budget of tokens
// is short, "shorten: parent, …" what may be cut in the middle after that) and parts under "## system" and "## user".
// {{name}} is replaced by a text of the sheet; a paragraph whose names are all empty is left out. {{> contract.md}}
// includes another prompt file, which "drop" names by its stem. Nothing else is interpreted: what a sheet's text holds
// is never a directive, and cannot leave its fence: a fence of the file is made longer than any run of backticks in its
// text, and a text of several lines outside of a fence gets one. See resources/prompts/README.md.
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

// A text of a sheet, and what a host gets in its place where limits (consent.h) keep the whole back. Whoever writes the
// text knows what it quotes; nothing is cut out of it afterwards.
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
using Sheet = std::map<std::string, SheetText>;  // what fills a prompt: "spec", "device", "parent", "failure", …

struct PromptFile {
  std::string role, version, text;  // role: empty for a file that others include
  std::filesystem::path path;
  bool own = false;  // of the workspace
};

struct Prompt {
  std::vector<Message> messages;     // the system one is marked for caching
  std::string role, version, hash;   // of the file(s) that it was made from
  std::int64_t tokens = 0;           // estimated
  std::vector<std::string> dropped;  // names of the sheet that did not fit, in the order in which they went
};

class PromptLibrary {
 public:
  static Result<PromptLibrary> load(const std::filesystem::path& workspace = {});  // an error names file and line
  const std::vector<PromptFile>& files() const { return files_; }
  // At most `budget` tokens (0: no limit): texts are dropped in the file's order, whole; the last resort is to shorten
  // the longest of "shorten" in the middle, marked as such (in `dropped`: "parent (the middle)"). Fails when what may
  // not be left out does not fit, with both numbers. The same library, sheet and budget give the same prompt.
  Result<Prompt> make(const std::string& role, const Sheet& sheet, std::int64_t budget) const;

 private:
  std::vector<PromptFile> files_;
};

}  // namespace ww::llm
