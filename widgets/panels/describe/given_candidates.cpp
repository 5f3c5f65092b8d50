// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/given_candidates.h"
#include <QFileInfo>
#include <QRegularExpression>
#include <QToolButton>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/theme.h"

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
  for (Given& given : given_) {
    if (given.path == path) {
      given.proposal = proposal;
      return false;
    }
  }
  given_.push_back({path, proposal});
  show_chips();
  return true;
}

void GivenCandidates::add_pasted(const QString& text) {
  static const QRegularExpression ptx("^\\s*\\.(version|target)\\b", QRegularExpression::MultilineOption);
  int number = 1;
  const auto taken = [&](const QString& name) {
    return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.path == name; });
  };
  const bool is_ptx = ptx.match(text).hasMatch();
  const QString suffix = is_ptx ? ".ptx" : ".cu";
  while (taken(tr("pasted %1").arg(number) + suffix)) ++number;
  add(tr("pasted %1").arg(number) + suffix, text.toStdString(),
      is_ptx ? candidate::Language::ptx : candidate::Language::cuda);
}

bool GivenCandidates::contains(const QString& text) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const Given& g) { return g.proposal.text == text.toStdString(); });
}

std::vector<generator::Proposal> GivenCandidates::proposals() const {
  std::vector<generator::Proposal> proposals;
  for (const Given& given : given_) proposals.push_back(given.proposal);
  return proposals;
}

void GivenCandidates::show_chips() {
  clear_layout(layout());
  for (const Given& given : given_) {
    auto* chip = new QToolButton(this);
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setIcon(Theme::instance().icon("close"));
    const QString file = QFileInfo(given.path).fileName();
    chip->setText(chip->fontMetrics().elidedText(file, Qt::ElideRight, 220));
    name_it(chip, tr("Remove the candidate %1").arg(file),
            tr("%1 is judged first. Click to remove it.").arg(given.path));
    connect(chip, &QToolButton::clicked, this, [this, path = given.path] {
      std::erase_if(given_, [&](const Given& g) { return g.path == path; });
      show_chips();
    });
    layout()->addWidget(chip);
    chip->show();
  }
  setVisible(!given_.empty());
}

}  // namespace ww::widgets
