// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include "base/files.h"
#include "cuda/counters.h"

namespace ww::cuda {
namespace {

using nlohmann::json;

Result<std::vector<CounterSet>> read_sets() {
  const std::filesystem::path path = resources_dir() / "counters" / "sets.json";
  const std::string text = WW_TRY(read_file(path, std::size_t{1} << 20));
  Result<std::vector<CounterSet>> sets = parse_counter_sets(text);
  if (!sets) return fail(sets.error().code, "'" + path.string() + "': " + sets.error().message, sets.error().cause);
  return sets;
}

std::string text_of(const json& j, const char* key) {
  const auto at = j.find(key);
  return at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// Nsight Compute's names: "unit__counter.rollup", of letters, digits, '_' and '.'.
bool is_metric_name(const std::string& name) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  return name.find("__") != std::string::npos && name.find('.') != std::string::npos &&
         std::all_of(name.begin(), name.end(), good);
}

}  // namespace

Result<std::vector<CounterSet>> parse_counter_sets(const std::string& text) {
  const auto bad = [](const std::string& what) {
    return fail(Code::corrupt, "the counter sets cannot be read: " + what);
  };
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return bad("they are not a JSON object");
  if (root.value("format", json()) != json(1)) return bad("their format is not 1");
  const auto all = root.find("sets");
  if (all == root.end() || !all->is_array() || all->empty()) return bad("there is no list of sets");
  std::vector<CounterSet> sets;
  for (const json& j : *all) {
    if (!j.is_object()) return bad("a set is not an object");
    CounterSet set;
    set.name = text_of(j, "name");
    set.about = text_of(j, "about");
    if (set.name.empty()) return bad("a set has no name");
    const auto same = [&](const std::string& name) {
      return std::find_if(sets.begin(), sets.end(), [&](const CounterSet& s) { return s.name == name; });
    };
    if (same(set.name) != sets.end()) return bad("two sets have the name '" + set.name + "'");
    if (const std::string first = text_of(j, "includes"); !first.empty()) {
      const auto from = same(first);
      if (from == sets.end())
        return bad("the set '" + set.name + "' includes '" + first + "', which is not listed before it");
      set.metrics = from->metrics;
    }
    std::set<std::string> seen;
    for (const Metric& m : set.metrics) seen.insert(m.name);
    const auto metrics = j.find("metrics");
    if (metrics == j.end() || !metrics->is_array()) return bad("the set '" + set.name + "' has no list of metrics");
    for (const json& m : *metrics) {
      if (!m.is_object()) return bad("a metric of the set '" + set.name + "' is not an object");
      Metric metric{text_of(m, "name"), text_of(m, "unit"), text_of(m, "about")};
      if (!is_metric_name(metric.name)) return bad("'" + metric.name + "' is not a metric's name");
      if (metric.about.empty()) return bad("the metric '" + metric.name + "' is not explained");
      if (!seen.insert(metric.name).second)
        return bad("the metric '" + metric.name + "' appears twice in the set '" + set.name + "'");
      set.metrics.push_back(std::move(metric));
    }
    if (set.metrics.empty()) return bad("the set '" + set.name + "' is empty");
    sets.push_back(std::move(set));
  }
  return sets;
}

Result<const std::vector<CounterSet>*> counter_sets() {
  static const std::vector<CounterSet> sets = WW_TRY(read_sets());
  return &sets;
}

}  // namespace ww::cuda
