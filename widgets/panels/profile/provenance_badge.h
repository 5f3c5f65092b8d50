// SPDX-License-Identifier: GPL-3.0-or-later
// A number's provenance as a sign and a word: solid is measured, hatched simulated, outlined modelled or counted.
#pragma once
#include <QWidget>
#include "base/provenance.h"

namespace ww::widgets {

class ProvenanceBadge : public QWidget {
  Q_OBJECT
 public:
  explicit ProvenanceBadge(QWidget* parent);
  void set_provenance(Provenance provenance);
  Provenance provenance() const { return provenance_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  static Qt::BrushStyle fill(Provenance provenance);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text() const;
  Provenance provenance_ = Provenance::unknown;
};

}  // namespace ww::widgets
