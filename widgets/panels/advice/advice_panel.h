// SPDX-License-Identifier: GPL-3.0-or-later
// The advice on the current candidate, largest bound first, with what is new or gone compared with the baseline. Each
// piece can be turned into a change request for a model.
#pragma once
#include <QHash>
#include <QSet>
#include "panels/advice/advice_diff.h"
#include "panels/profile/profile_panel.h"
#include "session/latest_job.h"

class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class AdviceCard;
class BaselineProfile;
class Reviewer;

class AdvicePanel : public ProfilePanel {
  Q_OBJECT
 public:
  explicit AdvicePanel(const Context& context);
  QList<AdviceCard*> cards() const { return cards_; }
  // Turns the advice into a change request for the current candidate. Nothing is run.
  void ask_for(const profile::Advice& advice);

 signals:
  void lesson_wanted(const QString& name);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_no_data() const override;
  void update_chart() override;
  void draw_chart(QCPPainter* painter, const QSize& size) override;
  QSize export_size() const override;
  void showEvent(QShowEvent* event) override;

 private:
  const ProfileView* baseline() const;  // null: none
  QString standing_of(const profile::Advice& advice) const;
  void add_card(const profile::Advice& advice, int number);
  void add_sections();  // gone, and the compared candidates
  void add_paragraph(const QString& text, bool bold);
  void load_page(AdviceCard* card, const QString& id);
  void say_asked();
  Reviewer* reviewer_;
  QScrollArea* area_;
  QWidget* column_;
  QVBoxLayout* list_;
  QWidget* handed_;  // outcome of the last request
  Label* handed_text_;
  QPushButton* ask_now_;
  QList<AdviceCard*> cards_;
  BaselineProfile* baseline_;
  std::int64_t handed_of_ = 0;
  bool asking_ = false;                 // the request is being written
  QHash<qint64, QSet<QString>> asked_;  // by candidate: ids of rules
  QHash<QString, QString> pages_;
  LatestJob page_job_;
};

}  // namespace ww::widgets
