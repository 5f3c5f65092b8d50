// SPDX-License-Identifier: GPL-3.0-or-later
// A describe panel with the real phrasebook, checker and library, and a stand-in for PyTorch.
#pragma once
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <utility>
#include "panels/describe/describe_panel.h"
#include "panels/describe/reading_view.h"
#include "parts/theme/theme.h"
#include "session/services.h"

namespace ww::test {

struct DescribeFixture {
  widgets::Services services_;
  QTemporaryDir config_;
  std::unique_ptr<widgets::DescribePanel> panel_;

  void set_up_services() {
    qputenv("WARPWRIGHT_PYTHON", STANDIN_PYTHON);
    qputenv("WARPWRIGHT_CONFIG", config_.path().toUtf8());
    QVERIFY(widgets::Theme::instance().apply("light"));
    services_ = widgets::Services();
  }
  void set_up_panel() {
    panel_ = std::make_unique<widgets::DescribePanel>(services_);
    panel_->resize(400, 800);
    panel_->show();
    panel_->load();
    QTRY_VERIFY(lines().size() >= 4);
  }

  QPlainTextEdit* box() { return panel_->findChild<QPlainTextEdit*>("sentence"); }
  QStringList lines() { return panel_->reading()->lines(); }
  QPushButton* button(const char* name) {
    QPushButton* last = nullptr;
    for (auto* b : panel_->reading()->findChildren<QPushButton*>(name))
      if (b->isVisibleTo(panel_.get())) last = b;
    return last;
  }
};

}  // namespace ww::test
