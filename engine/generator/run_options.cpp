// SPDX-License-Identifier: Apache-2.0
#include "generator/run_options.h"
#include <algorithm>
#include <cmath>
#include <type_traits>
#include "base/described_json.h"

namespace ww::generator {
namespace {

constexpr const char* schema = "warpwright/run-options/2";
constexpr const char* before_models = "warpwright/run-options/1";  // without budget.tokens, budget.money and model

// The first member, or member of a member, that is negative or beyond the range of its command-line flag.
template <class T>
struct OutOfRange {
  const T* value;
  std::string member;
  template <class M>
  void operator()(const char* name, M T::*at, About about = {}) {
    if constexpr (!Computed<M>) {
      if constexpr (Described<M>) {
        OutOfRange<M> inner{&(value->*at), {}};
        M::fields(inner);
        if (member.empty()) member = inner.member;
      } else if constexpr (std::is_arithmetic_v<M> && !std::is_same_v<M, std::uint64_t>) {  // a seed is any number
        const double number = static_cast<double>(value->*at);
        if (std::isnan(number) && std::isnan(static_cast<double>(T{}.*at))) return;  // the default: none was given
        if (about.flag.least < about.flag.most &&
            !(number >= std::min(0.0, about.flag.least) && number <= about.flag.most) && member.empty())
          member = name;
      }
    }
  }
};

}  // namespace

std::vector<std::string> ModelOptions::models() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::count(all, name) == 0) all.push_back(name);
  };
  add(writer);
  std::ranges::for_each(fallbacks, add);
  add(fixer);
  if (analyst != "none") add(analyst);
  for (const llm::RoleSettings& r : roles)
    if (r.role != "formulator" && r.role != "reviewer" && !(r.role == "analyst" && analyst == "none"))
      std::ranges::for_each(r.fallbacks, add);
  return all;
}

void take_roles(ModelOptions& m, const std::vector<llm::RoleSettings>& defaults) {
  m.roles = llm::merged(defaults, m.roles);
  const auto model = [&](std::string_view role, std::string& own) {
    const llm::RoleSettings* r = llm::role_of(m.roles, role);
    if (r && own.empty()) own = r->model;
  };
  model("writer", m.writer);
  model("fixer", m.fixer);
  model("analyst", m.analyst);
  if (const llm::RoleSettings* writer = llm::role_of(m.roles, "writer"); writer && m.fallbacks.empty())
    m.fallbacks = writer->fallbacks;
  for (llm::RoleSettings& r : m.roles) {
    r.model.clear();
    if (r.role == "writer") r.fallbacks.clear();
  }
}

op::Precision precision_of(const RunOptions& options) {
  return enum_from_name<op::Precision>(options.precision).value_or(op::Precision::usual);
}

std::string options_to_json(const RunOptions& o) {
  json::Json j = {{"schema", schema}};
  j.update(json::of(o));
  return json::dump(j);
}

Result<RunOptions> options_from_json(const std::string& text) {
  constexpr const char* unreadable = "the run's stored options cannot be read";
  const Result<json::Json> j = json::parse(text);
  if (!j) return fail(Code::corrupt, unreadable, j.error().message);
  if (!j->is_object() || !j->contains("schema")) return fail(Code::corrupt, unreadable, "they have no schema");
  if (const json::Json& version = j->at("schema"); version != schema && version != before_models)
    return fail(Code::unsupported, "the run's options were written by another version of Warpwright");
  RunOptions options = WW_TRY(json::read<RunOptions>(*j, unreadable));
  OutOfRange<RunOptions> check{&options, {}};
  RunOptions::fields(check);
  if (!check.member.empty()) return fail(Code::corrupt, unreadable, "'" + check.member + "' is out of its range");
  for (const llm::RoleSettings& r : options.model.roles)
    if (const Status s = llm::check_role(r); !s) return fail(Code::corrupt, unreadable, s.error().message);
  return options;
}

}  // namespace ww::generator
