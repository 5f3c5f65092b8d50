// SPDX-License-Identifier: Apache-2.0
#include "llm/catalogue.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include "base/ascii.h"
#include "base/described_json.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "base/recognisable.h"
#include "llm/consent.h"
#include "llm/providers.h"
#include "op/names.h"

namespace ww::llm {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* schema = "warpwright-models/1";
constexpr const char* line_key = "\x01line";  // the line on which an object begins, put there while it is read

fs::path from_environment(const char* name) {
  const char* v = std::getenv(name);
  return v && *v ? fs::path(v) : fs::path();
}

struct Wrong {
  int line;
  std::string what;
};

// Objects remember the line on which they began.
Json read_with_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<int> begun;
  std::size_t counted = 0;
  int line = 1;
  const auto line_here = [&] {
    const std::streamoff at = in.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
    for (const std::size_t end = at < 0 ? text.size() : static_cast<std::size_t>(at); counted < end; ++counted)
      line += text[counted] == '\n';
    return line;
  };
  const auto remember = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > json::max_depth) throw Wrong{line_here(), "it is nested too deeply"};
    if (event == Json::parse_event_t::object_start) begun.push_back(line_here());
    if (event == Json::parse_event_t::object_end) {
      parsed[line_key] = begun.back();
      begun.pop_back();
    }
    return true;
  };
  try {
    Json j = Json::parse(in, remember, true, true);  // comments are allowed in a user-edited file
    if (!j.is_object()) throw Wrong{1, "it is not one JSON object"};
    return j;
  } catch (const Json::exception&) {
    const json::NotJson why = json::not_json(text, true);
    throw Wrong{static_cast<int>(why.line),
                (why.too_large ? "a number is too large, in column " : "it is not JSON, from column ") +
                    std::to_string(why.column)};
  }
}

// The members of one object, each read once; the rest are typos.
class Members {
 public:
  Members(const Json& j, std::string what) : what_(std::move(what)) {
    if (!j.is_object()) throw Wrong{1, what_ + " is not an object"};
    line_ = j.value(line_key, 1);
    for (const auto& [name, value] : j.items())
      if (name != line_key) left_.emplace_back(name, &value);
  }
  int line() const { return line_; }
  [[noreturn]] void wrong(const std::string& why) const { throw Wrong{line_, what_ + ": " + why}; }
  bool has(const char* name) const {
    return std::any_of(left_.begin(), left_.end(), [&](const auto& m) { return m.first == name; });
  }
  void name_it(const std::string& name) { what_ += " '" + name + "'"; }

  const Json* take(const char* name) {
    known_.emplace_back(name);
    for (auto it = left_.begin(); it != left_.end(); ++it)
      if (it->first == name) {
        const Json* value = it->second;
        left_.erase(it);
        return value;
      }
    return nullptr;
  }
  void read(const char* name, std::string& out) {
    const Json* v = take(name);
    if (v && !v->is_string()) wrong(std::string("'") + name + "' is not a string");
    if (v) out = v->get<std::string>();
  }
  bool read(const char* name, bool& out) {
    const Json* v = take(name);
    if (v && !v->is_boolean()) wrong(std::string("'") + name + "' is neither true nor false");
    if (v) out = v->get<bool>();
    return v != nullptr;
  }
  void read(const char* name, std::int64_t& out, std::int64_t least, std::int64_t most) {
    const Json* v = take(name);
    if (v && (!v->is_number_integer() || v->get<std::int64_t>() < least || v->get<std::int64_t>() > most))
      wrong(std::string("'") + name + "' is not a whole number from " + std::to_string(least) + " to " +
            std::to_string(most));
    if (v) out = v->get<std::int64_t>();
  }
  bool read(const char* name, double& out) {
    const Json* v = take(name);
    if (v && (!v->is_number() || v->get<double>() < 0)) wrong(std::string("'") + name + "' is not a number from 0");
    if (v) out = v->get<double>();
    return v != nullptr;
  }
  void read(const char* name, std::chrono::milliseconds& out) {
    double seconds = static_cast<double>(out.count()) / 1000;
    read(name, seconds);
    if (seconds > 86400) wrong(std::string("'") + name + "' is more than a day");
    out = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
  void read(const char* name, std::vector<std::pair<std::string, std::string>>& out) {
    const Json* v = take(name);
    if (!v) return;
    if (!v->is_object()) wrong(std::string("'") + name + "' must map names to strings");
    out.clear();
    for (const auto& [key, value] : v->items()) {
      if (key == line_key) continue;
      if (!value.is_string()) wrong(std::string("'") + name + "': '" + key + "' is not a string");
      out.emplace_back(key, value.get<std::string>());
    }
  }
  void end() const {
    if (left_.empty()) return;
    const std::string& name = left_.front().first;
    const std::string meant = op::did_you_mean(name, known_);
    wrong("there is no member '" + name + "'" + (meant.empty() ? "" : "; " + meant));
  }

 private:
  std::string what_;
  int line_ = 1;
  std::vector<std::pair<std::string, const Json*>> left_;
  std::vector<std::string> known_;
};

void check_url(const Members& m, const std::string& url) {
  if (url.empty()) return;
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (!scheme || url.size() == scheme) m.wrong("'base_url' must begin with https:// or http:// and name a host");
  if (url.substr(scheme, url.find('/', scheme) - scheme).find('@') != std::string::npos)
    m.wrong("'base_url' contains a user name or password; keys are never read from files");
  if (url.find_first_of(" \t\r\n\"'<>") != std::string::npos)
    m.wrong("'base_url' contains a character that is not allowed in an address");
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool holds_key(const std::string& name) {
  constexpr std::array<std::string_view, 9> keys{"authorization",       "x-api-key", "api-key", "api_key",     "apikey",
                                                 "proxy-authorization", "cookie",    "key",     "access_token"};
  return std::ranges::find(keys, ascii_lower(name)) != keys.end();
}

// Of a header or a query parameter: a version or a plain name would be taken out of too much.
bool may_be_secret(const std::string& name, const std::string& value) {
  const std::string l = ascii_lower(name);
  const auto says = [&](std::string_view what) { return l.find(what) != std::string::npos; };
  if (says("version") || says("beta")) return false;
  if (says("key") || says("token") || says("secret") || says("auth") || says("pass")) return is_redacted(value);
  return is_recognisable(value) && std::ranges::any_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

Preset preset_from(const Json& j) {
  Members m(j, "the preset");
  Preset p;
  Endpoint& e = p.endpoint;
  m.read("name", e.preset);
  if (e.preset.empty() || e.preset.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") != std::string::npos)
    m.wrong("'name' is missing, or has characters other than lower-case letters, digits, '-', '_' and '.'");
  m.name_it(e.preset);
  for (const char* secret : {"key", "api_key", "token", "password"})
    if (m.has(secret))
      m.wrong(std::string("'") + secret +
              "': keys are never read from files; name an environment variable with 'key_variable'");
  m.read("title", p.title);
  m.read("about", p.about);
  m.read("provider", e.provider);
  if (e.provider.empty()) m.wrong("'provider' is missing: openai or anthropic");
  m.read("dialect", e.dialect);
  if (e.provider == "openai" && e.dialect != "chat" && e.dialect != "responses")
    m.wrong("'dialect' of the provider openai is 'chat' or 'responses'");
  m.read("base_url", e.base_url);
  check_url(m, e.base_url);
  e.base_url = without_slash(e.base_url);
  m.read("url_variable", p.url_variable);
  if (e.base_url.empty() && p.url_variable.empty()) m.wrong("'base_url' is missing");
  m.read("key_variable", p.key_variable);
  p.key_needed = !p.key_variable.empty();
  m.read("key_needed", p.key_needed);
  m.read("key_header", e.key_header);
  m.read("local", p.local);
  m.read("forwards", p.forwards);
  m.read("headers", e.headers);
  m.read("query", e.query);
  for (const auto& [name, value] : e.headers) {
    if (holds_key(name))
      m.wrong("the header '" + name +
              "' would hold a key; keys are never read from files: use 'key_variable' and 'key_header'");
    if (name.empty() || (name + value).find_first_of("\r\n") != std::string::npos ||
        name.find(':') != std::string::npos)
      m.wrong("the header '" + name + "' has a character that headers cannot have");
  }
  for (const auto& [name, value] : e.query)
    if (holds_key(name))
      m.wrong("the query parameter '" + name +
              "' would hold a key; keys are never read from files: use 'key_variable' and 'key_header'");
  for (const auto* list : {&e.headers, &e.query})
    for (const auto& [name, value] : *list)
      if (may_be_secret(name, value)) e.secrets.emplace_back(value);
  m.read("seeds", e.seeds);
  m.read("schemas", e.schemas);
  m.read("effort", e.effort);
  m.read("cache_marks", e.cache_marks);
  m.read("tools", e.tools);
  m.read("batches", e.batches);
  m.read("batch_poll_seconds", e.batch_poll);
  m.read("usage_in_stream", e.usage_in_stream);
  m.read("legacy_max_tokens", e.legacy_max_tokens);
  m.read("resumable", e.resumable);
  std::string ca_file;
  m.read("ca_file", ca_file);
  e.ca_file = ca_file;
  m.read("connect_seconds", e.connect_timeout);
  m.read("first_byte_seconds", e.first_byte_timeout);
  m.read("idle_seconds", e.idle_timeout);
  m.read("retry_seconds", e.retry_budget);
  std::int64_t attempts = e.attempts;
  m.read("attempts", attempts, 1, 100);
  e.attempts = static_cast<int>(attempts);
  e.busy_attempts = 3 * e.attempts;
  m.end();
  return p;
}

Price price_from(const Json& j, const std::string& model) {
  Members m(j, "the price of '" + model + "'");
  Price p;
  if (!m.read("prompt", p.prompt) || !m.read("completion", p.completion))
    m.wrong("'prompt' or 'completion' is missing (US dollars per million tokens)");
  p.cached = p.cache_written = p.prompt;  // by default they cost as much as other prompt tokens
  m.read("cached", p.cached);
  m.read("cache_written", p.cache_written);
  m.read("batch", p.batch);
  if (p.batch > 1) m.wrong("'batch' is above 1: the share of the price that a batch costs");
  m.read("up_to", p.up_to, 1, std::int64_t{1} << 40);
  m.read("source", p.source);
  m.read("date", p.date);
  if (p.source.empty() || p.date.empty()) m.wrong("'source' or 'date' is missing: prices change");
  m.end();
  return p;
}

ModelFacts model_from(const Json& j) {
  Members m(j, "the model");
  ModelFacts f;
  f.listed = true;
  m.read("preset", f.preset);
  m.read("name", f.name);
  if (f.preset.empty() || f.name.empty()) m.wrong("'preset' or 'name' is missing");
  m.name_it(f.full_name());
  m.read("context", f.context, 0, std::int64_t{1} << 40);
  m.read("output", f.output, 0, std::int64_t{1} << 40);
  bool free = false;
  m.read("free", free);
  if (const Json* price = m.take("price")) {
    if (free) m.wrong("it is marked as free but has a price");
    f.price = price_from(*price, f.full_name());
  } else if (free) {
    f.price = Price{};
    f.price->free = true;
  }
  m.read("reasoning", f.reasoning);
  m.read("schemas", f.schemas);
  if (bool takes = false; m.read("temperature", takes)) f.temperature = takes;
  m.read("tools", f.tools);
  m.end();
  return f;
}

RoleSettings role_from(const std::string& role, const Json& j) {
  Members m(j, "the role '" + role + "'");
  RoleSettings r;
  r.role = role;
  m.read("model", r.model);
  m.read("effort", r.effort);
  double temperature = 0;
  if (m.read("temperature", temperature)) r.temperature = temperature;
  m.read("output_tokens", r.output_tokens, 0, std::int64_t{1} << 40);
  m.read("prompt_tokens", r.prompt_tokens, 0, std::int64_t{1} << 40);
  if (const Json* list = m.take("fallbacks")) {
    if (!list->is_array()) m.wrong("'fallbacks' is not a list");
    for (const Json& name : *list) {
      if (!name.is_string()) m.wrong("'fallbacks' has an entry that is not a string");
      r.fallbacks.push_back(name.get<std::string>());
    }
  }
  m.end();
  if (const Status s = check_role(r); !s) m.wrong(s.error().message);
  return r;
}

bool is_date(const std::string& text) {  // "2026-10-16"
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

struct File {
  std::string date;
  std::vector<RoleSettings> roles;
  std::vector<Preset> presets;
  std::vector<std::pair<int, ModelFacts>> models;  // with their lines
};

File file_from(const std::string& text) {
  File file;
  const Json j = read_with_lines(text);
  Members m(j, "the file");
  std::string version;
  m.read("schema", version);
  if (version != schema) m.wrong(std::string("'schema' is not \"") + schema + "\"");
  m.read("date", file.date);
  if (!file.date.empty() && !is_date(file.date)) m.wrong("'date' is not of the form 2026-10-16");
  if (const Json* roles = m.take("roles")) {
    if (!roles->is_object()) m.wrong("'roles' does not map roles to their settings");
    for (const auto& [role, value] : roles->items())
      if (role != line_key) file.roles.push_back(role_from(role, value));
  }
  const auto each = [&](const char* name, const auto& add) {
    const Json* list = m.take(name);
    if (!list) return;
    if (!list->is_array()) m.wrong(std::string("'") + name + "' is not a list");
    for (const Json& entry : *list) add(entry);
  };
  each("presets", [&](const Json& entry) { file.presets.push_back(preset_from(entry)); });
  each("models", [&](const Json& entry) {
    file.models.emplace_back(entry.is_object() ? entry.value(line_key, 1) : 1, model_from(entry));
  });
  m.end();
  return file;
}

bool matches(const std::string& pattern, const std::string& name) {
  return pattern.ends_with('*')
             ? std::string_view(name).starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
             : pattern == name;
}

}  // namespace

fs::path Catalogue::shipped_file() { return resources_dir() / "models" / "catalogue.json"; }
fs::path Catalogue::update_file() { return config_dir() / "catalogue.json"; }
fs::path Catalogue::own_file() { return config_dir() / "models.json"; }

Result<Catalogue> Catalogue::parse(const std::string& shipped, const std::string& own, const std::string& update) {
  Catalogue c;
  enum class Kind : std::uint8_t { shipped, update, own };
  const auto add = [&c](const std::string& text, const fs::path& path, Kind kind) -> Status {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    try {
      File file = file_from(text);
      if (kind == Kind::update && file.date.empty())
        throw Wrong{1, "'date' is missing: it says whether this catalogue is newer than the shipped one"};
      if (kind == Kind::update && file.date < c.date_) {
        c.passed_ = file.date;
        return {};
      }
      if (kind != Kind::own) c.date_ = file.date;
      c.roles_ = merged(c.roles_, file.roles);
      for (Preset& p : file.presets) {
        const auto same = std::find_if(c.presets_.begin(), c.presets_.end(),
                                       [&](const Preset& o) { return o.endpoint.preset == p.endpoint.preset; });
        if (same != c.presets_.end())
          *same = std::move(p);
        else
          c.presets_.push_back(std::move(p));
      }
      for (auto& [line, f] : file.models) {
        if (!c.preset(f.preset))
          throw Wrong{line, "the model '" + f.full_name() + "': there is no preset '" + f.preset + "'"};
        const auto same = std::find_if(c.models_.begin(), c.models_.end(), [&, &f = f](const ModelFacts& o) {
          return o.preset == f.preset && o.name == f.name;
        });
        if (same != c.models_.end())
          *same = std::move(f);
        else
          c.models_.push_back(std::move(f));
      }
    } catch (const Wrong& w) {
      return fail(Code::parse, path.string() + ":" + std::to_string(w.line) + ": " + w.what);
    } catch (const std::exception& e) {
      return fail(Code::parse, path.string() + ": it cannot be read", json::explain_exception(e));
    }
    return {};
  };
  WW_TRY(add(shipped, shipped_file(), Kind::shipped));
  WW_TRY(add(update, update_file(), Kind::update));
  WW_TRY(add(own, own_file(), Kind::own));
  return c;
}

Result<Catalogue> Catalogue::load() {
  const Result<std::string> shipped = read_file(shipped_file());
  if (!shipped)
    return fail(Code::unavailable, "the list of models cannot be read; set WARPWRIGHT_RESOURCES or reinstall",
                shipped.error().text());
  const auto text_of = [](const fs::path& file) -> Result<std::string> {
    std::error_code ec;
    return fs::exists(file, ec) ? read_file(file) : std::string();
  };
  const std::string own = WW_TRY(text_of(own_file())), update = WW_TRY(text_of(update_file()));
  Result<Catalogue> c = parse(*shipped, own, update);
  if (!c) return c;
  for (Preset& p : c->presets_) {
    std::string variable = url_override(p.endpoint.preset);
    std::string url = from_environment(variable.c_str()).string();
    if (url.empty() && !p.url_variable.empty()) {
      variable = p.url_variable;
      url = without_slash(from_environment(variable.c_str()).string());
      if (url.find(".azure.com") != std::string::npos && url.find("/openai") == std::string::npos)
        url += "/openai/v1";  // the portal only shows the resource
    }
    if (url.empty()) continue;
    try {
      check_url(Members(Json::object(), "$" + variable), url);
    } catch (const Wrong& w) { return fail(Code::invalid_argument, w.what); }
    p.endpoint.base_url = without_slash(url);
  }
  return c;
}

const Preset* Catalogue::preset(const std::string& name) const {
  const auto found =
      std::find_if(presets_.begin(), presets_.end(), [&](const Preset& p) { return p.endpoint.preset == name; });
  return found == presets_.end() ? nullptr : &*found;
}

ModelFacts Catalogue::facts(const std::string& preset_name, const std::string& model) const {
  const ModelFacts* best = nullptr;
  for (const ModelFacts& f : models_) {
    if (f.preset != preset_name || !matches(f.name, model)) continue;
    const bool exact = f.name == model;
    if (!best || exact || (best->name != model && f.name.size() > best->name.size())) best = &f;
  }
  ModelFacts out;
  if (best) {
    out = *best;
  } else if (const Preset* p = preset(preset_name)) {
    out.reasoning = p->endpoint.effort;
    out.schemas = p->endpoint.schemas;
  }
  if (const Preset* p = preset(preset_name); p && p->local && !p->forwards && !out.temperature) out.temperature = true;
  out.preset = preset_name;
  out.name = model;
  return out;
}

// As Ollama names models that it passes on to its service: "kimi-k2:cloud", "gpt-oss:120b-cloud", in any case and with
// any spaces.
static bool runs_in_cloud(const std::string& model) {
  std::string name = ascii_lower(model);
  std::erase_if(name, [](char c) { return c <= ' ' || c > '~'; });  // white space beyond ASCII, too
  return name.ends_with(":cloud") || name.ends_with("-cloud");
}

Result<Model> describe(const Catalogue& catalogue, const std::string& selection) {
  std::vector<std::string> names;
  std::string all;
  for (const Preset& p : catalogue.presets()) {
    names.push_back(p.endpoint.preset);
    all += (all.empty() ? "" : ", ") + p.endpoint.preset;
  }
  const std::optional<ModelName> named = ModelName::read(selection);
  const auto [name, model] = named.value_or(ModelName{selection, {}});
  const Preset* preset = catalogue.preset(name);
  if (!preset) {
    for (const ModelFacts& f : catalogue.models())
      if (f.name == selection)
        return fail(Code::not_found, "'" + selection + "' names no service; did you mean '" + f.full_name() + "'?");
    if (!named)
      return fail(Code::not_found, "'" + selection + "' is not a model: write PRESET:MODEL; the presets are: " + all);
    const std::string meant = op::did_you_mean(name, names);
    return fail(Code::not_found, "there is no preset '" + name + "'; " + (meant.empty() ? "" : meant + " ") +
                                     (meant.empty() ? "there are: " : "There are: ") + all);
  }
  if (model.find_first_not_of(" \t") == std::string::npos)
    return fail(Code::invalid_argument, "'" + selection + "' names no model: write " + name +
                                            ":MODEL; 'warpwright-cli models check " + name + "' asks which there are");
  Model m;
  m.endpoint = preset->endpoint;
  m.forwarded = preset->forwards || runs_in_cloud(model);
  m.facts = catalogue.facts(name, model);
  m.endpoint.schemas = m.endpoint.schemas && m.facts.schemas;
  m.endpoint.effort = m.endpoint.effort && m.facts.reasoning;
  m.endpoint.tools = m.endpoint.tools && m.facts.tools;
  m.facts.schemas = m.endpoint.schemas;
  m.facts.reasoning = m.endpoint.effort;
  return m;
}

Result<Model> resolve(const Catalogue& catalogue, const std::string& selection) {
  Result<Model> m = describe(catalogue, selection);
  if (!m) return m;
  const Preset& preset = *catalogue.preset(m->endpoint.preset);
  if (m->endpoint.base_url.empty())
    return fail(Code::unavailable, "the preset '" + preset.endpoint.preset + "' has no address: set " +
                                       preset.url_variable + " to that of your own resource, or 'base_url' in " +
                                       Catalogue::own_file().string());
  m->endpoint.key = key_for(preset);
  if (m->endpoint.key.empty() && preset.key_needed)
    return fail(Code::unavailable, "the preset '" + preset.endpoint.preset + "' needs a key: set " +
                                       (preset.key_variable.empty() ? "" : preset.key_variable + " or ") +
                                       key_override(preset.endpoint.preset) +
                                       " in the environment; keys are never read from files or arguments");
  if (!m->endpoint.key.empty() && m->endpoint.base_url.starts_with("http://") &&
      !is_this_machine(host_of(m->endpoint.base_url)))
    return fail(Code::unavailable, "the key of '" + preset.endpoint.preset + "' would go unencrypted to " +
                                       host_of(m->endpoint.base_url) + "; use an https:// address, or no key");
  std::unique_ptr<Provider> provider = WW_TRY(make_provider(m->endpoint));
  m->provider = std::move(provider);
  return m;
}

std::optional<double> cost(const ModelFacts& facts, const Usage& usage) {
  if (!facts.price) return std::nullopt;
  const Price& p = *facts.price;
  if (p.free) return 0.0;
  if (p.up_to > 0 && usage.prompt > p.up_to) return std::nullopt;
  const std::int64_t plain = std::max<std::int64_t>(0, usage.prompt - usage.cached - usage.cache_written);
  return (static_cast<double>(plain) * p.prompt + static_cast<double>(usage.cached) * p.cached +
          static_cast<double>(usage.cache_written) * p.cache_written +
          static_cast<double>(usage.completion) * p.completion) /
         1e6;
}

}  // namespace ww::llm
