// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/spend_meter.h"
#include "panels/conversation/exchange_model.h"
#include "parts/theme/controls.h"

namespace ww::widgets {

namespace {

constexpr double warning_share = 0.8;

double tokens_of(const llm::Spend& s) { return static_cast<double>(s.usage.prompt + s.usage.completion); }

double share_of(const llm::Spend& s) {
  double share = 0;
  if (s.token_limit > 0) share = tokens_of(s) / static_cast<double>(s.token_limit);
  if (s.money_limit > 0) share = std::max(share, s.money / s.money_limit);
  return share;
}

QString count(std::int64_t n) { return count_text(static_cast<double>(n)); }

}  // namespace

QString spend_text(const llm::Spend& s) {
  const QString tokens = short_count(tokens_of(s));
  QString text = s.token_limit > 0
                     ? SpendMeter::tr("%1 of %2 tokens").arg(tokens, short_count(static_cast<double>(s.token_limit)))
                     : SpendMeter::tr("%1 tokens").arg(tokens);
  text += ", ";
  if (!s.money_known && s.money <= 0) return text + SpendMeter::tr("price unknown");
  text += s.money_limit > 0
              ? SpendMeter::tr("%1 of %2").arg(money_text(s.money), "$" + QString::number(s.money_limit, 'f', 2))
              : money_text(s.money);
  if (!s.money_known) text += SpendMeter::tr(" and more (some prices unknown)");
  return text;
}

QString spend_details(const llm::Spend& s) {
  QStringList lines = {
      SpendMeter::tr("Prompt: %1 tokens").arg(count(s.usage.prompt)) +
          (s.usage.cached > 0 || s.usage.cache_written > 0
               ? SpendMeter::tr(" (%1 read from the service's cache, %2 written to it)")
                     .arg(count(s.usage.cached), count(s.usage.cache_written))
               : QString()),
      SpendMeter::tr("Answers: %1 tokens").arg(count(s.usage.completion)) +
          (s.usage.reasoning > 0 ? SpendMeter::tr(" (%1 of reasoning)").arg(count(s.usage.reasoning)) : QString()),
      counted(s.requests, SpendMeter::tr("request"), SpendMeter::tr("requests")) +
          (s.failed > 0 ? SpendMeter::tr(", %1 failed").arg(s.failed) : QString())};
  if (!s.usage.reported) lines += SpendMeter::tr("Partly estimated: a service did not report token usage.");
  if (!s.money_known) lines += SpendMeter::tr("The price of a model is unknown: it is not in the sum.");
  if (const double share = share_of(s); share >= 1)
    lines += SpendMeter::tr("A limit is reached.");
  else if (share > warning_share)
    lines += SpendMeter::tr("%1 % of a limit is used.").arg(static_cast<int>(share * 100));
  lines += SpendMeter::tr("Click to open the conversation.");
  return lines.join('\n');
}

SpendMeter::SpendMeter(QWidget* parent) : QToolButton(parent) {
  setObjectName("spend_meter");
  setAutoRaise(true);
  setFocusPolicy(Qt::TabFocus);
  show_none();
}

void SpendMeter::show_none() {
  setText({});
  setToolTip({});
  warns_ = false;
  hide();
}

void SpendMeter::show_spend(const llm::Spend& spend) {
  const bool warns = share_of(spend) > warning_share;
  if (warns != warns_ || property("role").isNull()) set_role(this, warns ? "warning" : "meter");
  warns_ = warns;
  setText(spend_text(spend));
  name_it(this, tr("Spent on models: %1").arg(text()), spend_details(spend));
  show();
}

}  // namespace ww::widgets
