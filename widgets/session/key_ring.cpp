// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/key_ring.h"
#include "parts/theme/text.h"

namespace ww::widgets {

KeyRing::KeyRing(std::shared_ptr<KeyStore> store, QObject* parent) : QObject(parent), store_(std::move(store)) {}

void KeyRing::put(const QString& service, const Secret& key) {
  {
    std::lock_guard lock(keys_->mutex);
    if (key.empty())
      keys_->by_service.erase(service.toStdString());
    else
      keys_->by_service.insert_or_assign(service.toStdString(), key);
  }
  services_.removeAll(service);
  if (!key.empty()) services_.append(service);
}

void KeyRing::settle(const QString& error) {
  --pending_;
  problem_ = error;
  emit changed();
}

void KeyRing::load(const QStringList& services) {
  for (const QString& service : services) {
    services_.removeAll(service);
    services_.append(service);  // still known when the keychain cannot be reached this time
    ++pending_;
    store_->read(service, [this, service, here = std::weak_ptr<int>(here_)](const std::optional<Secret>& key,
                                                                            const QString& error) {
      if (here.expired()) return;
      if (key)
        put(service, *key);
      else if (error.isEmpty())
        services_.removeAll(service);  // it was removed by another program
      settle(error);
    });
  }
}

void KeyRing::set(const QString& service, const Secret& key) {
  ++pending_;
  store_->write(service, key, [this, service, key, here = std::weak_ptr<int>(here_)](const QString& error) {
    if (here.expired()) return;
    if (error.isEmpty()) put(service, key);
    settle(error);
  });
}

void KeyRing::forget(const QString& service) {
  ++pending_;
  store_->remove(service, [this, service, here = std::weak_ptr<int>(here_)](const QString& error) {
    if (here.expired()) return;
    if (error.isEmpty()) put(service, {});
    settle(error);
  });
}

void KeyRing::probe() {
  ++pending_;
  store_->read("probe", [this, here = std::weak_ptr<int>(here_)](const std::optional<Secret>&, const QString& error) {
    if (!here.expired()) settle(error);
  });
}

QStringList KeyRing::session_services() const {
  QStringList list;
  std::lock_guard lock(session_keys_->mutex);
  for (const auto& [service, key] : session_keys_->by_service) list.append(exact(service));
  return list;
}

void KeyRing::set_for_session(const QString& service, const Secret& key) {
  {
    std::lock_guard lock(session_keys_->mutex);
    if (key.empty())
      session_keys_->by_service.erase(service.toStdString());
    else
      session_keys_->by_service.insert_or_assign(service.toStdString(), key);
  }
  emit changed();
}

std::function<std::optional<Secret>(const std::string& service)> KeyRing::reader() const { return reader_of(keys_); }

std::function<std::optional<Secret>(const std::string& service)> KeyRing::session_reader() const {
  return reader_of(session_keys_);
}

std::function<std::optional<Secret>(const std::string& service)> KeyRing::reader_of(const std::shared_ptr<Keys>& all) {
  return [keys = std::weak_ptr<Keys>(all)](const std::string& service) -> std::optional<Secret> {
    const auto there = keys.lock();
    if (!there) return std::nullopt;
    std::lock_guard lock(there->mutex);
    const auto it = there->by_service.find(service);
    if (it == there->by_service.end()) return std::nullopt;
    return it->second;
  };
}

}  // namespace ww::widgets
