// SPDX-License-Identifier: GPL-3.0-or-later
// Two candidates stepped through side by side on the same inputs: at equal shares of their launches' steps, with their
// counters running.
#pragma once
#include <QWidget>
#include <array>
#include <memory>
#include "session/context.h"
#include "session/step_session.h"

class QLineEdit;
class QSlider;
class QStackedLayout;
class QToolButton;

namespace ww::widgets {

class CandidatePicker;
class CodeEditor;
class DiffLoader;
class DivergenceView;
class EmptyPage;
class Label;
class LanesView;
struct DiffPair;

class SideBySidePanel : public QWidget {
  Q_OBJECT
 public:
  static constexpr int parts = 1000;  // of a launch, that the slider tells apart
  explicit SideBySidePanel(const Context& context, QWidget* parent = nullptr);
  // Both on the inputs of the first one's case. Without titles the pickers keep what they name.
  void compare(const std::array<stepping::SteppedLaunch, 2>& subjects, const std::array<QString, 2>& titles = {});
  StepSession* session(std::size_t side) const { return sides_[side].session; }
  Label* totals(std::size_t side) const { return sides_[side].totals; }
  void go(int part);            // of `parts`, in both
  void step(std::size_t side);  // a source line of one; the other follows

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Side {
    StepSession* session = nullptr;
    CandidatePicker* picker = nullptr;
    Label *state = nullptr, *totals = nullptr;
    CodeEditor* source = nullptr;
    LanesView* lanes = nullptr;
    DivergenceView* stack = nullptr;
    bool is_open = false;
  };
  QWidget* make_side(std::size_t side, QWidget* parent);
  QWidget* make_tools(QWidget* page);
  void load();
  void on_loaded(const std::shared_ptr<const DiffPair>& pair, const QString& why_not);
  void on_arrived(std::size_t side);
  void follow(std::size_t leader);
  void show_nothing(std::size_t side);
  void complain(const QString& why);
  Context context_;
  std::array<Side, 2> sides_;
  std::array<stepping::SteppedLaunch, 2> subjects_;  // that were to be compared last
  DiffLoader* loader_;
  std::int64_t left_ = 0, right_ = 0;  // candidates; 0: the default
  bool stale_ = false;
  std::optional<std::size_t> leader_;  // whose step the other follows when it has arrived
  QStackedLayout* pages_;
  EmptyPage* empty_page_;
  QLineEdit* sizes_;
  QSlider* progress_;
  Label* problem_;
};

}  // namespace ww::widgets
