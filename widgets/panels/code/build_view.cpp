// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/build_view.h"
#include <QCheckBox>
#include <QComboBox>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "profile/occupancy.h"

namespace ww::widgets {

namespace {

constexpr int register_limits[] = {32, 40, 48, 64, 80, 96, 128, 168, 255};
constexpr int most_rows_shown = 4, place_role = Qt::UserRole;

QString change(const QString& before, const QString& after) {
  return before.isEmpty() || before == after ? after : QString("%1 \u2192 %2").arg(before, after);
}

int count_of(const DraftBuild& build, compile::Severity severity) {
  return static_cast<int>(std::count_if(build.messages.begin(), build.messages.end(),
                                        [&](const compile::LogMessage& m) { return m.severity == severity; }));
}

}  // namespace

QStringList resource_changes(const DraftBuild& build) {
  QStringList out;
  for (const compile::KernelResources& now : build.resources) {
    const auto at = std::find_if(build.parents.begin(), build.parents.end(),
                                 [&](const compile::KernelResources& k) { return k.kernel == now.kernel; });
    const compile::KernelResources* was = at == build.parents.end() ? nullptr : &*at;
    const auto bytes = [&](std::int64_t compile::KernelResources::*what) {
      return change(was ? bytes_text(was->*what) : QString(), bytes_text(now.*what));
    };
    QStringList parts = {
        BuildView::tr("%1 registers")
            .arg(change(was ? QString::number(was->registers) : QString(), QString::number(now.registers)))};
    parts << BuildView::tr("%1 static shared").arg(bytes(&compile::KernelResources::static_shared));
    if (now.spill_stores > 0 || (was && was->spill_stores > 0))
      parts << BuildView::tr("%1 spilled").arg(bytes(&compile::KernelResources::spill_stores));
    const QString all = parts.join(QString(" \u00b7 "));
    out << (build.resources.size() > 1 ? QString("%1: %2").arg(qs(now.kernel), all) : all);
  }
  return out;
}

BuildView::BuildView(QWidget* parent) : QWidget(parent) {
  auto* column = make_column(this, {grid::step, 0, grid::step, grid::half}, grid::half);
  auto* row = new FlowLayout(nullptr, grid::step, FlowLayout::Before::shrinking);
  column->addLayout(row);
  target_ = make_shrinking_combo(
      this, "build_target", tr("Target architecture"),
      tr("Architecture that the draft is compiled for while you edit. The gate judges it on the run's device"), 6);
  registers_ = make_shrinking_combo(this, "build_registers", tr("Register limit"),
                                    tr("Writes \u201c//@ option maxrregcount=N\u201d into the text"), 8);
  fast_math_ = with_id(new QCheckBox(tr("Fast math"), this), "build_fast_math");
  name_it(fast_math_, tr("Fast math"), tr("Writes \u201c//@ option fast-math\u201d into the text"));
  plan_ = make_button(this, "build_plan", tr("Write launch plan\u2026"),
                      tr("The kernel has no launch plan: asks for grid, block and arguments"));
  plan_->hide();
  for (QWidget* w : std::initializer_list<QWidget*>{target_, registers_, fast_math_, plan_}) row->addWidget(w);
  result_ = make_paragraph(this, "build_result");
  column->addWidget(result_);
  messages_ = with_id(new QListWidget(this), "build_messages");
  name_it(messages_, tr("Compile log"));
  messages_->setTextElideMode(Qt::ElideRight);
  messages_->hide();
  column->addWidget(messages_);
  connect(plan_, &QPushButton::clicked, this, &BuildView::plan_wanted);
  connect(target_, &QComboBox::activated, this, &BuildView::target_chosen);
  connect(registers_, &QComboBox::activated, this, &BuildView::choose_options);
  connect(fast_math_, &QCheckBox::clicked, this, &BuildView::choose_options);
  const auto follow = [this](const QListWidgetItem* item) {
    const QPoint place = item->data(place_role).toPoint();
    if (place.x() > 0) emit go_to(place.x(), place.y());
  };
  connect(messages_, &QListWidget::itemActivated, this, follow);
  connect(messages_, &QListWidget::itemClicked, this, follow);
}

void BuildView::set_target(const std::string& architecture) {
  const QString own = qs(architecture);
  if (target_->count() > 0 && target_->property("own") == own) return;
  target_->setProperty("own", own);
  target_->clear();
  for (const std::string& name : profile::known_architectures()) target_->addItem(qs(name), qs(name));
  int at = target_->findData(own);
  if (at < 0) target_->insertItem(at = 0, own, own);
  target_->setItemText(at, tr("%1 (this run)").arg(own));
  target_->setCurrentIndex(at);
}

std::string BuildView::target() const { return target_->currentData().toString().toStdString(); }

void BuildView::show_options(const candidate::CompilerOptions& options, candidate::Language language) {
  registers_->clear();
  registers_->addItem(tr("No register limit"), 0);
  for (const int limit : register_limits) registers_->addItem(tr("%1 registers at most").arg(limit), limit);
  int at = registers_->findData(options.max_registers);
  if (at < 0) {
    registers_->addItem(tr("%1 registers at most").arg(options.max_registers), options.max_registers);
    at = registers_->count() - 1;
  }
  registers_->setCurrentIndex(at);
  fast_math_->setChecked(options.fast_math);
  fast_math_->setEnabled(language == candidate::Language::cuda);  // PTX has chosen its arithmetic
}

void BuildView::offer_plan(bool offer) { plan_->setVisible(offer); }

void BuildView::choose_options() { emit options_chosen({fast_math_->isChecked(), registers_->currentData().toInt()}); }

void BuildView::show_build(const LiveCompiler& compiler, const QString& busy) {
  using State = LiveCompiler::State;
  const State state = compiler.state();
  set_role(result_, state == State::refused || state == State::failed ? "error" : state == State::built ? "" : "muted");
  const bool again = state == State::waiting || state == State::compiling;
  result_->setText(again && !compiler.build().architecture.empty() ? tr("%1 (compiling\u2026)").arg(last_)
                                                                   : sentence(compiler, busy));
  if (!again) last_ = result_->text();
  if (state == State::built || state == State::refused || state == State::failed || state == State::off)
    list(compiler.build());
}

QString BuildView::sentence(const LiveCompiler& compiler, const QString& busy) const {
  using State = LiveCompiler::State;
  const DraftBuild& build = compiler.build();
  const State state = compiler.state();
  const int errors = count_of(build, compile::Severity::error), warnings = count_of(build, compile::Severity::warning);
  if (state == State::off) return {};
  if (state == State::paused)
    return compiler.pause() == LiveCompiler::Pause::run         ? tr("Paused while a run is in progress.")
           : compiler.pause() == LiveCompiler::Pause::judgement ? tr("Paused while an edit is judged.")
                                                                : tr("Paused. %1").arg(busy);
  if (state == State::waiting || state == State::compiling) return tr("Compiling\u2026");
  if (state == State::failed) return tr("Not compiled; your text is kept. %1").arg(qs(build.error->message));
  QStringList parts;
  if (state == State::refused)
    parts << (errors > 0 ? counted(errors, tr("error"), tr("errors")) : qs(build.error->message));
  parts += resource_changes(build);
  if (warnings > 0) parts << counted(warnings, tr("warning"), tr("warnings"));
  if (state == State::built && build.error) parts << tr("The plan does not fit: %1").arg(qs(build.error->message));
  if (state == State::built) parts << tr("%1, modelled").arg(qs(build.architecture));
  return parts.join(QString(" \u00b7 "));
}

void BuildView::list(const DraftBuild& build) {
  messages_->clear();
  const Theme& theme = Theme::instance();
  for (const compile::LogMessage& m : build.messages) {
    const bool error = m.severity == compile::Severity::error;
    auto* item = new QListWidgetItem(theme.icon(error ? "error" : "warning", error ? "rejected" : "warning"),
                                     tr("%1:%2  %3: %4")
                                         .arg(m.where.place.line)
                                         .arg(m.where.place.column)
                                         .arg(enum_text(m.severity), qs(m.where.message)),
                                     messages_);
    item->setData(place_role, QPoint(m.where.place.line, m.where.place.column));
    item->setToolTip(qs(m.where.message));
  }
  messages_->setVisible(messages_->count() > 0);
  messages_->setToolTip(qs(build.log));
  const int rows = std::min(messages_->count(), most_rows_shown);
  messages_->setFixedHeight(rows * std::max(messages_->sizeHintForRow(0), 1) + 2 * messages_->frameWidth() + 2);
}

}  // namespace ww::widgets
