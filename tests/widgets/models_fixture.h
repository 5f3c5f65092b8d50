// SPDX-License-Identifier: GPL-3.0-or-later
// The window with scripted models and a store of keys in memory.
#pragma once
#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>
#include <QTimer>
#include <map>
#include "panels/describe/describe_panel.h"
#include "panels/describe/model_combo.h"
#include "panels/describe/model_form.h"
#include "panels/describe/run_form.h"
#include "session/key_ring.h"
#include "shell/consent/consent.h"
#include "widgets/window_fixture.h"

namespace ww::test {

class FakeKeyStore : public widgets::KeyStore {
 public:
  std::map<QString, std::string> kept;
  QString problem;
  int reads = 0;
  void read(const QString& service, Read done) override {
    ++reads;
    later([this, service, done] {
      if (!problem.isEmpty()) return done(std::nullopt, problem);
      const auto it = kept.find(service);
      if (it == kept.end()) return done(std::nullopt, {});
      done(Secret(it->second), {});
    });
  }
  void write(const QString& service, const Secret& key, Done done) override {
    later([this, service, key, done] {
      if (problem.isEmpty()) kept[service] = std::string(key.reveal());
      done(problem);
    });
  }
  void remove(const QString& service, Done done) override {
    later([this, service, done] {
      kept.erase(service);
      done(problem);
    });
  }

 private:
  void later(std::function<void()> work) { QTimer::singleShot(0, &owner_, std::move(work)); }
  QObject owner_;
};

class ModelsFixture : protected WindowFixture {
 protected:
  std::shared_ptr<FakeKeyStore> keys_;

  std::unique_ptr<widgets::MainWindow> open(widgets::WindowOptions options = {}) {
    options.keys = keys_;
    return WindowFixture::open(options);
  }
  static void press(QWidget* w, const char* button) { child<QPushButton>(w, button)->click(); }
  // A window ready to explore with a model.
  std::unique_ptr<widgets::MainWindow> ready(const QString& model = "remote:writer-1") {
    auto w = open({.input = "softmax"});
    [&] {
      QTRY_VERIFY(w->session()->ready() && w->describe()->spec_ready());
      auto* generator = child<QComboBox>(w.get(), "generator");
      QTRY_VERIFY(generator->findData("model") >= 0);
      generator->setCurrentIndex(generator->findData("model"));
      QTRY_VERIFY(child<QCheckBox>(w.get(), "strategy_refine"));
      w->describe()->form()->models()->findChild<widgets::ModelCombo*>()->set_id(model);
      child<QSpinBox>(w.get(), "budget")->setValue(4);
      QTRY_VERIFY(w->describe()->can_explore());
    }();
    return w;
  }
  // A window whose run waits for the reply to its second request.
  std::unique_ptr<widgets::MainWindow> waiting_for_a_reply(int tokens) {
    if (!engine_->allow("api.remote.example", {})) qFatal("not allowed");
    auto w = ready();
    child<QSpinBox>(w.get(), "budget_tokens")->setValue(tokens);
    engine_->hold_reply(1);
    press(w.get(), "explore");
    return w;
  }
  static widgets::ConsentDialog* question(widgets::MainWindow* w) {
    for (QWidget* top : w->findChildren<QWidget*>("consent_dialog"))
      if (top->isVisible()) return qobject_cast<widgets::ConsentDialog*>(top);
    return nullptr;
  }
};

}  // namespace ww::test
