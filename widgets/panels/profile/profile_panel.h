// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the profiler's panels: the profiles of the current candidate and of the compared ones as a chart or as a
// table, a text summary that screen readers also read, and export. The comparison bar is the legend. A subclass passes
// its chart widget to set_chart() in its constructor and implements the virtuals below using profiles().
#pragma once
#include <QList>
#include <QStringList>
#include <QWidget>
#include "session/context.h"
#include "session/profile_view.h"

class QCPPainter;
class QComboBox;
class QLayout;
class QStackedLayout;
class QTableWidget;
class QToolButton;

namespace ww::widgets {

class EmptyPage;
class Label;

struct ProfileTable {
  QStringList columns;  // one of them gives the provenance
  QList<QStringList> rows;
  QList<int> numbers;  // right-aligned columns
};

class ProfilePanel : public QWidget {
  Q_OBJECT
 public:
  // empty: a sentence on what to do while no candidate is selected.
  ProfilePanel(const Context& context, const char* id, const QString& title, const QString& empty);
  ~ProfilePanel() override;
  const QString& title() const { return title_; }
  const Profiles& profiles() const { return profiles_; }  // those of the current candidate's op
  const QString& unlike() const { return unlike_; }       // compared ones of another op or size, in sentences; or empty
  void show_profiles(const Profiles& profiles);           // called by the loader
  bool shows_table() const;
  void show_table(bool on);
  QString sentence();  // the summary, or why there is nothing to show
  QString csv();
  // Saves by file extension: .csv the table, .png and .svg the chart with its title, summary and legend. An error is a
  // sentence.
  QString save(const QString& file);
  static QString short_name(const ProfileView& view);  // "#12 tiled"
  // As part of a page that scrolls as a whole: as tall as its content, without scroll bars.
  void embed();
  bool embedded() const { return embedded_; }
  void show_baseline(const std::shared_ptr<const ProfileView>& view);  // that changes are relative to; may be null

 protected:
  virtual ProfileTable table() const = 0;
  virtual void take_profiles() {}       // called before all others: fills choosers
  virtual QString summary() const = 0;  // at most three sentences with the important numbers and their provenance
  virtual void update_chart() = 0;      // after profiles or theme changed; only while the panel is visible
  virtual QString why_no_data() const { return {}; }  // why these profiles have no chart; empty: they do
  virtual void draw_chart(
      QCPPainter* painter,
      const QSize& size);  // for export, at the origin; by default the plot or widget given to set_chart()
  virtual QSize export_size() const;
  virtual int chart_space(int width) const;  // the height that the chart needs on a page

  const Context& context() const { return context_; }
  int series(std::size_t profile) const;        // style of the profile in all charts: series_style.h
  QString lettered(std::size_t profile) const;  // "A  #12 tiled 64x64"; only the name if nothing is compared
  void order_focus();
  void set_chart(QWidget* chart);
  QLayout* tools() const { return tools_; }  // for the panel's own controls, in front of the common ones
  void add_tool(QWidget* control);
  QComboBox* add_choice(const char* id, const QString& name, const QString& tooltip, int characters = 0);
  QWidget* page() const { return page_; }  // parent of chart and controls
  void refresh();                          // after a change of the panel's own state
  // Null for the baseline itself, and if there is none.
  const ProfileView* baseline_of(const ProfileView& view) const;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void keep_alike(const Profiles& all);
  void fit();                 // on a page: to its content
  QString why_empty() const;  // a problem of the current candidate, or no data; empty: there is a chart
  ProfileTable shown_table() const;
  void show_all();
  void fill_table();
  void export_as(const QString& ending);
  void copy_table();
  QString draw_file(const QString& file, bool svg);
  Context context_;
  QString title_, empty_sentence_, unlike_;
  Profiles profiles_;
  std::shared_ptr<const ProfileView> baseline_;
  bool stale_ = true, refreshing_ = false, again_ = false, embedded_ = false, fitting_ = false;
  QStackedLayout *pages_, *views_;
  EmptyPage* empty_page_;
  Label *empty_, *summary_;
  QWidget *page_, *chart_ = nullptr;
  QLayout* tools_;
  QTableWidget* table_;
  QToolButton *toggle_, *export_;
};

}  // namespace ww::widgets
