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

std::map<std::string, std::string> expectation(const std::string& line) {
  std::map<std::string, std::string> out;
  for (const std::string& word : split(line, ' ')) {
    const std::size_t eq = word.find('=');
    out[word.substr(0, eq)] = eq == std::string::npos ? "" : word.substr(eq + 1);
  }
  return out;
}

op::Binding binding_of(const std::string& line) {
  op::Binding b;
  for (const std::string& part : split(line, ',')) {
    std::istringstream in(part);
    std::string name, eq;
    std::int64_t value = 0;
    in >> name >> eq >> value;
    b.symbols[name] = value;
  }
  return b;
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

std::string seen(const evidence::Verdict& v) {
  const evidence::StageResult* failed = v.last_stage();
  if (v.accepted || !failed) return v.accepted ? "accepted" : "rejected";
  std::string text(enum_name(failed->stage));
  if (failed->failure && failed->failure->fault) text += ", " + enum_string(failed->failure->fault->kind);
  return text + ": " + failed->message;
}

}  // namespace ww::corpus
