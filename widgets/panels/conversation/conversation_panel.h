// SPDX-License-Identifier: GPL-3.0-or-later
// A run's conversation with its models: the list of exchanges, live, and the selected one.
#pragma once
#include <QWidget>
#include <memory>
#include "panels/conversation/exchange_model.h"
#include "session/models_service.h"

class QComboBox;
class QSplitter;
class QStackedLayout;
class QTableView;
class QTimer;

namespace ww::widgets {

class Label;
class ExchangePanel;

class ConversationPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ConversationPanel(QWidget* parent = nullptr);
  ExchangeModel* model() const { return model_; }
  ExchangePanel* view() const { return view_; }
  QTableView* table() const { return table_; }
  void show_run(std::int64_t run);  // 0: none. Requests its exchanges
  // For the shown run. `news`: outcomes of replies may have been stored.
  void show_events(const std::vector<explore::Event>& batch, bool news = false);
  void show_list(std::int64_t run, const std::vector<store::ExchangeRecord>& exchanges);
  void show_exchange(const std::shared_ptr<const ExchangeView>& exchange);
  void select_candidate(const std::string& hash);     // the exchange that produced it, if any
  void select_outside(std::int64_t exchange);         // one outside runs
  void select(std::int64_t exchange);                 // of the shown run, once it is listed
  std::int64_t selected() const;                      // 0: none
  const llm::Spend& spend() const { return spend_; }  // of the shown run, without limits

 signals:
  void list_wanted(std::int64_t run);  // 0: outside runs
  void exchange_wanted(std::int64_t exchange);
  void candidate_chosen(const QString& hash);  // by the user, through its exchange
  void spend_changed();                        // spend()
  void describe_wanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void selection_changed();
  void ask();
  void update_page();
  bool outside() const;
  bool at_newest() const;  // the newest request is shown, or there is none yet
  std::int64_t wanted_run() const { return outside() ? 0 : run_; }
  ExchangeModel* model_;
  QComboBox* which_;
  Label *counts_, *empty_;
  QSplitter* split_;
  QTableView* table_;
  ExchangePanel* view_;
  QStackedLayout* pages_;
  QTimer* again_;  // outcomes of replies are stored shortly after they end
  std::int64_t run_ = 0, reported_ = 0, wanted_ = 0;
  std::string wanted_candidate_;
  llm::Spend spend_;
  bool by_hand_ = true;  // the user changes the selection
};

}  // namespace ww::widgets
