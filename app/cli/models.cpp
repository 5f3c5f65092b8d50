// SPDX-License-Identifier: Apache-2.0
#include "answer.h"
#include "commands.h"
#include "base/plural.h"
#include "base/recognisable.h"
#include "models.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include "console.h"
#include "llm/client.h"
#include "llm/providers.h"

namespace ww::cli {
namespace {

Error unasked(const std::string& host, std::string leaves) {
  return {Code::unavailable,
          "nothing was sent to " + host +
              ": it is not allowed yet, and there is no terminal to ask on; '--allow-host " + host +
              "' or 'warpwright-cli models allow " + host + "' allows it",
          std::move(leaves)};
}

std::string window_text(std::int64_t tokens) { return tokens > 0 ? count_text(tokens) : "?"; }

std::string price_text(const llm::ModelFacts& f) {
  if (!f.price) return "unknown";
  if (f.price->free) return "free";
  const llm::Price& p = *f.price;
  return fmt::format("{:g} / {:g} / {:g}{}", p.prompt, p.cached, p.completion,
                     p.up_to > 0 ? fmt::format(" (prompts to {})", count_text(p.up_to)) : "");
}

Json price_json(const std::optional<llm::Price>& price) {
  if (!price) return nullptr;
  if (price->free) return {{"free", true}};
  return {{"free", false},
          {"prompt", price->prompt},
          {"cached", price->cached},
          {"cache_written", price->cache_written},
          {"completion", price->completion},
          {"up_to", price->up_to > 0 ? Json(price->up_to) : Json(nullptr)},
          {"source", price->source},
          {"date", price->date}};
}

std::string key_text(const llm::Preset& p) {
  const Secret key = llm::key_for(p);
  if (!key.empty()) return "known: " + key.hint();
  if (p.key_needed) return "set " + (p.key_variable.empty() ? llm::key_override(p.endpoint.preset) : p.key_variable);
  return "not needed";
}

Result<int> models_list(const Common& common) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  const std::vector<llm::Consent> consents = WW_TRY(llm::consents());
  Json presets = Json::array(), models = Json::array(), hosts = Json::array();
  std::vector<std::vector<std::string>> preset_rows, model_rows, host_rows;
  for (const llm::Preset& p : catalogue.presets()) {
    const llm::Endpoint& e = p.endpoint;
    const Secret key = llm::key_for(p);
    presets.push_back({{"name", e.preset},
                       {"title", p.title},
                       {"about", p.about},
                       {"provider", e.provider},
                       {"dialect", e.dialect},
                       {"base_url", e.base_url},
                       {"host", host_of(e.base_url)},
                       {"local", is_this_machine(host_of(e.base_url))},
                       {"key_variable", p.key_variable},
                       {"key_needed", p.key_needed},
                       {"key_known", !key.empty()}});
    preset_rows.push_back({e.preset, p.title + (p.about.empty() ? "" : ": " + p.about),
                           e.base_url.empty() ? "set " + p.url_variable : e.base_url, key_text(p)});
  }
  for (const llm::ModelFacts& f : catalogue.models()) {
    models.push_back({{"name", f.full_name()},
                      {"context", f.context > 0 ? Json(f.context) : Json(nullptr)},
                      {"output", f.output > 0 ? Json(f.output) : Json(nullptr)},
                      {"price", price_json(f.price)},
                      {"reasoning", f.reasoning},
                      {"schemas", f.schemas},
                      {"temperature", f.temperature ? Json(*f.temperature) : Json(nullptr)}});
    model_rows.push_back(
        {f.full_name(), window_text(f.context), window_text(f.output), price_text(f), f.price ? f.price->date : ""});
  }
  for (const llm::Consent& c : consents) {
    hosts.push_back({{"host", c.host}, {"date", c.date}, {"limits", json::of(c.limits)}});
    host_rows.push_back({safe(c.host), c.date.substr(0, 10), c.limits.sources ? "with sources" : "the op alone",
                         c.limits.device_name ? "with the device's name" : "without the device's name"});
  }
  if (common.json) {
    print_json(common, {{"presets", presets},
                        {"models", models},
                        {"hosts", hosts},
                        {"date", catalogue.date()},
                        {"roles", json::of(catalogue.roles())},
                        {"file", llm::Catalogue::own_file().string()}});
    return Exit::done;
  }
  std::string out = table({"Preset", "Service", "Address", "Key"}, preset_rows) + '\n' +
                    table({"Model", "#Context", "#Output", "Prompt / cached / answer", "Price of"}, model_rows);
  out +=
      "Prices in US dollars per million tokens. You can also name other models of a service; their price is unknown, "
      "so --money is refused.\n";
  out += "The catalogue is of " + catalogue.date() +
         (catalogue.passed_over().empty()
              ? "; a newer one in " + llm::Catalogue::update_file().string() + " replaces it.\n"
              : "; the one in " + llm::Catalogue::update_file().string() + " is older (" + catalogue.passed_over() +
                    ") and is passed over.\n");
  out += "Your own entries: " + llm::Catalogue::own_file().string() +
         " (docs/models.md). Keys come only from the environment.\n";
  if (!host_rows.empty())
    out += '\n' + table({"Host", "Allowed", "Sources", "Device"}, host_rows);
  else
    out += "No host other than this machine is allowed yet.\n";
  print_text(out);
  return Exit::done;
}

// Asking for a list of models sends no more than the key, which any permission for the host covers.
Status settle_list(const llm::Model& model, const std::vector<std::string>& allow_hosts) {
  const std::string host = host_of(model.endpoint.base_url);
  const llm::Limits nothing{.sources = false, .paths = false, .device_name = false};
  if (llm::allowed({host, model.forwarded}, nothing)) return {};
  const std::string what = host + " would be asked for its list of models; " +
                           (model.endpoint.key.empty() ? "nothing" : "only the key") + " would be sent.\n";
  if (std::find(allow_hosts.begin(), allow_hosts.end(), host) != allow_hosts.end()) {
    put(Stream::error, what);
    return {};
  }
  if (!on_terminal()) return fail(unasked(host, what));
  if (!ask_person(what + "Ask it, this once?"))
    return fail(Code::denied, "nothing was sent to " + host + ": permission was denied");
  return {};
}

// Where a key cannot be told from a word or a number.
void warn_short_key(const llm::Endpoint& e) {
  if (!e.key.empty() && !is_redacted(e.key.reveal()))
    put(Stream::error, "note: the key of " + e.preset +
                           " is too short to be taken out of what is printed and stored, where a server repeats it\n");
}

Result<int> models_check(const Common& common, const std::string& given, const std::vector<std::string>& allow_hosts) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  const bool named = llm::ModelName::read(given).has_value();
  const llm::Model model =
      WW_TRY(llm::resolve(catalogue, named || !catalogue.preset(given) ? given : llm::ModelName{given, "*"}.text()));
  const Interrupt interrupt("\nStopping. Interrupt again to exit at once.\n");
  const std::string host = host_of(model.endpoint.base_url);
  WW_TRY(settle_list(model, allow_hosts));
  warn_short_key(model.endpoint);
  if (!common.json)
    put(Stream::error,
        fmt::format("asking {} for its models; its answer may take {} s\n", host, llm::longest_list.count()));
  const std::vector<std::string> listed = WW_TRY(model.provider->models(interrupt.token()));
  const std::string& wanted = model.facts.name;
  const bool there = !named || std::find(listed.begin(), listed.end(), wanted) != listed.end();
  if (common.json) {
    print_json(common, {{"preset", model.endpoint.preset},
                        {"host", host},
                        {"models", listed},
                        {"model", named ? Json(wanted) : Json(nullptr)},
                        {"there", there}});
    return there ? Exit::done : Exit::negative;
  }
  std::string out = fmt::format("{} at {} responded and lists {}.\n", model.endpoint.preset, model.endpoint.base_url,
                                plural(listed.size(), "model"));
  if (named) out += there ? "It has " + wanted + ".\n" : "It does not list " + wanted + ".\n";
  if (!named || !there)
    for (const std::string& m : listed) out += "  " + safe(llm::ModelName{model.endpoint.preset, m}.text()) + '\n';
  print_text(out);
  return there ? Exit::done : Exit::negative;
}

Result<int> models_allow(const Common& common, const std::string& given, const llm::Limits& limits) {
  const std::string host = given.find("://") == std::string::npos ? given : host_of(given);
  if (host.empty() || host.find_first_of("/ \t@") != std::string::npos)
    return failed(common, {Code::invalid_argument,
                           "'" + given + "' is not a host: write it as api.openai.com, with a port if it needs one",
                           {}});
  WW_TRY(llm::allow(host, limits));
  if (common.json) {
    Json leaves = Json::array();
    for (const llm::OutgoingData& l : llm::outgoing_data(limits)) leaves.push_back(l.text());
    print_json(common, {{"host", host}, {"limits", json::of(limits)}, {"leaves", std::move(leaves)}});
    return Exit::done;
  }
  std::string out = host + " is allowed. It may receive:\n";
  for (const llm::OutgoingData& l : llm::outgoing_data(limits)) out += "  " + l.text() + '\n';
  print_text(out + "'warpwright-cli models forget " + host + "' withdraws it.\n");
  return Exit::done;
}

Result<int> models_forget(const Common& common, const std::string& host) {
  WW_TRY(llm::forget(host));
  return print_answer(
      common, {{{"host", host}}, host + " is no longer allowed: nothing is sent there until you allow it again.\n"});
}

}  // namespace

int not_answered(const Common& common, const Error& error) {
  const bool unread = error.code == Code::parse || error.code == Code::corrupt || error.code == Code::io;
  return unread ? failed(common, error, Exit::negative) : failed(common, error);
}

bool on_terminal() { return ::isatty(STDIN_FILENO) == 1 && stderr_is_tty(); }

bool ask_person(const std::string& question) {
  put(Stream::error, question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

Status settle_host(const llm::Destination& to, const llm::Limits& limits, bool allow,
                   const std::function<bool(const std::string&)>& ask) {
  const std::string& host = to.host;
  if (host.empty() || llm::allowed(to, limits)) return {};
  std::string leaves = "To " + host + (to.forwarded ? ", which forwards it to a service," : "") + " would be sent:\n";
  for (const llm::OutgoingData& l : llm::outgoing_data(limits)) leaves += "  " + l.text() + '\n';
  if (!allow && !ask) return fail(unasked(host, leaves));
  if (!allow) {
    if (!ask(leaves + "Nothing has been sent there yet. Allow it, now and later?"))
      return fail(Code::denied, "nothing was sent to " + host + ": permission was denied");
  } else {
    put(Stream::error, leaves);
  }
  return llm::allow(host, limits);
}

Result<std::vector<llm::Model>> ready_models(const std::vector<std::string>& selections, const llm::Limits& limits,
                                             const std::vector<std::string>& allow_hosts) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  std::vector<llm::Model> models;
  for (const std::string& selection : selections) {  // reports all possible problems before asking the user
    llm::Model m = WW_TRY(llm::resolve(catalogue, selection));
    models.push_back(std::move(m));
  }
  for (const llm::Model& m : models) {
    warn_short_key(m.endpoint);
    const std::string host = host_of(m.endpoint.base_url);
    const bool allow = std::find(allow_hosts.begin(), allow_hosts.end(), host) != allow_hosts.end();
    WW_TRY(settle_host({host, m.forwarded}, limits, allow,
                       on_terminal() ? ask_person : std::function<bool(const std::string&)>()));
  }
  return models;
}

void warn_omitted_options(const std::vector<llm::Model>& models, const generator::ModelOptions& asked) {
  for (const llm::Model& m : models) {
    const std::string name = m.facts.full_name();
    if (asked.temperature && !m.facts.temperature.value_or(true))
      put(Stream::error, "note: " + name + " does not accept a temperature; it is omitted\n");
    if (!asked.effort.empty() && !m.endpoint.effort)
      put(Stream::error, "note: " + name + " is not known to accept an effort; it is omitted\n");
  }
}

Result<std::unique_ptr<Question>> Question::prepare(const Common& common, const RunArgs& run, std::string_view role) {
  const generator::ModelOptions& asked = run.options.model;
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  const std::vector<llm::RoleSettings> roles = llm::merged(catalogue.roles(), asked.roles);
  const std::vector<std::string> names = llm::models_of(roles, role, asked.writer);
  const llm::Limits& limits = asked.limits;
  const llm::RoleSettings* own = llm::role_of(roles, role);
  if (asked.writer.empty() && (!own || own->model.empty()))
    return fail(Code::invalid_argument, "choose a model with --model PRESET:MODEL; 'warpwright-cli models' lists them");
  std::vector<llm::Model> models = WW_TRY(ready_models(names, limits, run.allow_hosts));
  warn_omitted_options(models, asked);
  Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::create);
  if (!workspace) return fail(Code::unavailable, workspace.error().message, workspace.error().cause);
  std::unique_ptr<Question> q(new Question);
  q->workspace_ = std::move(*workspace);
  llm::PromptLibrary prompts = WW_TRY(llm::PromptLibrary::load(q->workspace_->folder()));
  q->prompts_ = std::move(prompts);
  std::unique_ptr<llm::Client> client =
      WW_TRY(llm::Client::make(*q->workspace_, 0, {run.options.budget.tokens, run.options.budget.money}, limits,
                               [watcher = &q->watcher_](const llm::ModelEvent& e) { (*watcher)(e); }));
  q->client_ = std::move(client);
  q->desk_.reset(new llm::Desk{*q->client_, q->prompts_, limits});
  for (llm::Model& model : models) {
    llm::Settings& settings = q->models_.models.emplace_back();
    settings.model = std::move(model);
    settings.output_tokens = asked.output_tokens;
    settings.prompt_tokens = asked.prompt_tokens;
    llm::apply_role(roles, role, settings);
    settings.seed = static_cast<std::int64_t>(asked.seed);
    if (asked.temperature) settings.temperature = asked.temperature;
    if (!asked.effort.empty()) settings.effort = asked.effort;
    if (run.given.contains("--output-tokens")) settings.output_tokens = asked.output_tokens;
    if (run.given.contains("--prompt-tokens")) settings.prompt_tokens = asked.prompt_tokens;
  }
  q->models_.say = [](const std::string& sentence) { put(Stream::error, "note: " + safe(sentence) + '\n'); };
  return q;
}

Json Question::spend() const { return spend_json(client_->spend()); }

Json spend_json(const llm::Spend& s) {
  return {{"requests", s.requests},
          {"failed", s.failed},
          {"prompt_tokens", s.usage.prompt},
          {"cached_tokens", s.usage.cached},
          {"cache_written_tokens", s.usage.cache_written},
          {"completion_tokens", s.usage.completion},
          {"reasoning_tokens", s.usage.reasoning},
          {"money", s.money},
          {"money_known", s.money_known}};
}

Result<Json> spend_of_run(store::Workspace& workspace, std::int64_t run) {
  const std::vector<store::ExchangeRecord> all = WW_TRY(workspace.exchanges(run));
  if (all.empty()) return Json(nullptr);
  llm::Spend s;
  for (const store::ExchangeRecord& e : all) {
    ++s.requests;
    if (e.state == store::ExchangeState::failed || e.state == store::ExchangeState::cancelled) ++s.failed;
    s.usage.prompt += e.prompt_tokens;
    s.usage.cached += e.cached_tokens;
    s.usage.cache_written += e.cache_written_tokens;
    s.usage.completion += e.completion_tokens;
    s.usage.reasoning += e.reasoning_tokens;
    if (e.money)
      s.money += *e.money;
    else
      s.money_known = false;
  }
  return spend_json(s);
}

void add_models(Commands& commands) {
  struct Args {
    std::string subject;
    RunArgs run;
  };
  const auto args = std::make_shared<Args>();
  constexpr auto none = Commands::Workspace::none;
  CLI::App& models = commands.add(
      "models", "lists known services and models, their prices, which keys are set, and what may leave this machine",
      models_list, none);
  models.require_subcommand(0, 1);
  CLI::App& check = commands.add_to(
      models, "check", "asks a service which models it offers",
      [args](const Common& common) { return models_check(common, args->subject, args->run.allow_hosts); }, none);
  check.add_option("PRESET[:MODEL]", args->subject, "the service, optionally with a model to look for")->required();
  check.add_option("--allow-host", args->run.allow_hosts, "ask this host, this once")
      ->take_all()
      ->allow_extra_args(false);
  CLI::App& allow = commands.add_to(
      models, "allow", "allows requests to a host",
      [args](const Common& common) { return models_allow(common, args->subject, args->run.options.model.limits); },
      none);
  allow.add_option("HOST", args->subject, "api.openai.com")->required();
  add_limits(allow, args->run, AllowHosts::no);
  commands
      .add_to(
          models, "forget", "withdraws that permission",
          [args](const Common& common) { return models_forget(common, args->subject); }, none)
      .add_option("HOST", args->subject, "api.openai.com")
      ->required();
}

}  // namespace ww::cli
