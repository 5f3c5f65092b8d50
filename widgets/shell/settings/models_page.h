// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of language models: services with their keys, allowed hosts, the file with further ones.
#pragma once
#include <QWidget>
#include <memory>
#include "session/models_service.h"
#include "session/latest_job.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTreeWidget;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class KeyRing;
class ElideLabel;

class ModelsPage : public QWidget {
  Q_OBJECT
 public:
  ModelsPage(std::shared_ptr<Models> models, KeyRing* keys, QWidget* parent);
  ~ModelsPage() override;

 signals:
  void keys_changed();  // services, keys or hosts: the available models may have changed

 private:
  void make_service_box(QVBoxLayout* column);
  void make_hosts(QVBoxLayout* column);
  void load();
  void show_services(const ModelList& list, const std::vector<llm::Consent>& consents, const QString& error);
  void show_service();
  void show_answer(const Service& service);
  void check();  // asks for permission where none was given
  void ask_for_list(const std::string& service);
  void set_key();
  void forget_key();
  void forget_host();
  const Service* selected() const;
  std::shared_ptr<Models> models_;
  KeyRing* keys_;
  ModelList list_;
  QTreeWidget *services_, *hosts_;
  ElideLabel* name_;
  Label *about_, *key_state_, *answer_, *no_keychain_, *problem_;
  QLineEdit* key_;
  QCheckBox* session_only_;
  bool session_wanted_ = false;  // also if there is no keychain, so that it is the only choice
  QPushButton *set_, *forget_, *check_, *forget_host_, *edit_;
  QStackedLayout* host_pages_;
  bool asking_ = false;
  std::stop_source cancel_;
  LatestJob loader_, checker_, forgetter_;
};

}  // namespace ww::widgets
