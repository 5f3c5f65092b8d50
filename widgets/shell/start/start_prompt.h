// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt of the start page: Return runs, Shift+Return starts a new line.
#pragma once
#include "parts/editor/prompt_edit.h"

namespace ww::widgets {

class StartPrompt : public PromptEdit {
  Q_OBJECT
 public:
  explicit StartPrompt(QWidget* parent);
  QSize sizeHint() const override;
  int height_of(int lines) const;
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void accepted();
  void file_dropped(const QString& path);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle();
};

}  // namespace ww::widgets
