// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models_service.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "explore/formulation_check.h"
#include "llm/agents.h"
#include "llm/catalogue.h"
#include "llm/message_json.h"
#include "llm/prompt.h"
#include "llm/providers.h"
#include "llm/roles_file.h"
#include "llm/turns.h"
#include "op/doubts.h"

namespace ww::widgets {
namespace {

thread_local KeyFrom read_from = KeyFrom::environment;  // by the last llm::key_for of this thread

constexpr std::chrono::milliseconds quick{400};  // a server on this machine answers at once or not at all

std::string in_dollars(double amount) {  // "$2", "$0.10", "$0.125"
  char text[32];
  std::snprintf(text, sizeof text, amount == std::floor(amount) ? "$%.0f" : "$%.3f", amount);
  std::string out = text;
  if (out.find('.') != out.npos && out.back() == '0') out.pop_back();
  return out;
}

std::string price_text(const std::optional<llm::Price>& price) {
  if (!price) return {};
  if (price->free) return "free";
  return in_dollars(price->prompt) + " / " + in_dollars(price->completion) + " per million tokens";
}

ModelEntry entry_of(const llm::Catalogue& catalogue, const std::string& service, const std::string& name) {
  const llm::ModelFacts facts = catalogue.facts(service, name);
  return {service, name, price_text(facts.price), facts.context};
}

void add_new(ModelList& list, ModelEntry entry) {
  const auto same = [&](const ModelEntry& m) { return m.service == entry.service && m.name == entry.name; };
  if (std::ranges::none_of(list.models, same)) list.models.push_back(std::move(entry));
}

Result<std::vector<std::string>> ask_for_models(llm::Endpoint endpoint, bool local, std::stop_token cancel) {
  endpoint.attempts = 1;
  if (local) endpoint.connect_timeout = endpoint.first_byte_timeout = endpoint.idle_timeout = quick;
  const std::unique_ptr<llm::Provider> provider = WW_TRY(llm::make_provider(endpoint));
  return provider->models(std::move(cancel));
}

Service service_from(const llm::Preset& preset, llm::Endpoint* endpoint) {
  Service s;
  s.name = preset.endpoint.preset;
  s.title = preset.title;
  s.about = preset.about;
  s.base_url = preset.endpoint.base_url;
  s.host = host_of(s.base_url);
  s.key_variable = preset.key_variable;
  s.key_needed = preset.key_needed && !preset.key_variable.empty();
  s.this_machine = is_this_machine(s.host);
  // A list costs no more than the key, which any permission for the host covers.
  s.asks_first = !llm::allowed({s.host, preset.forwards}, {.sources = false, .paths = false, .device_name = false});
  read_from = KeyFrom::environment;
  *endpoint = preset.endpoint;
  endpoint->key = llm::key_for(preset);
  if (!endpoint->key.empty()) s.key = read_from;
  s.reach = s.base_url.empty()                          ? Reach::no_address
            : s.key == KeyFrom::nowhere && s.key_needed ? Reach::no_key
                                                        : Reach::untried;
  if (s.reach == Reach::no_address)
    s.why_not =
        s.title + " needs an address" +
        (preset.url_variable.empty() ? " in models.json." : ": start Warpwright with " + preset.url_variable + ".");
  else if (s.reach == Reach::no_key)
    s.why_not = s.title + " needs a key: set one in Settings, or start Warpwright with " + s.key_variable + ".";
  return s;
}

}  // namespace

ModelList Models::models(bool ask) {
  ModelList list = list_models(ask);
  const std::lock_guard lock(mutex_);
  for (Service& service : list.services) {
    const auto check = checks_.find(service.name);
    if (check == checks_.end()) continue;
    if (service.reach == Reach::untried)
      service.reach = check->second ? Reach::answers : reach_of(check->second.error());
    if (!check->second) continue;
    for (const ModelEntry& found : *check->second) add_new(list, found);
  }
  return list;
}

Models::Check Models::check_service(const std::string& service, std::stop_token cancel) {
  Check check = ask_service(service, cancel);
  if (!cancel.stop_requested()) {
    const std::lock_guard lock(mutex_);
    checks_.insert_or_assign(service, check);
  }
  return check;
}

std::optional<Models::Check> Models::last_check(const std::string& service) const {
  const std::lock_guard lock(mutex_);
  const auto at = checks_.find(service);
  return at == checks_.end() ? std::nullopt : std::optional(at->second);
}

void Models::forget_check(const std::string& service) {
  const std::lock_guard lock(mutex_);
  checks_.erase(service);
}

ModelList Models::list_models(bool ask) {
  ModelList list;
  list.own_file = llm::Catalogue::own_file().string();
  list.asked = ask;
  const Result<llm::Catalogue> catalogue = llm::Catalogue::load();
  if (!catalogue) {
    list.error = catalogue.error().text();
    return list;
  }
  list.roles = catalogue->roles();
  for (const llm::ModelFacts& m : catalogue->models())
    list.models.push_back({m.preset, m.name, price_text(m.price), m.context});
  for (const llm::Preset& preset : catalogue->presets()) {
    llm::Endpoint endpoint;
    Service s = service_from(preset, &endpoint);
    if (ask && s.this_machine && !s.asks_first && s.why_not.empty()) {
      const Result<std::vector<std::string>> there = ask_for_models(endpoint, true, {});
      if (!there) {
        s.reach = reach_of(there.error());
        s.why_not = failure_text(s, there.error()).toStdString();
      } else {
        s.reach = Reach::answers;
        for (const std::string& name : *there) add_new(list, entry_of(*catalogue, s.name, name));
      }
    }
    list.services.push_back(std::move(s));
  }
  return list;
}

Models::Check Models::ask_service(const std::string& service, std::stop_token cancel) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  const llm::Preset* preset = catalogue.preset(service);
  if (!preset) return fail(Code::not_found, "there is no service named " + service);
  llm::Endpoint endpoint;
  const Service s = service_from(*preset, &endpoint);
  if (!s.why_not.empty()) return fail(Code::unavailable, s.why_not);
  const std::vector<std::string> names = WW_TRY(ask_for_models(endpoint, s.this_machine, std::move(cancel)));
  std::vector<ModelEntry> models;
  for (const std::string& name : names) models.push_back(entry_of(catalogue, s.name, name));
  return models;
}

void Models::add_key_reader(std::function<std::optional<Secret>(const std::string& service)> reader, KeyFrom from) {
  llm::add_key_reader([reader = std::move(reader), from](const std::string& preset) {
    std::optional<Secret> key = reader(preset);
    if (key && !key->empty()) read_from = from;
    return key;
  });
}

Result<std::vector<ModelHost>> Models::hosts(const std::vector<std::string>& models) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  const std::vector<llm::Consent> answers = WW_TRY(llm::consents());
  std::vector<ModelHost> list;
  for (const std::string& id : models) {
    if (id.empty() || id == "none") continue;
    const llm::Model model = WW_TRY(llm::resolve(catalogue, id));
    ModelHost h;
    h.host = host_of(model.endpoint.base_url);
    h.this_machine = !llm::Destination{h.host, model.forwarded}.leaves();
    if (const auto known =
            std::find_if(list.begin(), list.end(), [&](const ModelHost& other) { return other.host == h.host; });
        known != list.end()) {
      known->this_machine = known->this_machine && h.this_machine;
      continue;
    }
    const llm::Preset* preset = catalogue.preset(model.endpoint.preset);
    h.service = preset ? preset->title : model.endpoint.preset;
    for (const llm::Consent& c : answers)
      if (c.host == h.host) h.allowed = c.limits;
    list.push_back(std::move(h));
  }
  return list;
}

Status Models::allow(const std::string& host, const llm::Limits& limits) { return llm::allow(host, limits); }
Status Models::forget(const std::string& host) { return llm::forget(host); }
Result<std::vector<llm::Consent>> Models::consents() { return llm::consents(); }

ExchangeView read_exchange(store::ExchangeRecord record) {
  ExchangeView view;
  view.record = std::move(record);
  if (!view.record.request.empty()) {
    Result<llm::Request> request = llm::request_from_json(view.record.request);
    if (request)
      view.request = std::move(*request);
    else
      view.problem = request.error().text();
  }
  if (!view.record.reply.empty()) {
    Result<llm::Reply> reply = llm::reply_from_json(view.record.reply);
    if (reply)
      view.reply = std::move(*reply);
    else
      view.problem = reply.error().text();
  }
  return view;
}

Result<Formulated> Models::formulate(store::Workspace& workspace, const std::string& model, const std::string& text,
                                     const llm::Limits& limits, std::stop_token cancel) {
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  llm::Turns turns;
  for (const std::string& name : llm::models_of(catalogue.roles(), "formulator", model)) {
    llm::Settings& s = turns.models.emplace_back();
    s.model = WW_TRY(llm::resolve(catalogue, name));
    llm::apply_role(catalogue.roles(), "formulator", s);
  }
  std::string passed_on;
  turns.say = [&passed_on](const std::string& sentence) { passed_on += (passed_on.empty() ? "" : ". ") + sentence; };
  const llm::PromptLibrary prompts = WW_TRY(llm::PromptLibrary::load(workspace.folder()));
  const std::unique_ptr<llm::Client> client = WW_TRY(llm::Client::make(workspace, 0, {}, limits));
  const llm::Desk desk{*client, prompts, limits};
  const llm::Source source = llm::guess_source(text);
  llm::Formulation made = WW_TRY(llm::formulate(desk, turns, source, text, cancel));
  const explore::FormulationCheck check = explore::check_formulation(desk, turns, {source, text, {}}, made, cancel);
  if (cancel.stop_requested()) return fail(Code::cancelled, "cancelled");
  std::vector<std::string> doubts = check.doubts();
  if (!doubts.empty()) made.text = op::marked_unconfirmed(made.text, "a model wrote this spec, and it is in doubt");
  return Formulated{Formulated::By::model,       std::move(made.text), std::move(made.explanation),
                    std::move(made.assumptions), made.exchange,        check.report(),
                    std::move(doubts),           std::move(passed_on)};
}

Status Models::set_roles(const std::vector<llm::RoleSettings>& roles) { return llm::save_roles(roles); }

}  // namespace ww::widgets
