// SPDX-License-Identifier: Apache-2.0
#include "expectation.h"
#include <algorithm>
#include <sstream>

namespace ww::corpus {
namespace {

bool one_of(const std::map<std::string, std::string>& expected, const std::string& key, const std::string& value) {
  const std::vector<std::string> choices = split(expected.at(key), '|');
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

}  // namespace

std::map<std::string, std::string> expectation(const std::string& line) {
  std::map<std::string, std::string> out;
  for (const std::string& word : split(line, ' ')) {
    const std::size_t eq = word.find('=');
    out[word.substr(0, eq)] = eq == std::string::npos ? "" : word.substr(eq + 1);
  }
  return out;
}

std::string mismatch(const evidence::Verdict& v, const std::string& line) {
  const auto expected = expectation(line);
  const evidence::StageResult* failed = v.last_stage();
  if (expected.contains("accepted")) return v.accepted ? "" : "it was not accepted";
  if (!expected.contains("stage")) return "the file does not say what is expected";
  if (v.accepted) return "it was accepted";
  if (!failed) return "it was rejected without a stage that failed";
  if (!one_of(expected, "stage", enum_string(failed->stage)))
    return "it failed at another stage: " + enum_string(failed->stage);
  if (failed->message.empty()) return "it was rejected without a reason";
  if (expected.contains("fault")) {
    if (!failed->failure || !failed->failure->fault) return "no fault is reported";
    const Fault& fault = *failed->failure->fault;
    std::string kind(enum_name(fault.kind));
    std::replace(kind.begin(), kind.end(), ' ', '-');
    if (!one_of(expected, "fault", kind)) return "the fault is of another kind: " + enum_string(fault.kind);
    if (fault.message.empty()) return "the fault has no sentence";
  }
  if (expected.contains("tensor")) {
    if (!failed->failure || !failed->failure->element) return "no wrong element is reported";
    if (!one_of(expected, "tensor", failed->failure->element->tensor))
      return "another tensor is wrong: " + failed->failure->element->tensor;
  }
  return {};
}

}  // namespace ww::corpus
