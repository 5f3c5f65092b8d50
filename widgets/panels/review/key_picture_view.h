// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include "review/fingerprint.h"

namespace ww::widgets {

// A key's picture (review/fingerprint.h) as squares, darker for more visits; start and end have frames. The tooltip and
// accessible text give the owner, digits and words.
class KeyPictureView : public QWidget {
  Q_OBJECT
 public:
  KeyPictureView(const std::string& public_key, const QString& whose, QWidget* parent);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const review::KeyPicture picture_;
};

}  // namespace ww::widgets
