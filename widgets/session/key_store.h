// SPDX-License-Identifier: GPL-3.0-or-later
// The store of keys between sessions: the system's keychain, or a map in tests. Never a file of ours.
#pragma once
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include "base/secret.h"

namespace ww::widgets {

class KeyStore {  // GUI thread; answers arrive later, on the GUI thread, and never after the store was destroyed
 public:
  using Read = std::function<void(const std::optional<Secret>& key, const QString& error)>;  // neither: there is none
  using Done = std::function<void(const QString& error)>;                                    // empty: done
  virtual ~KeyStore() = default;
  virtual void read(const QString& service, Read done) = 0;
  virtual void write(const QString& service, const Secret& key, Done done) = 0;
  virtual void remove(const QString& service, Done done) = 0;
};

std::shared_ptr<KeyStore> make_system_key_store();  // QtKeychain

}  // namespace ww::widgets
