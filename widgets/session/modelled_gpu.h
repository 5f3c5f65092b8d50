// SPDX-License-Identifier: GPL-3.0-or-later
// The GPU to model if none was measured: the same for all panels. A candidate measured on a GPU is shown against that
// one.
#pragma once
#include <QObject>
#include <mutex>
#include <string>
#include <vector>
#include "profile/datasheet.h"

namespace ww::widgets {

class ModelledGpu : public QObject {
  Q_OBJECT
 public:
  explicit ModelledGpu(QObject* parent = nullptr);
  const std::vector<profile::Datasheet>& known() const { return known_; }
  std::string chosen() const;            // any thread; empty: the first of each run's own architecture
  void choose(const QString& gpu);       // GUI thread; an unknown one counts as none
  std::string own_architecture() const;  // of the chosen one; empty: none is chosen
  // The GPU whose limits apply to a candidate compiled for this architecture and judged on this device. Thread-safe.
  std::string limits_of(const std::string& compiled, const std::string& device) const;

 signals:
  void changed();

 private:
  const std::vector<profile::Datasheet> known_;
  mutable std::mutex mutex_;
  std::string chosen_;
};

}  // namespace ww::widgets
