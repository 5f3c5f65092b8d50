// SPDX-License-Identifier: GPL-3.0-or-later
// The selected candidate's CUDA and the PTX that it compiled to.
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
  void show_ptx(bool ptx);
  CodeEditor* source() const { return source_; }
  CodeEditor* ptx() const { return ptx_; }

 private:
  void fill_ptx();
  void fill_counters();
  void show_counter();
  CodeEditor* current() const;
  std::shared_ptr<const CandidateView> candidate_;
  QStackedLayout* pages_;
  ElideLabel* title_;
  QLabel *provenance_, *no_ptx_;
  QComboBox* counter_;
  QTabWidget* tabs_;
  CodeEditor *source_, *ptx_;
  QStackedLayout* ptx_pages_;
  SearchBar* search_;
  bool ptx_filled_ = false;
};

}  // namespace ww::widgets
