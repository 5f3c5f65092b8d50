// SPDX-License-Identifier: GPL-3.0-or-later
// From the user's description to a run: sentence, its interpretation, the spec, the run's options, Run.
#pragma once
#include <QWidget>
#include <memory>
#include "panels/describe/run_form.h"
#include "session/reader.h"
#include "session/text_kind.h"

class QPushButton;
class QTimer;
class QVBoxLayout;

namespace ww::importer {
struct Imported;
}

namespace ww::widgets {

class GivenCandidates;
class Label;
class ModuleImporter;
class PlanForm;
class ReadingView;
class SentenceEdit;
class SpecOffer;
class SpecView;
class TextColours;

class DescribePanel : public QWidget {
  Q_OBJECT
 public:
  explicit DescribePanel(Services services, QWidget* parent = nullptr);
  void load();                             // ops, generators, devices: in the background
  void set_sentence(const QString& text);  // as if typed
  // .op: its spec; .cu, .ptx: the user's candidate; .py: into the box; .wwb: bundle_given()
  void open_file(const QString& path);
  void begin_sentence(const QString& text);  // typed elsewhere as a new task: its spec replaces an edited one
  void choose();                             // Return was pressed: confirms the sentence's spec, now or once it is read
  // Of an earlier session or run; the spec is kept unchanged. read: the sentence had been read before the spec was
  // kept; else the spec may be of an earlier one, and is not run in its place.
  void restore(const QString& sentence, const QString& spec, bool read = true);
  // The spec is the sentence's, or the one that the person chose for it.
  bool sentence_read() const { return !reading_pending_ && stale_ == Stale::no; }
  QString sentence() const;
  QString spec_text() const;
  bool spec_ready() const { return spec_ready_; }  // the current text is a checked spec
  // The spec matches the sentence, or the user has edited it; a run can start.
  bool can_explore() const {
    return ready_ && !running_ && !reading_pending_ && stale_ == Stale::no && spec_ready_ && !kernel_left_out() &&
           form_->why_not().isEmpty();
  }
  bool pending() const { return reading_pending_ || spec_pending_; }  // the typed text has not been read yet
  bool nothing_to_run() const { return !pending() && (stale_ != Stale::no || !spec_ready_ || kernel_left_out()); }
  generator::RunOptions options() const;
  GivenCandidates* given() const { return given_; }
  QString summary() const;  // what would run, in one line; empty: nothing, or not read yet
  // A kernel without a launch plan: asks for it and for the op. A PyTorch module: asks to import it. false: neither.
  bool ask_what_is_missing();
  bool needs_plan() const;  // the text is a kernel without a launch plan
  void write_plan();
  QString unclear() const;  // why the text cannot run, one sentence; empty: it can, or not read yet
  RunForm* form() const { return form_; }
  void take_form_back();  // from where it was shown meanwhile
  SpecView* spec_view() const { return spec_; }
  ReadingView* reading() const { return reading_; }
  SentenceEdit* sentence_edit() const { return sentence_; }
  void show_state(bool ready, bool running, bool can_resume, const QString& why_not);
  void focus_sentence();
  void look_for_models();                  // services, models or keys may have changed
  void show_asking(const QString& model);  // a model is interpreting the sentence
  void show_formulated(const std::shared_ptr<const Formulated>& made,
                       const QString& error);  // null: not; empty error: stopped

 signals:
  void explore_requested();
  void cancel_requested();
  void resume_requested();
  void readiness_changed();
  void choices_loaded();  // generators and devices are known
  void file_taken();
  void text_changed();                           // something to save
  void formulation_wanted(const QString& text);  // of the sentence, by a model
  void stop_formulation_wanted();
  void exchange_wanted(std::int64_t exchange);
  void settings_wanted();
  void moment_given(const QString& path);
  void bundle_given(const QString& path);  // a workspace bundle to import
  void problem(const QString& text);

 private:
  // Whether the spec belongs to an earlier text, since this one is not understood, or was edited and differs from this
  // one. Then nothing runs until the user has chosen.
  enum class Stale { no, not_understood, edited };
  void make_reading(QVBoxLayout* column, QWidget* body);
  void make_buttons(QVBoxLayout* column);
  void connect_inputs();
  void connect_reading();
  void connect_reader();
  void add_pasted();
  void take_planned(const PlanForm& form);
  bool describes_spec() const;
  bool op_chosen() const;       // the user named the op of the code in the box, whose module was not imported
  QString file_in_box() const;  // that the text was opened from; empty: none, or it was edited since
  QStringList modules_to_choose() const;
  QString import_command() const;
  Result<std::string> program() const;  // the file's content, else the text in the box
  void ask_to_import(const QString& name);
  void begin_import(const QString& what);
  void on_prepared(bool ready, const QString& why_not);
  void ask_to_run(const QString& name);
  void run_import(const QString& name);
  void on_imported(const std::shared_ptr<const importer::Imported>& module, const QString& why_not);
  void begin_asking(const QString& sentence);
  bool left_sentence() const;
  bool kernel_left_out() const;
  void sentence_changed();
  void read_code(TextKind kind, const QString& text);
  void fit_sentence(TextKind kind);
  void on_sentence_read(const std::shared_ptr<const SentenceReading>& reading);
  void on_spec_edited();
  void on_spec_read(const std::shared_ptr<const SpecReading>& reading);
  void take_spec(QString text);
  void judge_against_spec(const std::string& candidate);
  void offer_earlier_spec();
  void update_buttons();
  QString own_first() const;
  void refuse(const QString& why);

  Services services_;
  Reader reader_;
  SentenceEdit* sentence_;
  TextColours* colours_;
  ReadingView* reading_;
  SpecOffer* offer_;
  SpecView* spec_;
  GivenCandidates* given_;
  RunForm* form_;
  QVBoxLayout* form_room_;
  QPushButton *explore_, *cancel_, *resume_;
  Label* hint_;
  LatestJob plan_op_;
  QTimer *sentence_timer_, *spec_timer_;
  std::vector<OpSummary> ops_;
  bool ops_known_ = false, plan_waits_ = false;
  QString seen_;                               // the box's last text
  QString opened_, opened_text_;               // the file that was opened last into the box, and what it brought
  QString last_made_, last_sentence_, asked_;  // last_made_: the spec text from a sentence or op
  bool spec_ready_ = false, ready_ = false, running_ = false, can_resume_ = false;
  QString refused_;                               // why a text was refused; until the text changes
  QString why_not_, question_;                    // question_: about the sentence
  std::shared_ptr<const Formulated> formulated_;  // for the sentence asked_, while it is current
  ModuleImporter* importer_ = nullptr;            // made by the first import
  bool asking_ = false, importing_ = false, taken_ = false;
  bool reading_pending_ = false, spec_pending_ = false;
  QString wanted_module_;       // while a Python is looked for
  QString op_chosen_for_;       // the text in the box when the user chose an op by its name
  QString read_spec_;           // the spec of the sentence, once it is read
  bool typed_ = false;          // the sentence is being typed: its interpretation may be that of half a word
  bool spec_chosen_ = false;    // the user opened the spec, edited it, or confirmed its sentence with Return
  bool sentence_wins_ = false;  // over a spec that the user edited for an earlier task
  Stale stale_ = Stale::no;
  std::optional<op::Spec> checked_;
};

}  // namespace ww::widgets
