// SPDX-License-Identifier: GPL-3.0-or-later
// The selected candidate's CUDA, PTX and machine code (SASS), side by side. Corresponding lines are marked in all of
// them; counts and hints are shown beside the lines. PTX and SASS are only made when shown. A copy of the candidate can
// be edited and checked. Candidates are open in tabs; another one's text can be shown beside.
#pragma once
#include <QWidget>
#include <memory>
#include "panels/code/draft_bar.h"
#include "panels/code/access_hints.h"
#include "candidate/options.h"
#include "compile/log.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/searchable.h"
#include "session/context.h"
#include "session/profile_view.h"
#include "session/session.h"

class QComboBox;
class QBoxLayout;
class QSplitter;
class QStackedLayout;
class QStackedWidget;
class QToolButton;

namespace ww::widgets {

class BesideView;
class BuildView;
class Label;
class CodeListings;
class CodeTabs;
class Edits;
class ElideLabel;
struct Listing;
class LiveCompiler;
class ListingView;
class OpenTabs;
class SearchBar;
class VerdictLine;

class CodePanel : public QWidget, public SearchHost {
  Q_OBJECT
 public:
  explicit CodePanel(const Context& context, QWidget* parent = nullptr);
  ~CodePanel() override;
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);  // null: none
  void go_to(int line);                                                        // of the candidate's text
  void open_search() override;                                                 // in the pane that last had the focus
  enum Listing { cuda, ptx_listing, sass_listing };                            // the panes, from the left
  void show_listing(Listing listing);  // and hides the others if they do not fit side by side
  void set_pane(Listing listing, bool shown);
  bool pane(Listing listing) const;
  CodeEditor* source() const { return source_; }
  CodeEditor* draft() const { return draft_; }
  ListingView* ptx() const { return ptx_; }
  ListingView* sass() const { return sass_; }
  Edits* edits() const { return edits_; }
  LiveCompiler* live() const { return compiler_; }
  OpenTabs* tabs() const { return tabs_; }
  BesideView* beside() const { return beside_; }
  bool editing() const { return editing_; }
  void edit();   // a copy of the candidate
  void check();  // the draft

 signals:
  void verdict_wanted();
  void candidate_wanted(std::int64_t run, std::int64_t candidate);  // of a run that is not shown

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  enum class Origin { elsewhere, cuda, ptx, sass };
  struct Place {  // a correlated place: a line, and the row if known more exactly
    int line = 0;
    Origin origin = Origin::elsewhere;
    int row = -1;
  };
  bool has_focus() const;  // it, or a part of it
  QWidget* make_bar(QWidget* page);
  QWidget* make_panes(QWidget* page);
  ListingView* make_listing(Listing at, const char* id, const QString& name, QStackedLayout** pages, Label** message);
  void add_actions();
  void connect_lines();
  void fill();  // the visible panes
  void show_ptx(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing);
  void show_sass(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing,
                 const QString& why_not);
  void mark(const Place& place);
  void hover(const Place& place);  // line 0: back to the chosen place
  void choose(const Place& place);
  Place place_of_row(Origin origin, int row) const;
  Searchable* current() const;
  // code_documents.cpp
  QWidget* make_documents();
  void add_document_actions();
  void follow_tabs();
  void show_beside(std::int64_t candidate);  // 0: closes it
  void leave_place();                        // remembers where the candidate that is shown is left
  bool return_to_place();                    // false: it was never left
  // code_heat.cpp
  void show_profiles(const Profiles& profiles);
  void fill_counters();
  void show_counter();
  QString hint_of_line(int line) const;
  QString tip_of_line(int line) const;
  // code_edit.cpp
  void make_editing(QWidget* page);
  void begin_edit(const QString& text);
  void continue_edit(const CodeEditor::TextPlace& at);
  void show_draft(const QString& text);
  void leave_edit();
  void show_drafts();                            // lists the drafts
  void open_left_draft(std::int64_t candidate);  // whose candidate is gone
  void update_draft();
  void on_checked(std::int64_t parent, std::int64_t candidate, bool known);
  void on_refused(std::int64_t parent, const QString& why, const QString& detail);
  // code_live.cpp
  void make_live(QBoxLayout* column);
  void build_draft();
  void show_build();
  void choose_options(const candidate::CompilerOptions& options);
  void write_plan();           // for a kernel that has none
  std::int64_t shown() const;  // the candidate; 0: none
  QString name() const;

  Context context_;
  std::shared_ptr<const CandidateView> candidate_;
  CodeListings* listings_;
  Edits* edits_;
  OpenTabs* tabs_;
  CodeTabs* tab_bar_;
  QWidget* documents_;  // the row of tabs
  LiveCompiler* compiler_;
  BuildView* build_;
  VerdictLine* verdict_;
  QStackedLayout* pages_;
  ElideLabel* provenance_;
  QComboBox* counter_;
  QToolButton *show_[3], *hints_, *edit_, *drafts_;
  QSplitter* panes_;
  QStackedWidget* texts_;  // the stored text, the draft
  BesideView* beside_;
  CodeEditor *source_, *draft_;
  ListingView *ptx_, *sass_;
  QStackedLayout *ptx_pages_, *sass_pages_;
  Label *no_ptx_, *no_sass_;
  SearchBar* search_;
  DraftBar* draft_bar_;
  Listing current_ = cuda;       // the one that last had the focus
  bool beside_current_ = false;  // instead of it
  bool room_for_hints_ = true;   // for words beside the text
  bool ptx_filled_ = false, sass_filled_ = false, marking_ = false;
  Place chosen_, marked_;
  std::vector<measure::LineMetric> metrics_;  // of the candidate, simulated ones first
  std::vector<measure::LineMetric> measured_;
  QHash<int, AccessHint> access_;
  QHash<int, int> live_;                       // live registers, the maximum over a line's instructions
  std::vector<compile::LogMessage> messages_;  // of the verdict, in the stored text
  std::vector<compile::LogMessage> refused_;   // from the last judgement, in the current draft
  bool editing_ = false, filling_draft_ = false;
  std::int64_t edit_when_shown_ = 0;  // a checked draft that the compiler refused
  struct {
    std::int64_t of = 0;  // a candidate
    QString text;         // what was said of its draft
  } said_;
  struct Left {  // where the person was in a candidate
    CodeEditor::TextPlace source, draft;
    bool editing = false;
  };
  QHash<std::int64_t, Left> left_;  // by candidate, of those that are open
  bool has_left_ = false;           // the one that is still shown: another one is being read
};

}  // namespace ww::widgets
