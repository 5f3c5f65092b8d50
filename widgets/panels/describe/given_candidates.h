// SPDX-License-Identifier: GPL-3.0-or-later
// The user's candidates, which a run judges first: a row of chips; clicking one removes it.
#pragma once
#include <QWidget>
#include <string>
#include <vector>
#include "session/runs.h"

namespace ww::widgets {

class GivenCandidates : public QWidget {
  Q_OBJECT
 public:
  explicit GivenCandidates(QWidget* parent = nullptr);
  // False: it replaces the one with the same path.
  bool add(const QString& path, const std::string& text, candidate::Language language);
  void add_pasted(const QString& text);  // under an unused name
  bool contains(const QString& text) const;
  std::vector<generator::Proposal> proposals() const;

 private:
  void show_chips();
  struct Given {
    QString path;
    generator::Proposal proposal;
  };
  std::vector<Given> given_;
};

}  // namespace ww::widgets
