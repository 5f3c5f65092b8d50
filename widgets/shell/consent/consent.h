// SPDX-License-Identifier: GPL-3.0-or-later
// The consent dialog: nothing is sent to another host before the user has seen what would be sent and allowed it.
#pragma once
#include <QDialog>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>
#include "session/models_service.h"
#include "session/latest_job.h"

class QCheckBox;
class QVBoxLayout;

namespace ww::widgets {

class ConsentDialog : public QDialog {
  Q_OBJECT
 public:
  ConsentDialog(std::shared_ptr<Models> models, const ModelHost& host, QWidget* parent);
  llm::Limits limits() const;
  QStringList lines() const { return shown_; }  // what would be sent, as shown

 private:
  void show_lines();
  std::shared_ptr<Models> models_;
  QCheckBox *sources_, *paths_, *device_;
  QVBoxLayout* lines_;
  QStringList shown_;
};

// Asks for the hosts of some models one after another, and stores each answer.
class ConsentFlow : public QObject {
  Q_OBJECT
 public:
  struct Answer {
    bool allowed = false;
    llm::Limits limits;  // what all of the hosts may receive; everything if nothing leaves the machine
    QString why;         // why it was not allowed
  };
  ConsentFlow(std::shared_ptr<Models> models, QWidget* parent);
  // `done` is called once, later. An open question is withdrawn.
  void ask(const std::vector<std::string>& models, std::function<void(const Answer&)> done);
  bool busy() const { return done_ != nullptr; }

 private:
  void next();
  void finish(Answer answer);
  std::shared_ptr<Models> models_;
  QWidget* window_;
  LatestJob job_;
  std::vector<ModelHost> open_;  // not answered yet
  Answer answer_;
  std::function<void(const Answer&)> done_;
  QPointer<QDialog> dialog_;
};

}  // namespace ww::widgets
