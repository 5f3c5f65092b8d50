// SPDX-License-Identifier: Apache-2.0
#include "profile/advice.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <fmt/format.h>
#include "base/files.h"
#include "base/json_members.h"

namespace ww::profile {
using json::Json;
using json::Wrong;
namespace {

std::optional<double> find(const Named& values, const std::string& name) {
  for (const auto& [key, value] : values)
    if (key == name && std::isfinite(value)) return value;
  return {};
}

std::optional<double> total(const std::vector<std::pair<std::string, double>>& terms, const Named& values) {
  double sum = 0;
  for (const auto& [name, factor] : terms) {
    const std::optional<double> value = find(values, name);
    if (!value) return {};
    sum += factor * *value;
  }
  return sum;
}

std::vector<std::pair<std::string, double>> terms_of(const Json& j) {
  std::vector<std::pair<std::string, double>> terms;
  for (const Json& name : j) {
    auto text = name.get<std::string>();
    double factor = 1;
    if (text.starts_with("-")) factor = -1, text.erase(0, 1);
    if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
      const int by = std::atoi(text.c_str() + slash + 1);
      if (by <= 0) throw Wrong{"'" + text + "' divides by no number"};
      factor /= by;
      text.resize(slash);
    }
    terms.emplace_back(std::move(text), factor);
  }
  return terms;
}

std::string number_text(double v) {
  const double size = std::fabs(v);
  if (size >= 1e6) return fmt::format("{:.3g}", v);
  if (size >= 100 || v == std::floor(v)) return fmt::format("{:.0f}", v);
  return fmt::format("{:.{}f}", v, size >= 10 ? 1 : 2);
}

// "{0}" to "{9}": values; "{0%}": as a percentage; "{limiter}", "{provenance}".
std::string filled(const std::string& text, const std::vector<double>& values, const AdviceInput& input) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at), close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    std::string name = text.substr(open + 1, close - open - 1);
    const bool percent = name.ends_with('%');
    if (percent) name.pop_back();
    if (name == "limiter") out += input.limiter.empty() ? "nothing known" : input.limiter;
    else if (name == "provenance") out += input.provenance;
    else if (name.size() == 1 && static_cast<std::size_t>(name[0] - '0') < values.size())
      out += percent ? number_text(100 * values[static_cast<std::size_t>(name[0] - '0')]) + " %" : number_text(values[static_cast<std::size_t>(name[0] - '0')]);
    at = close + 1;
  }
  return out;
}

}  // namespace

Result<AdviceRules> AdviceRules::parse(const std::string& text) {
  const Json j = Json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", "") != "warpwright/advice/1") return fail(Code::corrupt, "the rules of advice are no JSON of the schema warpwright/advice/1");
  AdviceRules out;
  std::string id = "the first rule";
  try {
    for (const Json& r : json::list(j, "rules")) {
      Rule rule;
      id = rule.id = json::get<std::string>(r, "id");
      rule.title = json::get<std::string>(r, "title");
      rule.evidence = json::get<std::string>(r, "evidence");
      rule.explanation = json::get<std::string>(r, "explanation");
      rule.line = r.value("line", std::string());
      rule.group = r.value("group", std::string());
      rule.ideal = r.value("ideal", 0.0);
      rule.applies = r.value("applies", std::vector<std::string>());
      rule.has = r.value("has", std::vector<std::string>());
      rule.lacks = r.value("lacks", std::vector<std::string>());
      for (const Json& c : json::list(r, "when")) {
        Condition condition;
        condition.quantity.sum = terms_of(json::list(c, "sum"));
        if (c.contains("per")) condition.quantity.per = terms_of(json::list(c, "per"));
        condition.above = c.contains("above");
        if (condition.above == c.contains("below")) throw Wrong{"a condition has either 'above' or 'below'"};
        condition.limit = c.at(condition.above ? "above" : "below").get<double>();
        rule.when.push_back(std::move(condition));
      }
      if (rule.when.empty() && rule.has.empty() && rule.lacks.empty()) throw Wrong{"it has no condition"};
      if (std::any_of(out.rules_.begin(), out.rules_.end(), [&](const Rule& other) { return other.id == rule.id; })) throw Wrong{"its name is taken"};
      out.rules_.push_back(std::move(rule));
    }
  } catch (const Wrong& w) {
    return fail(Code::corrupt, "the rules of advice cannot be read: " + id + ": " + w.what);
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the rules of advice cannot be read: " + id, e.what());
  }
  return out;
}

Result<AdviceRules> AdviceRules::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file.empty() ? resources_dir() / "rules/advice.json" : file);
  if (!text) return fail(text.error());
  return parse(*text);
}

std::vector<Advice> AdviceRules::advise(const AdviceInput& input) const {
  std::vector<Advice> list;
  for (const Rule& rule : rules_) {
    if (!rule.applies.empty() && std::find(rule.applies.begin(), rule.applies.end(), input.provenance) == rule.applies.end()) continue;
    const auto in_text = [&](const std::string& word) { return input.text.find(word) != std::string::npos; };
    if ((!rule.has.empty() || !rule.lacks.empty()) && input.text.empty()) continue;
    if (!std::all_of(rule.has.begin(), rule.has.end(), in_text) || std::any_of(rule.lacks.begin(), rule.lacks.end(), in_text)) continue;
    std::vector<double> values;
    bool holds = true;
    for (const Condition& c : rule.when) {
      std::optional<double> value = total(c.quantity.sum, input.values);
      if (value && !c.quantity.per.empty()) {
        const std::optional<double> per = total(c.quantity.per, input.values);
        if (!per || *per <= 0) value.reset();
        else *value /= *per;
      }
      holds = holds && value && (c.above ? *value > c.limit : *value < c.limit);
      if (!holds) break;
      values.push_back(*value);
    }
    if (!holds) continue;
    Advice a{rule.id, rule.title, filled(rule.evidence, values, input), rule.explanation, 0, 0};
    double most = 0;
    for (const auto& [line, metrics] : input.lines)
      if (const std::optional<double> v = rule.line.empty() ? std::nullopt : find(metrics, rule.line); v && *v > most) most = *v, a.line = line;
    if (const std::optional<double> share = rule.group.empty() ? std::nullopt : find(input.shares, rule.group)) {
      const double avoidable = values.empty() || values[0] <= 0 ? 1 : std::clamp(1 - rule.ideal / values[0], 0.0, 1.0);
      a.gain = 1 / std::max(1 - *share * avoidable, 0.01);
    }
    list.push_back(std::move(a));
  }
  std::stable_sort(list.begin(), list.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return list;
}

std::string advice_text(const std::vector<Advice>& list, std::size_t limit) {
  std::string out;
  for (std::size_t k = 0; k < std::min(limit, list.size()); ++k) {
    const Advice& a = list[k];
    out += fmt::format("{}. {}. {}", k + 1, a.title, a.evidence);
    if (a.gain > 0) out += fmt::format(" (At most {:.2f} times faster, modelled.)", a.gain);
    if (a.line > 0) out += fmt::format(" Line {}.", a.line);
    out += " " + a.explanation + "\n";
  }
  return out;
}

}  // namespace ww::profile
