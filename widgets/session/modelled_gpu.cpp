// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/modelled_gpu.h"
#include <algorithm>
#include "base/device_name.h"

namespace ww::widgets {

ModelledGpu::ModelledGpu(QObject* parent)
    : QObject(parent), known_(profile::datasheets().value_or(std::vector<profile::Datasheet>())) {}

std::string ModelledGpu::chosen() const {
  const std::lock_guard lock(mutex_);
  return chosen_;
}

void ModelledGpu::choose(const QString& gpu) {
  std::string wanted = gpu.toStdString();
  if (std::none_of(known_.begin(), known_.end(), [&](const auto& sheet) { return sheet.gpu == wanted; }))
    wanted.clear();
  {
    const std::lock_guard lock(mutex_);
    if (wanted == chosen_) return;
    chosen_ = wanted;
  }
  emit changed();
}

std::string ModelledGpu::own_architecture() const {
  const std::string gpu = chosen();
  for (const profile::Datasheet& sheet : known_)
    if (sheet.gpu == gpu) return sheet.architecture;
  return {};
}

std::string ModelledGpu::limits_of(const std::string& compiled, const std::string& device) const {
  const std::string own = is_simt(device) ? own_architecture() : std::string();
  return own.empty() ? compiled : own;
}

}  // namespace ww::widgets
