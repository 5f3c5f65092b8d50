// SPDX-License-Identifier: GPL-3.0-or-later
// What a run is given besides its spec: shapes, element type, generator, device, budget, candidates of the person.
#pragma once
#include <QHash>
#include <QWidget>
#include <optional>
#include <vector>
#include "session/engine.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QSpinBox;

namespace ww::widgets {

class RunForm : public QWidget {
  Q_OBJECT
 public:
  explicit RunForm(QWidget* parent = nullptr);
  void set_choices(const std::vector<Choice>& generators, const std::vector<Choice>& devices);
  void show_spec(const std::optional<op::Spec>& spec);   // shapes and element type of it
  void reset_symbols();                                  // to the spec's defaults
  void set_symbol(const QString& name, int value);
  op::Binding binding() const;                           // only what differs from the spec's defaults
  std::string generator() const;
  std::string device() const;
  int candidates() const;
  void set_candidates(int budget);
  void set_generator(const QString& id);
  void set_device(const QString& id);

 signals:
  void dtype_chosen(ww::DType real);
  void changed();

 private:
  QWidget* shapes_;
  QLabel* no_shapes_;
  QComboBox *dtype_, *generator_, *device_;
  QSpinBox* budget_;
  QStringList symbols_;
  QHash<QString, QSpinBox*> boxes_;
  QHash<QString, int> kept_;                             // what the person set, by symbol, while the spec changes
  std::map<std::string, std::int64_t> defaults_;
  QString wanted_generator_, wanted_device_;
};

}  // namespace ww::widgets
