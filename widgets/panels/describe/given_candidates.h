// SPDX-License-Identifier: GPL-3.0-or-later
// The user's candidates, which a run of their op judges first: a row of chips; clicking one removes it. Those of
// another op than the one to run stay, say so, and are left out.
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
  void add_pasted(const QString& text);                // under an unused name
  bool contains(const QString& text) const;            // among those that a run judges
  void set_op(const QString& name);                    // to run; empty: not known
  std::vector<generator::Proposal> proposals() const;  // of that op
  // Shows the candidates of another row, and of them those that a run judges; removing one removes it there.
  void follow(GivenCandidates* row);

 signals:
  void changed();

 private:
  struct Given {
    QString path;
    generator::Proposal proposal;
    std::string op;  // empty: it names none, which its judgement says
  };
  bool judged(const Given& given) const;
  void remove(const QString& path);
  void show_chips();
  std::vector<Given> given_;
  QString op_;
  GivenCandidates* followed_ = nullptr;
};

}  // namespace ww::widgets
