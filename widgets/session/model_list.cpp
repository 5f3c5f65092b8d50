// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/model_list.h"
#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include "llm/model_name.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("ModelList", text); }

const ModelEntry* entry_of(const ModelList& list, const std::string& service, const std::string& name) {
  const ModelEntry* best = nullptr;
  std::size_t length = 0;
  for (const ModelEntry& m : list.models) {
    if (m.service != service) continue;
    if (m.name == name) return &m;
    if (m.name.empty() || m.name.back() != '*') continue;
    const std::string prefix = m.name.substr(0, m.name.size() - 1);
    if (name.compare(0, prefix.size(), prefix) == 0 && (!best || prefix.size() > length)) {
      best = &m;
      length = prefix.size();
    }
  }
  return best;
}

}  // namespace

const Service* service_of(const ModelList& list, const std::string& id) {
  const auto named = llm::ModelName::read(id);
  const std::string& name = named ? named->preset : id;
  const auto it =
      std::find_if(list.services.begin(), list.services.end(), [&](const Service& s) { return s.name == name; });
  return it == list.services.end() ? nullptr : &*it;
}

QString role_title(std::string_view role) {
  if (role == "writer") return tr("Writer");
  if (role == "fixer") return tr("Fixer");
  if (role == "analyst") return tr("Analyst");
  if (role == "formulator") return tr("Formulator");
  return tr("Reviewer");
}

QString role_settings_text(const llm::RoleSettings& r) {
  QStringList parts;
  if (!r.model.empty()) parts += qs(r.model);
  if (!r.effort.empty()) parts += tr("effort %1").arg(qs(r.effort));
  if (r.temperature) parts += tr("temperature %1").arg(*r.temperature);
  if (r.output_tokens != 0) parts += tr("answers to %1 tokens").arg(r.output_tokens);
  if (r.prompt_tokens != 0) parts += tr("prompts to %1 tokens").arg(r.prompt_tokens);
  QStringList others;
  for (const std::string& name : r.fallbacks) others += qs(name);
  if (!others.isEmpty()) parts += tr("then %1").arg(others.join(tr(", then ")));
  return parts.join(", ");
}

QString roles_text(const std::vector<llm::RoleSettings>& roles, const std::vector<std::string_view>& of) {
  QStringList sentences;
  for (const std::string_view name : of)
    if (const llm::RoleSettings* r = llm::role_of(roles, name))
      if (const QString text = role_settings_text(*r); !text.isEmpty())
        sentences += tr("%1: %2.").arg(role_title(name), text);
  return sentences.join(' ');
}

Reach reach_of(const Error& error) {
  return error.code == Code::unavailable || error.code == Code::timeout ? Reach::silent : Reach::refuses;
}

QString failure_text(const Service& service, const Error& error) {
  if (error.code == Code::denied && service.key != KeyFrom::nowhere)
    return tr("%1 refused the key. Enter another in Settings → Models.").arg(qs(service.title));
  if (service.this_machine && reach_of(error) == Reach::silent)
    return tr("%1 does not answer at %2: start it, or choose another model.").arg(qs(service.title), qs(service.host));
  return qs(error.message);
}

QString reach_text(Reach reach) {
  switch (reach) {
    case Reach::untried: return tr("not tried yet");
    case Reach::answers: return tr("answers");
    case Reach::refuses: return tr("refuses");
    case Reach::silent: return tr("does not answer");
    case Reach::no_key: return tr("no key");
    case Reach::no_address: return tr("no address");
  }
  return {};
}

QString key_text(const Service& service) {
  switch (service.key) {
    case KeyFrom::environment: return tr("from the environment");
    case KeyFrom::keychain: return tr("in the keychain");
    case KeyFrom::session: return tr("for this session");
    case KeyFrom::nowhere: break;
  }
  return service.key_needed ? tr("not set") : tr("not needed");
}

ModelReading read_model(const ModelList& list, const QString& id) {
  ModelReading reading;
  if (!list.error.empty()) {
    reading.sentence = tr("The list of models cannot be read: %1").arg(qs(list.error));
    return reading;
  }
  const std::string text = id.trimmed().toStdString();
  const auto named = llm::ModelName::read(text);
  if (text.empty()) {
    const QString none = why_no_model(list);
    reading.sentence = none.isEmpty() ? tr("Choose a model, or write SERVICE:MODEL.") : none;
    return reading;
  }
  const Service* service = service_of(list, text);
  if (!service || !named || named->model.empty()) {
    QStringList names;
    for (const Service& s : list.services) names += qs(s.name);
    reading.sentence = !service && named
                           ? tr("There is no service named %1. Services: %2.").arg(qs(named->preset), names.join(", "))
                           : tr("Write SERVICE:MODEL. Services: %1.").arg(names.join(", "));
    return reading;
  }
  const ModelEntry* entry = entry_of(list, service->name, named->model);
  const bool free = entry && entry->price == "free";
  reading.priced = entry && !entry->price.empty();
  reading.usable = service->why_not.empty();
  if (!reading.usable) {
    reading.sentence = qs(service->why_not);
    return reading;
  }
  QStringList parts = {service->this_machine ? tr("%1 on this machine").arg(qs(service->title))
                                             : tr("%1 at %2").arg(qs(service->title), qs(service->host))};
  parts += free ? tr("free") : reading.priced ? qs(entry->price) : tr("price unknown");
  if (entry && entry->context > 0)
    parts += tr("context of %1 tokens").arg(short_count(static_cast<double>(entry->context)));
  if (service->key != KeyFrom::nowhere) parts += tr("key %1").arg(key_text(*service));
  reading.sentence = parts.join(", ") + ".";
  return reading;
}

QString first_usable(const ModelList& list) {
  for (const ModelEntry& m : list.models) {
    if (m.name.empty() || m.name.back() == '*') continue;
    const Service* service = service_of(list, m.service);
    if (service && service->why_not.empty()) return qs(llm::ModelName{m.service, m.name}.text());
  }
  return {};
}

QString why_no_model(const ModelList& list) {
  if (!list.error.empty()) return tr("The list of models cannot be read: %1").arg(qs(list.error));
  for (const Service& s : list.services)
    if (s.why_not.empty() && (!s.this_machine || !list.asked)) return {};
  if (!first_usable(list).isEmpty()) return {};
  return tr("No model is available yet: set a service's key in Settings, or start a local server such as Ollama.");
}

}  // namespace ww::widgets
