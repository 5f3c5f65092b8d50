// SPDX-License-Identifier: Apache-2.0
#include "profile/advice.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <fmt/format.h>
#include "base/files.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "profile/source_words.h"

namespace ww::profile {
using json::Json;
using json::Wrong;
namespace {

struct Quantity {                                        // sum of values, over a sum of values
  std::vector<std::pair<std::string, double>> sum, per;  // name, factor
  std::optional<double> of(const Named& values) const;   // empty: a value is missing, or there is nothing to divide by
};
struct Condition {
  Quantity quantity;
  bool above = true;
  double limit = 0;
};
using Words = std::vector<std::vector<std::string>>;  // of each list at least one
struct AdviceCase {
  std::string evidence;
  CostGroup group = CostGroup::unknown;
  std::vector<Provenance> applies;       // empty: any, and the evidence is modelled
  std::vector<OccupancyLimit> limiters;  // empty: any
  std::vector<Condition> when;           // all hold; the first one's value is {0} in the evidence, and so on
  Words has, in_loop;                    // in the text, comments apart; in the body of a loop
  std::vector<std::string> lacks;
  std::optional<Quantity>
      share;  // of the whole that the fault concerns, in place of the group's; without terms: all of it
  std::optional<Quantity> cap;  // the gain is at most one over this
  double ideal = 0;             // of the first quantity: what it would be without the fault
};

}  // namespace

struct AdviceRule {
  std::string id, title, explanation;
  Section section = Section::speed_of_light;
  std::vector<std::string> line, at;  // metrics by which the hottest line is found, the first that any line has; only
                                      // among lines with one of the words `at`
  std::vector<AdviceCase> cases;      // the first that holds is what is said
};

namespace {

template <class Key>
std::optional<double> find(const std::vector<std::pair<Key, double>>& values, const Key& name) {
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
    if (const std::size_t sign = text.find_first_of("/*"); sign != std::string::npos) {
      const int by = std::atoi(text.c_str() + sign + 1);
      if (by <= 0) throw Wrong{"'" + text + "' has no number after its sign"};
      factor = text[sign] == '/' ? factor / by : factor * by;
      text.resize(sign);
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

// "{0}" to "{9}": values; "{0%}": as a percentage; "{limiter}", "{provenance}", "{gpu}".
std::string filled(const std::string& text, const std::vector<double>& values, const AdviceInput& input) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at), close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    std::string name = text.substr(open + 1, close - open - 1);
    const bool percent = name.ends_with('%');
    if (percent) name.pop_back();
    if (name == "limiter")
      out += input.limiter == OccupancyLimit::unknown ? "nothing known" : enum_string(input.limiter);
    else if (name == "provenance")
      out += enum_string(input.provenance);
    else if (name == "gpu")
      out += input.gpu.empty() ? "GPU" : input.gpu;
    else if (name.size() == 1 && static_cast<std::size_t>(name[0] - '0') < values.size())
      out += percent ? number_text(100 * values[static_cast<std::size_t>(name[0] - '0')]) + " %"
                     : number_text(values[static_cast<std::size_t>(name[0] - '0')]);
    at = close + 1;
  }
  return out;
}

// ["a", ["b", "c"]]: a, and one of b and c.
Words words_of(const Json& j, const char* name) {
  Words out;
  if (j.contains(name))
    for (const Json& w : json::list(j, name))
      out.push_back(w.is_array() ? w.get<std::vector<std::string>>() : std::vector<std::string>{w.get<std::string>()});
  return out;
}

std::vector<std::string> list_of(const Json& j, const char* name) {  // a string is a list of one
  if (!j.contains(name)) return {};
  return j.at(name).is_string() ? std::vector<std::string>{j.at(name).get<std::string>()}
                                : j.at(name).get<std::vector<std::string>>();
}

bool has_words(const std::string& code, const Words& words, const std::vector<bool>* where) {
  return std::all_of(words.begin(), words.end(), [&](const std::vector<std::string>& any) {
    return std::any_of(any.begin(), any.end(), [&](const std::string& word) {
      std::size_t at = find_word(code, word);
      while (where && at != std::string::npos && !(*where)[at]) at = find_word(code, word, at + 1);
      return at != std::string::npos;
    });
  });
}

// The line where the rule's metric is highest; without metrics by line the first with one of the words.
int line_of(const std::vector<std::string>& metrics, const std::vector<std::string>& words, const AdviceInput& input,
            const std::string& code) {
  std::vector<int> among;
  for (const std::string& word : words)
    for (std::size_t at = find_word(code, word); at != std::string::npos; at = find_word(code, word, at + 1))
      among.push_back(line_at(code, at));
  std::sort(among.begin(), among.end());
  for (const std::string& metric : metrics) {
    double most = 0;
    int line = 0;
    for (const auto& [number, values] : input.lines)
      if (number > 0 && (among.empty() || std::binary_search(among.begin(), among.end(), number)))
        if (const std::optional<double> v = find(values, metric); v && *v > most) most = *v, line = number;
    if (line > 0) return line;
  }
  return among.empty() ? 0 : among.front();
}

std::optional<double> Quantity::of(const Named& values) const {
  const std::optional<double> value = total(sum, values);
  if (!value || per.empty()) return value;
  const std::optional<double> by = total(per, values);
  if (!by || *by <= 0) return {};
  return *value / *by;
}

AdviceCase case_of(const Json& j) {
  const auto quantity = [](const Json& q) {
    Quantity out{terms_of(json::list(q, "sum")), {}};
    if (q.contains("per")) out.per = terms_of(json::list(q, "per"));
    return out;
  };
  AdviceCase c;
  c.evidence = json::get<std::string>(j, "evidence");
  if (const std::string group = j.value("group", std::string()); !group.empty()) {
    c.group = enum_or_unknown<CostGroup>(group);
    if (c.group == CostGroup::unknown) throw Wrong{"'" + group + "' is no group of the cost"};
  }
  c.ideal = j.value("ideal", 0.0);
  for (const std::string& name : list_of(j, "applies")) {
    const auto provenance = enum_from_name<Provenance>(name);
    if (!provenance) throw Wrong{"'" + name + "' is no provenance"};
    c.applies.push_back(*provenance);
  }
  for (const std::string& name : list_of(j, "limiter")) {
    c.limiters.push_back(enum_or_unknown<OccupancyLimit>(name));
    if (enum_string(c.limiters.back()) != name) throw Wrong{"'" + name + "' does not limit occupancy"};
  }
  c.has = words_of(j, "has");
  c.in_loop = words_of(j, "in_loop");
  c.lacks = list_of(j, "lacks");
  if (j.contains("share"))
    c.share = j.at("share").is_string() && j.at("share") == "all" ? Quantity{} : quantity(j.at("share"));
  if (j.contains("cap")) c.cap = quantity(j.at("cap"));
  for (const Json& w : json::list(j, "when")) {
    Condition condition{quantity(w), w.contains("above"), 0};
    if (condition.above == w.contains("below")) throw Wrong{"a condition has either 'above' or 'below'"};
    condition.limit = w.at(condition.above ? "above" : "below").get<double>();
    c.when.push_back(std::move(condition));
  }
  if (c.when.empty() && c.has.empty() && c.in_loop.empty() && c.lacks.empty()) throw Wrong{"it has no condition"};
  return c;
}

std::optional<Advice> advice_of(const AdviceRule& rule, const AdviceCase& c, const AdviceInput& input,
                                const std::string& code) {
  const auto among = [](const auto& list, const auto& one) {
    return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
  };
  if (!among(c.applies, input.provenance) || !among(c.limiters, input.limiter)) return {};
  if (!c.has.empty() || !c.in_loop.empty() || !c.lacks.empty()) {
    if (code.empty() || !has_words(code, c.has, nullptr)) return {};
    if (std::any_of(c.lacks.begin(), c.lacks.end(),
                    [&](const std::string& word) { return find_word(code, word) != std::string::npos; }))
      return {};
    if (!c.in_loop.empty()) {
      const std::vector<bool> loops = loop_bodies(code);
      if (!has_words(code, c.in_loop, &loops)) return {};
    }
  }
  std::vector<double> values;
  for (const Condition& condition : c.when) {
    const std::optional<double> value = condition.quantity.of(input.values);
    if (!value || !(condition.above ? *value > condition.limit : *value < condition.limit)) return {};
    values.push_back(*value);
  }
  Advice a{rule.id,
           rule.title,
           filled(c.evidence, values, input),
           rule.explanation,
           line_of(rule.line, rule.at, input, code),
           0,
           c.applies.empty() ? Provenance::modelled : input.provenance,
           rule.section};
  std::optional<double> share = find(input.shares, c.group);
  if (c.share) share = c.share->sum.empty() ? 1.0 : c.share->of(input.values);
  if (share) {
    double avoidable = 1;  // of that share: all of it, or what the first quantity is away from its ideal
    if (!values.empty() && c.ideal > 0 && values[0] > 0)
      avoidable = c.when[0].above ? 1 - c.ideal / values[0] : 1 - values[0] / c.ideal;
    a.gain = 1 / std::max(1 - std::clamp(*share, 0.0, 1.0) * std::clamp(avoidable, 0.0, 1.0), 0.01);
    if (const std::optional<double> most = c.cap ? c.cap->of(input.values) : std::nullopt; most && *most > 0)
      a.gain = std::min(a.gain, 1 / *most);
    const std::optional<double> time = find<std::string>(input.values, "median_us"),
                                floor = find<std::string>(input.values, "floor_us");
    if (time && floor && *floor > 0)
      a.gain = std::min(a.gain, *time / *floor);  // nothing runs faster than the roofline's floor
    if (a.gain < 1.005) a.gain = 0;               // a bound that rounds to nothing says nothing
  }
  return a;
}

}  // namespace

Result<AdviceRules> AdviceRules::parse(const std::string& text) {
  const Json j = Json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", Json()) != "warpwright/advice/1")
    return fail(Code::corrupt, "the advice rules do not follow the schema warpwright/advice/1");
  std::vector<AdviceRule> rules;
  std::string id = "the first rule";
  try {
    for (const Json& r : json::list(j, "rules")) {
      AdviceRule rule;
      id = rule.id = json::get<std::string>(r, "id");
      rule.title = json::get<std::string>(r, "title");
      rule.explanation = json::get<std::string>(r, "explanation");
      const std::string section = json::get<std::string>(r, "section");
      const std::optional<Section> known = enum_from_name<Section>(section);
      if (!known) throw Wrong{"there is no section \"" + section + "\""};
      rule.section = *known;
      rule.line = list_of(r, "line");
      rule.at = list_of(r, "at");
      if (r.contains("cases"))
        for (const Json& c : json::list(r, "cases")) rule.cases.push_back(case_of(c));
      else
        rule.cases.push_back(case_of(r));
      if (rule.cases.empty()) throw Wrong{"it has no case"};
      if (std::any_of(rules.begin(), rules.end(), [&](const AdviceRule& other) { return other.id == rule.id; }))
        throw Wrong{"its name is taken"};
      rules.push_back(std::move(rule));
    }
  } catch (const Wrong& w) {
    return fail(Code::corrupt, "the advice rules cannot be read: " + id + ": " + w.what);
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the advice rules cannot be read: " + id, json::explain_exception(e));
  }
  AdviceRules out;
  out.rules_ = std::make_shared<const std::vector<AdviceRule>>(std::move(rules));
  return out;
}

std::size_t AdviceRules::size() const { return rules_ ? rules_->size() : 0; }

std::vector<std::string> AdviceRules::ids() const {
  std::vector<std::string> out;
  if (rules_)
    for (const AdviceRule& rule : *rules_) out.push_back(rule.id);
  return out;
}

Result<AdviceRules> AdviceRules::load(const std::filesystem::path& file) {
  const std::string text = WW_TRY(read_file(file.empty() ? resources_dir() / "rules/advice.json" : file));
  return parse(text);
}

std::vector<Advice> AdviceRules::advise(const AdviceInput& input) const {
  std::vector<Advice> list;
  const std::string code = without_comments(input.text);
  if (!rules_) return list;
  for (const AdviceRule& rule : *rules_)
    for (const AdviceCase& c : rule.cases)
      if (std::optional<Advice> a = advice_of(rule, c, input, code)) {
        list.push_back(std::move(*a));
        break;
      }
  std::stable_sort(list.begin(), list.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return list;
}

Result<std::string> advice_page(const std::string& id) {
  const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '-';
  });
  const std::filesystem::path file = resources_dir() / "rules/advice" / (id + ".md");
  std::error_code ignored;
  if (!plain || !std::filesystem::is_regular_file(file, ignored))
    return fail(Code::not_found, "there is no page about this advice");
  return read_file(file);
}

std::string advice_title(const std::string& id) {
  const std::string page = advice_page(id).value_or("");
  const std::size_t head = page.starts_with("# ") ? 0 : page.find("\n# ");
  if (head != std::string::npos) {
    const std::size_t begin = page.find("# ", head) + 2;
    return page.substr(begin, page.find('\n', begin) - begin);
  }
  std::string words = id;
  std::ranges::replace(words, '-', ' ');
  return words;
}

std::string advice_request(const Advice& a) {
  std::string out = a.title + ". " + a.evidence;
  if (a.line > 0) out += fmt::format(" Look at line {}.", a.line);
  return out + " " + a.explanation;
}

std::string advice_sentences(const Advice& a) {
  std::string out = a.title + ". " + a.evidence;
  if (a.gain > 0) out += fmt::format(" (By itself at most {:.2f} times faster, modelled.)", a.gain);
  if (a.line > 0) out += fmt::format(" Line {}.", a.line);
  return out + " " + a.explanation;
}

std::string advice_text(const std::vector<Advice>& list, std::size_t limit) {
  std::string out;
  for (std::size_t k = 0; k < std::min(limit, list.size()); ++k)
    out += fmt::format("{}. {}\n", k + 1, advice_sentences(list[k]));
  return out;
}

}  // namespace ww::profile
