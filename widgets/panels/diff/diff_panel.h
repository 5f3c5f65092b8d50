// SPDX-License-Identifier: GPL-3.0-or-later
// Any two candidates: their source, PTX or machine code, their numbers, their verdicts, and comments on their changes.
// By default the right side is the selected candidate and the left one the baseline, or its parent if there is none.
#pragma once
#include <QWidget>
#include <memory>
#include "panels/diff/diff_loader.h"
#include "panels/diff/diff_view.h"

class QAction;
class QButtonGroup;
class QMimeData;
class QSplitter;
class QStackedLayout;
class QTabWidget;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class CandidatePicker;
class ChangeNotes;
class ElideLabel;
class NumberTable;
class SearchBar;
class VerdictTable;

class DiffPanel : public QWidget, public SearchHost {
  Q_OBJECT
 public:
  explicit DiffPanel(const Context& context, QWidget* parent = nullptr);
  void show_pair(std::int64_t left, std::int64_t right);  // 0: the default of that side
  void set_reviewing(bool on);  // the left side is the parent, as the checklist asks, whatever the baseline is
  void swap_sides();
  void step(bool forward);  // to the next or previous change
  void open_search() override;
  void show_listing(CodeKind listing);
  std::int64_t left() const { return pair_ ? pair_->left->record.id : 0; }
  std::int64_t right() const { return pair_ ? pair_->right->record.id : 0; }
  const std::shared_ptr<const DiffPair>& pair() const { return pair_; }
  const std::shared_ptr<const diff::TextDiff>& shown() const { return view_->diff(); }
  DiffView* view() const { return view_; }
  NumberTable* numbers() const { return numbers_; }
  VerdictTable* verdicts() const { return verdicts_; }
  ChangeNotes* notes() const { return notes_; }
  CandidatePicker* picker(DiffView::Side side) const { return pickers_[side]; }
  QString message() const;  // shown instead of the listing; empty: none

  static constexpr const char* candidate_mime = "application/x-warpwright-candidate";  // text: its id

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_sides(QVBoxLayout* outer);
  void make_bar(QVBoxLayout* outer);
  QToolButton* make_options();
  bool on_left(const QPointF& at) const;
  bool drop(const QMimeData& data, const QPointF& at);  // of a candidate
  void make_actions();
  void connect_session();
  bool has_parent(std::int64_t candidate) const;
  void follow_comparison();
  bool two_compared() const;                   // and no baseline
  void follow_selection(bool against_parent);  // else against the baseline, if there is one
  void load();
  void compare();
  void on_loaded(const std::shared_ptr<const DiffPair>& pair, const QString& why_not);
  void on_compared(const std::shared_ptr<const DiffTexts>& texts);
  void show_sides();
  void show_numbers();
  void show_notes();
  void show_target();
  void comment(int change);
  void say(const QString& text);  // instead of the listing
  void update_summary();
  void arrange();
  bool normalised() const;

  Context context_;
  DiffLoader* loader_;
  std::int64_t left_ = 0, right_ = 0;  // requested; left 0: the parent
  bool reviewing_ = false;
  bool by_comparison_ = false;  // the requested ones are the two that are compared
  bool stale_ = false;
  CodeKind listing_ = CodeKind::source;
  std::shared_ptr<const DiffPair> pair_;
  bool compared_ = false;           // the texts of the pair are shown
  int instructions_[2] = {-1, -1};  // of its machine code, once read
  CandidatePicker* pickers_[2];
  ElideLabel* about_[2];
  QButtonGroup* listings_;
  Label* why_not_;
  ElideLabel* summary_;
  QToolButton *previous_, *next_, *details_button_, *swap_;
  QAction *one_column_, *fold_, *ignore_space_, *normalise_ptx_, *normalise_sass_;
  QSplitter* splitter_;
  QWidget* listing_page_;
  QStackedLayout *pages_, *listing_pages_;
  Label* empty_;
  QTabWidget* details_;
  DiffView* view_;
  SearchBar* search_;
  NumberTable* numbers_;
  VerdictTable* verdicts_;
  ChangeNotes* notes_;
};

}  // namespace ww::widgets
