// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include "review/fingerprint.h"

namespace ww::widgets {

// A key's picture (review/fingerprint.h) as squares, darker where the walk came by more often; its beginning and end
// have frames. Whose key it is, its digits and words are its tooltip and accessible text.
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
