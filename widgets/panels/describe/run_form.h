// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a run besides its spec: shapes, element type, generator, device, budget, the user's candidates.
#pragma once
#include <QHash>
#include <QWidget>
#include <optional>
#include <vector>
#include "parts/theme/form_fold.h"
#include "session/runs.h"

class QComboBox;
class QGridLayout;
class QSettings;
class QSpinBox;

namespace ww::widgets {

class Label;
class ModelForm;

class RunForm : public QWidget {
  Q_OBJECT
 public:
  static void align_captions(QGridLayout* grid);  // aligns a form_grid() with the one above it
  static constexpr int least_width = 78;          // of a box: enough for usual values, not for the largest
  explicit RunForm(QWidget* parent = nullptr);
  void set_choices(const std::vector<Choice>& generators, const std::vector<Choice>& devices);
  // Its shapes and element type. A size set by the user is reset with a new op, or when the spec's own size changes.
  void show_spec(const std::optional<op::Spec>& spec);
  void reset_symbols();  // to the spec's defaults
  // With the next spec that is shown: these sizes, and its defaults for the others.
  void set_sizes(const std::map<std::string, std::int64_t>& sizes) { opened_ = sizes; }
  op::Binding binding() const;  // only what differs from the spec's defaults
  std::string generator() const;
  std::string device() const;
  int candidates() const;
  void set_candidates(int budget);
  void set_generator(const QString& id);
  void set_device(const QString& id);
  // the compilation target of runs on the SIMT machine
  void set_gpu(const QString& gpu, const std::string& architecture);
  ModelForm* models() const { return models_; }
  void fill(generator::RunOptions& options) const;  // all but the spec
  // Of a stored run: its budget, generator, sizes, and its models if it had any. They serve this run only: leave_run()
  // brings back what the person set.
  void show_options(const generator::RunOptions& options);
  void leave_run();
  QString why_not() const;                   // why no run can start
  QString summary(const QString& op) const;  // "softmax, R = 512, C = 1024, f32, ..." in one line
  QString gpu() const;                       // the first usable one; empty: none is known
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);
  QSize minimumSizeHint() const override;  // with one field per row

 signals:
  void dtype_chosen(ww::DType real);
  void changed();
  void models_wanted();  // the generator "model" was chosen

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_shape(QGridLayout* grid);
  void make_fields(QGridLayout* grid);
  void generator_changed();
  void make_boxes(const op::Spec& spec);
  void show_override();
  QWidget* shapes_;
  Label* no_shapes_;
  QComboBox *dtype_, *generator_, *device_;
  QSpinBox *budget_, *minutes_;
  ModelForm* models_;
  std::vector<FormFold> folds_;
  QStringList symbols_;
  QHash<QString, QSpinBox*> boxes_;
  std::string op_;                                             // the op whose symbols are shown
  std::optional<std::map<std::string, std::int64_t>> opened_;  // sizes that wait for their spec
  std::map<std::string, std::int64_t> defaults_;
  QWidget* override_row_;  // shows which sizes differ from the spec's, with a reset button
  Label* override_text_;
  struct Own {
    int candidates, minutes;
    QString generator;
    bool operator==(const Own&) const = default;
  };
  Own shown() const;
  std::optional<Own> own_;  // of the person, while a run's are shown
  Own of_run_ = {};
  QString wanted_generator_, wanted_device_, gpu_;
  std::string architecture_;  // of gpu_; empty: the default
};

}  // namespace ww::widgets
