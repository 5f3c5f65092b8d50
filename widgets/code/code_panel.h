// SPDX-License-Identifier: GPL-3.0-or-later
// The selected candidate's CUDA, the PTX that it compiled to, and its machine code (SASS), which is made when it is looked at.
#pragma once
#include <QWidget>
#include <memory>
#include "session/session.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QTabWidget;

namespace ww::widgets {

class CodeEditor;
class ElideLabel;
class SearchBar;

class CodePanel : public QWidget {
  Q_OBJECT
 public:
  explicit CodePanel(QWidget* parent = nullptr);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);  // null: none
  void go_to(int line);                    // of the candidate's text
  void open_search();
  enum Listing { cuda, ptx_listing, sass_listing };   // the tabs, in order
  void show_listing(Listing listing);
  void show_machine_code(std::int64_t candidate, const QString& sass, const QString& why_not);
  CodeEditor* source() const { return source_; }
  CodeEditor* ptx() const { return ptx_; }
  CodeEditor* sass() const { return sass_; }

 signals:
  void machine_code_wanted(std::int64_t candidate);

 private:
  void fill(int tab);
  void fill_ptx();
  void fill_sass();
  void fill_counters();
  void show_counter();
  CodeEditor* current() const;
  std::shared_ptr<const CandidateView> candidate_;
  QStackedLayout* pages_;
  ElideLabel* title_;
  QLabel *provenance_, *no_ptx_, *no_sass_;
  QComboBox* counter_;
  QTabWidget* tabs_;
  CodeEditor *source_, *ptx_, *sass_;
  QStackedLayout *ptx_pages_, *sass_pages_;
  SearchBar* search_;
  bool ptx_filled_ = false, sass_filled_ = false;
};

}  // namespace ww::widgets
