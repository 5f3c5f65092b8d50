// SPDX-License-Identifier: GPL-3.0-or-later
// One exchange: the prompt as sent, message by message, and the reply, with its thinking shown separately.
#pragma once
#include <QWidget>
#include <memory>
#include "panels/conversation/exchange_model.h"
#include "parts/editor/searchable.h"
#include "session/models_service.h"

class QStackedLayout;
class QTabWidget;
class QToolButton;

namespace ww::widgets {

class EmptyPage;
class Label;
class CodeEditor;
class ElideLabel;
class SearchBar;

class ExchangePanel : public QWidget, public SearchHost {
  Q_OBJECT
 public:
  explicit ExchangePanel(QWidget* parent = nullptr);
  void show_none(const QString& sentence);
  EmptyPage* empty() const { return empty_; }
  void show_row(const ExchangeModel::Row& row);  // until the store has answered, and while it streams
  void show_stored(const std::shared_ptr<const ExchangeView>& exchange);
  void grow(const llm::Delta& delta, const ExchangeModel::Row& row);
  std::int64_t shown() const { return shown_; }
  void open_search() override;  // in the page that is shown
  CodeEditor* prompt() const { return prompt_; }
  CodeEditor* reply() const { return reply_; }
  CodeEditor* thinking() const { return thinking_; }
  QString facts() const;

 private:
  struct Part {
    int line;
    int lines;
    bool folded;
  };  // of the prompt: its heading, from 0
  void show_head(const store::ExchangeRecord& record);
  void set_reply(const QString& text, const QString& thinking);
  void fold();
  void copy();
  QStackedLayout* pages_;
  EmptyPage* empty_;
  Label *facts_, *why_;
  ElideLabel *title_, *place_;
  QTabWidget* tabs_;
  CodeEditor *prompt_, *reply_, *thinking_;
  QToolButton* copy_;
  SearchBar* search_;
  std::vector<Part> parts_;
  std::int64_t shown_ = 0;
  bool has_thinking_ = false, stored_ = false;
};

}  // namespace ww::widgets
