// SPDX-License-Identifier: GPL-3.0-or-later
// Interprets the user's text off the GUI thread: sentence to spec, spec text to errors, a worked example. The latest
// text wins.
#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <vector>
#include "session/equation_figure.h"
#include "session/services.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct SentenceReading {
  QString sentence;
  op::Understanding understanding;
  QString spec_text;  // canonical; empty if not understood
  QString said;       // the spec in one sentence, and as a formula
  QString formula;
  QString error;  // the op library could not be loaded, or the like
};
struct SpecReading {
  QString text;
  op::ParseOutcome outcome;
  std::vector<EquationFigure> figures;  // of the spec, if any
};

class Reader : public QObject {
  Q_OBJECT
 public:
  explicit Reader(Services services, QObject* parent = nullptr) : QObject(parent), services_(std::move(services)) {}
  void load_ops();
  void load_choices();
  void load_models(bool ask);  // ask: queries servers on this machine for their models
  void read_sentence(const QString& sentence);
  void read_spec(const QString& text);
  void fetch_op(const QString& name);
  void change_dtype(const op::Spec& spec, DType real);

 signals:
  void ops_loaded(const std::vector<ww::widgets::OpSummary>& ops, const QString& error);
  void choices_loaded(const std::vector<ww::widgets::Choice>& generators,
                      const std::vector<ww::widgets::Choice>& devices);
  void models_loaded(const ww::widgets::ModelList& list, const std::vector<ww::widgets::Choice>& strategies);
  void sentence_read(const std::shared_ptr<const ww::widgets::SentenceReading>& reading);
  void spec_read(const std::shared_ptr<const ww::widgets::SpecReading>& reading);
  void example_made(const QString& example, const QString& error);
  void spec_text_made(const QString& text, const QString& error);  // by fetch_op and change_dtype

 private:
  Services services_;
  LatestJob ops_, choices_, models_, sentence_, spec_, example_, maker_;
};

}  // namespace ww::widgets
