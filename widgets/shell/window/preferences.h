// SPDX-License-Identifier: GPL-3.0-or-later
// The window's preferences besides layouts and shortcuts, stored in its settings file.
#pragma once
#include <QHash>
#include <QObject>
#include "parts/theme/type.h"

class QMainWindow;
class QSettings;
class QTableView;

namespace ww::widgets {

class Preferences : public QObject {
  Q_OBJECT
 public:
  static constexpr int smallest_zoom = 70, largest_zoom = 200;  // percent
  static constexpr int usual_budget = 24, largest_budget = 10000;
  Preferences(QMainWindow* window, QSettings* settings);
  int zoom() const { return zoom_; }
  bool notify() const { return notify_; }
  bool restore() const { return restore_; }  // the last session at start
  void set_zoom(int percent);                // of all text in the window, including editors
  void present(int percent);                 // as set_zoom, until present(0); not remembered
  const FontChoice& fonts() const { return fonts_; }
  void set_fonts(const FontChoice& fonts);
  void columns_restored(QTableView& table, int zoom);  // they were saved at that zoom; call before the window is shown
  void columns_reset(QTableView& table);               // they have their widths at 100 % again
  void set_notify(bool on);
  void set_restore(bool on);
  int budget() const { return budget_; }  // a new run's default, in candidates
  void set_budget(int candidates);
  const QString& toolkit() const { return toolkit_; }  // CUDA's folder; empty: found by itself
  void set_toolkit(const QString& folder);             // for what is compiled from now on

 signals:
  void changed();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  struct Scaled {
    double usual = 0;  // at 100 %
    int shown = -1;    // what the zoom made of it: another size now is the person's
  };
  template <class T>
  bool kept(const char* key, T& value, const T& wanted);  // false: it is that already
  void scale();
  void scale_columns(QTableView& table, int from, int to);
  int scaled(const QTableView& table, int what, int now, int from, int to);
  QMainWindow* window_;
  QSettings* settings_;
  QHash<const QTableView*, QHash<int, Scaled>> sizes_;
  double first_size_;  // of the application's font, in points
  FontChoice fonts_;
  int zoom_ = 100, shown_zoom_ = 100, presented_ = 0;
  int budget_;
  QString toolkit_;
  bool notify_ = true, restore_ = true;
};

}  // namespace ww::widgets
