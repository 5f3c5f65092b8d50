// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/toolkit_field.h"
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "session/file_dialogs.h"
#include "shell/window/preferences.h"

namespace ww::widgets {

namespace {

bool within(const std::filesystem::path& file, const QString& folder) {
  if (file.empty() || folder.isEmpty()) return false;
  const QString root = QFileInfo(folder).canonicalFilePath();
  return !root.isEmpty() && QFileInfo(qs(file.string())).canonicalFilePath().startsWith(root + '/');
}

}  // namespace

QString toolkit_text(const QString& folder, const Result<compile::Toolkit>& found) {
  if (!folder.isEmpty() && !QFileInfo(folder).isDir())
    return ToolkitField::tr("The folder does not exist; the default locations are searched.");
  if (!found) return qs(found.error().message);
  QString text = ToolkitField::tr("NVRTC %1: %2").arg(qs(found->nvrtc_version), qs(found->nvrtc.string()));
  if (!folder.isEmpty() && !within(found->nvrtc, folder))
    text = ToolkitField::tr("The folder has no NVRTC; another is used. ") + text;
  QStringList missing;
  if (found->headers.empty()) missing += ToolkitField::tr("headers such as cuda_fp16.h");
  if (found->nvjitlink.empty() && found->ptxas.empty()) missing += ToolkitField::tr("an assembler for PTX");
  if (found->nvdisasm.empty()) missing += ToolkitField::tr("nvdisasm, which shows machine code");
  if (!missing.isEmpty()) text += ToolkitField::tr(". Missing: %1").arg(missing.join("; "));
  return harmless(text);
}

ToolkitField::ToolkitField(Preferences* preferences, QWidget* parent) : QWidget(parent), preferences_(preferences) {
  auto* column = make_column(this, {}, grid::half);
  auto* row = make_row(column);
  folder_ = with_id(new QLineEdit(preferences_->toolkit(), this), "setting_toolkit");
  folder_->setPlaceholderText(tr("found automatically"));
  folder_->setClearButtonEnabled(true);
  name_it(folder_, tr("CUDA toolkit"),
          tr("The folder with NVRTC, headers and tools; it takes precedence over $WARPWRIGHT_CUDA, $CUDA_HOME and "
             "/usr/local/cuda"));
  setFocusProxy(folder_);
  auto* choose = make_button(this, "setting_toolkit_choose", tr("Choose\u2026"), tr("Choose the toolkit's folder"));
  choose->setAutoDefault(false);  // Return in the field takes its text
  row->addWidget(folder_, 1);
  row->addWidget(choose);
  found_ = make_selectable(this, "setting_toolkit_found", "muted");
  column->addWidget(found_);
  connect(folder_, &QLineEdit::editingFinished, this, [this] { take(folder_->text()); });
  connect(choose, &QPushButton::clicked, this, &ToolkitField::choose);
  connect(preferences_, &Preferences::changed, this, [this] {
    if (folder_->text() != preferences_->toolkit()) folder_->setText(preferences_->toolkit());
  });
  look();
}

void ToolkitField::choose() {
  const QString folder =
      FileDialogs::instance().choose_folder(this, FileKind::toolkit, tr("Folder of the CUDA toolkit"));
  if (!folder.isEmpty()) take(folder);
}

void ToolkitField::take(const QString& folder) {
  const QString wanted = folder.trimmed().isEmpty() ? QString() : QDir::cleanPath(folder.trimmed());
  if (wanted == preferences_->toolkit()) return;
  preferences_->set_toolkit(wanted);
  look();
}

void ToolkitField::look() {
  found_->setText(tr("Looking for the toolkit\u2026"));
  job_.submit([this, folder = preferences_->toolkit()]() -> LatestJob::Deliver {
    const QString text = toolkit_text(folder, compile::find_toolkit());
    return [this, text] { found_->setText(text); };
  });
}

}  // namespace ww::widgets
