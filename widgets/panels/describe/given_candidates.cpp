// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/given_candidates.h"
#include <QFileInfo>
#include <QToolButton>
#include <algorithm>
#include "candidate/candidate.h"
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/label.h"

namespace ww::widgets {

GivenCandidates::GivenCandidates(QWidget* parent) : QWidget(parent) {
  new FlowLayout(this, grid::half);
  hide();
}

bool GivenCandidates::add(const QString& path, const std::string& text, candidate::Language language) {
  generator::Proposal proposal;
  proposal.text = text;
  proposal.language = language;
  proposal.note = QFileInfo(path).fileName().toStdString();
  const std::string op = candidate::named_op(text);
  for (Given& given : given_) {
    if (given.path == path) {
      given.proposal = proposal;
      given.op = op;
      show_chips();
      return false;
    }
  }
  given_.push_back({path, proposal, op});
  show_chips();
  return true;
}

void GivenCandidates::add_pasted(const QString& text) {
  int number = 1;
  const auto taken = [&](const QString& name) {
    return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.path == name; });
  };
  const candidate::Language language = candidate::language_of(text.toStdString());
  const QString suffix = language == candidate::Language::ptx ? ".ptx" : ".cu";
  while (taken(tr("pasted %1").arg(number) + suffix)) ++number;
  add(tr("pasted %1").arg(number) + suffix, text.toStdString(), language);
}

bool GivenCandidates::contains(const QString& text) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const Given& g) { return judged(g) && g.proposal.text == text.toStdString(); });
}

std::vector<generator::Proposal> GivenCandidates::proposals() const {
  std::vector<generator::Proposal> proposals;
  for (const Given& given : given_)
    if (judged(given)) proposals.push_back(given.proposal);
  return proposals;
}

bool GivenCandidates::judged(const Given& given) const {
  return given.op.empty() || op_.isEmpty() || qs(given.op) == op_;
}

void GivenCandidates::set_op(const QString& name) {
  if (name == op_) return;
  op_ = name;
  show_chips();
}

void GivenCandidates::remove(const QString& path) {
  if (followed_) return followed_->remove(path);
  std::erase_if(given_, [&](const Given& g) { return g.path == path; });
  show_chips();
}

void GivenCandidates::follow(GivenCandidates* row) {
  followed_ = row;
  const auto take = [this] {
    given_ = followed_->given_;
    op_ = followed_->op_;
    std::erase_if(given_, [this](const Given& given) { return !judged(given); });
    show_chips();
  };
  connect(row, &GivenCandidates::changed, this, take);
  take();
}

void GivenCandidates::show_chips() {
  clear_layout(layout());
  if (!given_.empty()) {
    auto* title = make_label(this, "given_title", "muted");
    title->setText(tr("Your own:"));
    layout()->addWidget(title);
    title->show();
  }
  for (const Given& given : given_) {
    auto* chip = new QToolButton(this);
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setIcon(Theme::instance().icon("close"));
    const QString file = harmless(QFileInfo(given.path).fileName());
    const bool in = judged(given);
    chip->setText(chip->fontMetrics().elidedText(in ? file : tr("%1: not run, it is for %2").arg(file, qs(given.op)),
                                                 Qt::ElideRight, 280));
    if (!in) set_role(chip, "muted");
    name_it(chip, tr("Remove the candidate %1").arg(file),
            (in ? tr("%1 is judged first. Click to remove it.").arg(harmless(given.path))
                : tr("%1 is a candidate for %2, so a run of %3 leaves it out. Click to remove it.")
                      .arg(harmless(given.path), qs(given.op), op_)));
    connect(chip, &QToolButton::clicked, this, [this, path = given.path] { remove(path); });
    layout()->addWidget(chip);
    chip->show();
  }
  setVisible(!given_.empty());
  emit changed();
}

}  // namespace ww::widgets
