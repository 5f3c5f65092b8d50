// SPDX-License-Identifier: Apache-2.0
#include "base/described_json.h"
#include "base/json_reader.h"

namespace ww::json {

namespace {

bool nested_too_deeply(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else
        quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Status check_shape(std::string_view text, std::size_t limit) {
  if (text.size() > limit)
    return fail(Code::corrupt, "the JSON has " + std::to_string(text.size()) + " bytes; at most " +
                                   std::to_string(limit) + " are read");
  if (nested_too_deeply(text)) return fail(Code::corrupt, "the JSON is nested too deeply");
  return {};
}

Result<Json> parse(std::string_view text) { return read_json(text); }

std::string dump(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string Problem::text() const { return path.empty() ? "it " + what : "the member '" + path + "' " + what; }

namespace detail {

Problem wrong_type(const char* expected) { return {"", std::string("has the wrong type: it should be ") + expected}; }

Problem within(Problem problem, std::string_view name) {
  const bool dot = !problem.path.empty() && problem.path.front() != '[';
  problem.path = std::string(name) + (dot ? "." : "") + problem.path;
  return problem;
}

Problem within(Problem problem, std::size_t index) {
  return within(std::move(problem), "[" + std::to_string(index) + "]");
}

Json real(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

Problem read_real(const Json& j, double& into) {
  if (j.is_number())
    into = j.get<double>();
  else if (j.is_null() || j == "nan")
    into = std::numeric_limits<double>::quiet_NaN();
  else if (j == "inf")
    into = std::numeric_limits<double>::infinity();
  else if (j == "-inf")
    into = -std::numeric_limits<double>::infinity();
  else
    return wrong_type("a number");
  return {};
}

}  // namespace detail
}  // namespace ww::json
