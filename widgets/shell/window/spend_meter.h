// SPDX-License-Identifier: GPL-3.0-or-later
// The spend on models of a run, against its limits. A click leads to the conversation.
#pragma once
#include <QToolButton>
#include "llm/events.h"

namespace ww::widgets {

class SpendMeter : public QToolButton {
  Q_OBJECT
 public:
  explicit SpendMeter(QWidget* parent = nullptr);
  void show_spend(const llm::Spend& spend);
  void show_none();
  bool warns() const { return warns_; }  // above 80 % of a limit

 private:
  bool warns_ = false;
};

QString spend_text(const llm::Spend& spend);  // "12.4 k of 200 k tokens, $0.03 of $1.00"
QString spend_details(const llm::Spend& spend);

}  // namespace ww::widgets
