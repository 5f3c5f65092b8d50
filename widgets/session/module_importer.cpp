// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/module_importer.h"
#include <QTemporaryDir>
#include "base/files.h"
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

Result<importer::Imported> import_text(const std::string& file, const std::string& text, const std::string& name,
                                       const std::stop_token& stop) {
  importer::ModuleRequest request;
  request.file = file;
  request.name = name;
  QTemporaryDir folder;
  if (file.empty()) {
    request.file = folder.filePath("pasted.py").toStdString();
    WW_TRY(write_file_atomic(request.file, text));
  }
  return importer::import_module(request, stop);
}

}  // namespace

void ModuleImporter::start(const QString& file, const QString& text, const QString& name) {
  stop();
  stop_ = std::stop_source();
  job_.submit([this, file = file.toStdString(), text = text.toStdString(), name = name.toStdString(),
               token = stop_.get_token()]() -> LatestJob::Deliver {
    Result<importer::Imported> done = import_text(file, text, name, token);
    std::shared_ptr<const importer::Imported> module;
    QString why_not;
    if (done)
      module = std::make_shared<const importer::Imported>(std::move(*done));
    else if (done.error().code != Code::cancelled)
      why_not = qs(done.error().text());
    return [this, module, why_not] { emit imported(module, why_not); };
  });
}

void ModuleImporter::stop() { stop_.request_stop(); }

}  // namespace ww::widgets
