// SPDX-License-Identifier: GPL-3.0-or-later
// The keychain's keys while the window is open: read once, available to the engine from any thread. The keychain is
// only accessed for services whose key was set in this window (it remembers their names, never a key), so that it is
// not unlocked for users who do not need it. A key for this session only stays in memory, and takes precedence.
#pragma once
#include <QObject>
#include <QStringList>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include "session/key_store.h"

namespace ww::widgets {

class KeyRing : public QObject {
  Q_OBJECT
 public:
  explicit KeyRing(std::shared_ptr<KeyStore> store, QObject* parent = nullptr);
  void load(const QStringList& services);
  QStringList services() const { return services_; }  // with a key in the keychain
  QStringList session_services() const;               // with a key for this session only
  void set(const QString& service, const Secret& key);
  void set_for_session(const QString& service, const Secret& key);  // empty: none
  void forget(const QString& service);
  void probe();                                 // checks whether there is a keychain
  QString problem() const { return problem_; }  // why keys cannot be stored; empty: they can, as far as is known
  bool busy() const { return pending_ > 0; }
  std::function<std::optional<Secret>(const std::string& service)> reader()
      const;  // from any thread, also after this was destroyed
  std::function<std::optional<Secret>(const std::string& service)> session_reader() const;

 signals:
  void changed();

 private:
  struct Keys {
    std::mutex mutex;
    std::map<std::string, Secret> by_service;
  };
  static std::function<std::optional<Secret>(const std::string& service)> reader_of(const std::shared_ptr<Keys>& keys);
  void put(const QString& service, const Secret& key);
  void settle(const QString& error);
  std::shared_ptr<KeyStore> store_;
  std::shared_ptr<Keys> keys_ = std::make_shared<Keys>(), session_keys_ = std::make_shared<Keys>();
  std::shared_ptr<int> here_ = std::make_shared<int>(0);  // answers that arrive after destruction are dropped
  QStringList services_;
  QString problem_;
  int pending_ = 0;
};

}  // namespace ww::widgets
