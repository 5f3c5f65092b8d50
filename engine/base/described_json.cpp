// SPDX-License-Identifier: Apache-2.0
#include "base/described_json.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include "base/json_reader.h"
#include "base/strict_json.h"
#include "base/utf8.h"

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

class PlaceOfFault : public nlohmann::json_sax<Json> {  // accepts everything, and records where the parser failed
 public:
  std::size_t byte = 0;  // of the last character that was read, from 1
  bool too_large = false;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    byte = position;
    too_large = dynamic_cast<const nlohmann::detail::out_of_range*>(&e) != nullptr;
    return false;
  }
};

}  // namespace

std::string NotJson::text() const {
  return (too_large ? "a number is too large: line " : "this is not JSON: line ") + std::to_string(line) + ", column " +
         std::to_string(column);
}

NotJson not_json(std::string_view text, bool comments) {
  PlaceOfFault place;
  (void)Json::sax_parse(text, &place, nlohmann::detail::input_format_t::json, true, comments);
  NotJson found{.too_large = place.too_large};
  const std::size_t end = std::min(std::max<std::size_t>(place.byte, 1) - 1, text.size());
  for (const char c : text.substr(0, end)) {
    if (c == '\n') {
      ++found.line;
      found.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++found.column;
    }
  }
  return found;
}

std::string explain_exception(const std::exception& error) {
  if (dynamic_cast<const nlohmann::detail::parse_error*>(&error)) return "it is not JSON";
  if (const auto* e = dynamic_cast<const nlohmann::detail::out_of_range*>(&error))
    return e->id == 406 ? "a number is too large" : "a member is missing";
  if (dynamic_cast<const nlohmann::detail::type_error*>(&error)) return "a member has the wrong type";
  if (dynamic_cast<const nlohmann::detail::exception*>(&error)) return "its JSON cannot be used";
  return clipped(error.what(), 400);
}

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

namespace {

thread_local bool strictly = false;

std::string visible_name(const std::string& name) { return name.size() <= 64 ? name : name.substr(0, 64) + "…"; }

}  // namespace

Strictly::Strictly() : before_(std::exchange(strictly, true)) {}
Strictly::~Strictly() { strictly = before_; }

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

Json write_fields(const void* object, const Fields& fields) {
  Json j = Json::object();
  for (const Field& f : fields) {
    const void* at = static_cast<const char*>(object) + f.offset;
    if (!f.handling) {
      j[f.name] = f.computed(at);
      continue;
    }
    const bool may_miss = f.presence == Presence::sparse || f.presence == Presence::nullable;
    if (!may_miss || !f.handling->same(at, f.untouched))
      j[f.name] = f.handling->write(at);
    else if (f.presence == Presence::nullable)
      j[f.name] = nullptr;
  }
  return j;
}

namespace {

Problem undescribed(const Json& from, const Fields& fields) {
  std::string known;
  for (const Field& f : fields)
    if (f.handling) known += (known.empty() ? "" : ", ") + std::string(f.name);
  for (const auto& [name, value] : from.items())
    if (std::ranges::none_of(fields, [&, &wanted = name](const Field& f) { return f.handling && f.name == wanted; }))
      return within({"", "is not known; known are " + known}, visible_name(name));
  return {};
}

}  // namespace

Problem read_fields(const Json& from, void* object, const Fields& fields) {
  if (!from.is_object()) return wrong_type("an object");
  if (strictly)
    if (Problem p = undescribed(from, fields)) return p;
  for (const Field& f : fields) {
    if (!f.handling) continue;
    const auto at = from.find(f.name);
    if (at == from.end()) {
      if (f.presence == Presence::required) return within({"", "is missing"}, f.name);
    } else if (f.presence != Presence::nullable || !at->is_null()) {
      if (Problem p = f.handling->read(*at, static_cast<char*>(object) + f.offset)) return within(std::move(p), f.name);
    }
  }
  return {};
}

}  // namespace detail
}  // namespace ww::json
