// SPDX-License-Identifier: GPL-3.0-or-later
// Imports PyTorch modules as op specs on a background thread, where Python runs the person's file: callers ask first
// (importer/trust.h). On the GUI thread; the latest request wins.
#pragma once
#include <QObject>
#include <memory>
#include <stop_token>
#include "importer/torch_module.h"
#include "session/latest_job.h"

namespace ww::widgets {

class ModuleImporter : public QObject {
  Q_OBJECT
 public:
  explicit ModuleImporter(QObject* parent = nullptr) : QObject(parent) {}
  ~ModuleImporter() override { stop(); }
  // Starts a Python that has PyTorch, for the next start(): there is nothing to ask about without one.
  void prepare();
  // file: where `text` was read from; empty: it runs from a temporary file. name: of the class or function; empty:
  // Model, or the only module.
  void start(const QString& file, const QString& text, const QString& name);
  void stop();

 signals:
  // ready: such a Python runs; else the reason, which is empty when it was stopped
  void prepared(bool ready, const QString& why_not);
  // null: not imported, for the reason given; without a reason it was stopped
  void imported(const std::shared_ptr<const ww::importer::Imported>& module, const QString& why_not);

 private:
  std::stop_source stop_;
  std::unique_ptr<importer::TorchModules> torch_;  // used on the background thread only
  LatestJob job_;
};

}  // namespace ww::widgets
