// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/module_importer.h"
#include <QTemporaryDir>
#include "base/files.h"
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

Result<importer::Imported> import_text(std::unique_ptr<importer::TorchModules> torch, const std::string& file,
                                       const std::string& text, const std::string& name, const std::stop_token& stop) {
  if (!torch) torch = WW_TRY(importer::TorchModules::start(stop));
  importer::ModuleRequest request;
  request.file = file;
  request.name = name;
  QTemporaryDir folder;
  if (file.empty()) {
    request.pasted = true;
    request.file = folder.filePath("pasted.py").toStdString();
    WW_TRY(write_file_atomic(request.file, text));
  }
  return importer::import_module(*torch, request, stop);
}

// Empty: it was stopped.
QString why_not_of(const Error& error) {
  if (error.code == Code::cancelled) return {};
  QString text = capitalised(error.text());
  if (!error.hint.empty()) text += (text.endsWith('.') ? "\n" : ".\n") + qs(error.hint);
  return text;
}

}  // namespace

void ModuleImporter::prepare() {
  stop();
  stop_ = std::stop_source();
  job_.submit([this, token = stop_.get_token()]() -> LatestJob::Deliver {
    Result<std::unique_ptr<importer::TorchModules>> started = importer::TorchModules::start(token);
    const QString why_not = started ? QString() : why_not_of(started.error());
    torch_ = started ? std::move(*started) : nullptr;
    return [this, ready = started.has_value(), why_not] { emit prepared(ready, why_not); };
  });
}

void ModuleImporter::start(const QString& file, const QString& text, const QString& name) {
  stop();
  stop_ = std::stop_source();
  job_.submit([this, file = file.toStdString(), text = text.toStdString(), name = name.toStdString(),
               token = stop_.get_token()]() -> LatestJob::Deliver {
    Result<importer::Imported> done = import_text(std::move(torch_), file, text, name, token);
    std::shared_ptr<const importer::Imported> module;
    QString why_not;
    if (done)
      module = std::make_shared<const importer::Imported>(std::move(*done));
    else
      why_not = why_not_of(done.error());
    return [this, module, why_not] { emit imported(module, why_not); };
  });
}

void ModuleImporter::stop() { stop_.request_stop(); }

}  // namespace ww::widgets
