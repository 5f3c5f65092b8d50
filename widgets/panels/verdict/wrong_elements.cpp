// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/wrong_elements.h"
#include <QComboBox>
#include <QGridLayout>
#include <QPushButton>
#include <QStackedLayout>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include "base/ascii.h"
#include "base/lines.h"
#include "evidence/explain.h"
#include "panels/verdict/heat_map.h"
#include "panels/verdict/heat_scale.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/empty_page.h"

namespace ww::widgets {

namespace {

QString index_text(const std::vector<std::int64_t>& index) {
  QStringList parts;
  for (const std::int64_t i : index) parts += QString::number(i);
  return "[" + parts.join(", ") + "]";
}

QString ratio_text(double ratio) {
  if (std::isnan(ratio)) return WrongElements::tr("not checked: its error bound is not finite");
  if (std::isinf(ratio)) return WrongElements::tr("wrong: an unexpected NaN or infinity");
  const QString times = times_text(ratio);
  return ratio > 1 ? WrongElements::tr("wrong: the error is %1 times the tolerance").arg(times)
                   : WrongElements::tr("right: the error is %1 of the tolerance").arg(times);
}

}  // namespace

void WrongElements::open(const Context& context, std::int64_t candidate, QWidget* parent) {
  for (WrongElements* there : parent->findChildren<WrongElements*>(Qt::FindDirectChildrenOnly)) {
    if (there->candidate_ != candidate || (!there->isVisible() && !there->ready_)) continue;
    there->show();
    there->raise();
    there->activateWindow();
    return;
  }
  (new WrongElements(context, candidate, parent))->show();
}

WrongElements::WrongElements(const Context& context, std::int64_t candidate, QWidget* parent)
    : QDialog(parent), context_(context), candidate_(candidate) {
  setObjectName("wrong_elements");
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Wrong elements of #%1").arg(candidate));
  const QSize room = parent->window()->size();
  resize(std::clamp(room.width() * 9 / 10, 640, 1500), std::clamp(room.height() * 8 / 10, 480, 900));
  auto* outer = make_column(this, grid::page);
  const ContentPages made = content_pages(outer, "judging");
  pages_ = made.pages;
  state_ = made.empty;
  waiting_ = made.page;
  state_->setObjectName("wrong_state");
  auto* column = make_column(made.content);
  title_ = make_selectable(made.content, "wrong_title", "muted");
  pattern_ = make_selectable(made.content, "wrong_pattern", "heading");
  column->addWidget(pattern_);
  column->addWidget(title_);
  writer_ = make_selectable(made.content, "wrong_writer");
  column->addWidget(writer_);
  auto* row = make_row(column);
  matrix_ = make_combo(made.content, "wrong_matrix", tr("Matrix"),
                       tr("The subscripts before the last two, and how many elements of that matrix are wrong"), 24);
  rest_ = make_label(made.content, "wrong_rest", "muted");
  row->addWidget(matrix_);
  row->addWidget(rest_, 1);
  make_maps(column);
  readout_ = make_selectable(made.content, "wrong_readout");
  note_ = make_paragraph(made.content, "wrong_note", "muted");
  grid_->addWidget(readout_, 9, 0, 1, 3);
  grid_->addWidget(note_, 10, 0, 1, 3);
  grid_->setRowStretch(11, 1);  // what is left, where the pictures need less
  auto* end = make_row(outer);
  first_ = make_button(this, "wrong_first", tr("First wrong"),
                       tr("Mark the first wrong element, row by row; arrows at the pictures' edges point at it"));
  worst_ = make_button(this, "wrong_worst", tr("Worst"), tr("Mark the element with the largest error"));
  line_ = make_button(this, "wrong_line", tr("Show the statement"),
                      tr("Go to the line that last wrote the failing element"));
  auto* close = make_button(this, "wrong_close", tr("Close"));
  for (QPushButton* button : {first_, worst_, line_, close})
    button->setAutoDefault(false);  // Return on a picture closes nothing
  end->addWidget(first_);
  end->addWidget(worst_);
  end->addWidget(line_);
  end->addStretch(1);
  end->addWidget(close);
  connect(first_, &QPushButton::clicked, this, [this] { choose(first_cell()); });
  connect(worst_, &QPushButton::clicked, this, [this] { choose(worst_cell()); });
  connect(line_, &QPushButton::clicked, this, [this] {
    context_.selection->set_current(candidate_);
    context_.selection->choose_line(map_.writer->line);
    hide();  // it would cover the line; opening it again repeats nothing
  });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(matrix_, &QComboBox::currentIndexChanged, this, &WrongElements::show_matrix);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (!ready_) return;
    const int chosen = chosen_;
    show_matrix(matrix_->currentIndex());
    choose(chosen);
  });
  load(candidate);
}

WrongElements::~WrongElements() { stop_.request_stop(); }

bool WrongElements::has_any(const evidence::Verdict& verdict) {
  return evidence::failure_to_map(verdict) && !verdict.proof.secret.empty();
}

void WrongElements::make_maps(QVBoxLayout* column) {
  QWidget* page = column->parentWidget();
  grid_ = new QGridLayout;
  grid_->setHorizontalSpacing(grid::wide);
  grid_->setVerticalSpacing(grid::half);
  const std::pair<HeatOf, QString> kinds[] = {
      {HeatOf::expected, tr("Expected")}, {HeatOf::actual, tr("Actual")}, {HeatOf::error, tr("Error over tolerance")}};
  for (int i = 0; i < 3; ++i) {
    maps_[i] = with_id(new HeatMap(kinds[i].first, kinds[i].second, page), QString("wrong_map_%1").arg(i));
    scales_[i] = with_id(new HeatScale(kinds[i].first, page), QString("wrong_scale_%1").arg(i));
    captions_[i] = heading(kinds[i].second, page);
    connect(maps_[i], &HeatMap::hovered, this, [this](int cell) { mark(cell >= 0 ? cell : chosen_); });
    connect(maps_[i], &HeatMap::chosen, this, &WrongElements::choose);
  }
  place_maps(false);
  column->addLayout(grid_, 1);
}

// Side by side, or (flat ones) one below the other.
void WrongElements::place_maps(bool stacked) {
  for (int i = 0; i < 3; ++i) {
    const int row = stacked ? 3 * i : 0, column = stacked ? 0 : i, span = stacked ? 3 : 1;
    grid_->addWidget(captions_[i], row, column, 1, span);
    grid_->addWidget(maps_[i], row + 1, column, 1, span);
    grid_->addWidget(scales_[i], row + 2, column, 1, span, Qt::AlignTop);
    grid_->setColumnStretch(i, 1);
    grid_->setRowStretch(row + 1, 100);
  }
}

void WrongElements::load(std::int64_t candidate) {
  state_->setText(tr("The judgement is being repeated with the inputs of the verdict."));
  waiting_->set_busy(true);
  pages_->setCurrentIndex(0);
  first_->hide();
  worst_->hide();
  line_->hide();
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (!workspace) {
    waiting_->set_busy(false);
    return state_->setText(tr("There is no workspace."));
  }
  job_.submit(
      [this, workspace, candidate, wrong = context_.services.wrong, token = stop_.get_token()]() -> LatestJob::Deliver {
        Result<evidence::WrongMap> map = wrong(*workspace, candidate, token, [this](const rpc::Progress& p) {
          QMetaObject::invokeMethod(
              this,
              [this, text = qs(p.message)] {
                if (!ready_)
                  state_->setText(tr("The judgement is being repeated with the inputs of the verdict: %1.").arg(text));
              },
              Qt::QueuedConnection);
        });
        const Result<store::CandidateRecord> record = workspace->candidate(candidate);
        return [this, map = std::move(map), text = record ? record->text : std::string()] {
          waiting_->set_busy(false);
          if (!map)
            state_->setText(tr("The wrong elements cannot be shown: %1.").arg(qs(map.error().text())));
          else
            show_map(*map, text);
        };
      });
}

void WrongElements::show_writer(const std::string& text) {
  QString said = qs(evidence::writer_text(map_));
  const int line = map_.writer ? map_.writer->line : 0;
  const std::vector<std::string_view> lines = split_lines(text);
  if (line > 0 && line <= static_cast<int>(lines.size()))
    said += ": " + qs(std::string(trimmed(lines[static_cast<std::size_t>(line) - 1])));
  writer_->setText(said);
  writer_->setVisible(!said.isEmpty());
  line_->setVisible(line > 0);
}

void WrongElements::show_map(const evidence::WrongMap& map, const std::string& text) {
  map_ = map;
  ready_ = true;
  pages_->setCurrentIndex(1);
  first_->show();
  worst_->show();
  title_->setText(tr("%1, %2").arg(qs(map.tensor), qs(evidence::case_text(map.failure))));
  pattern_->setText(qs(evidence::wrong_text(map)));
  show_writer(text);
  matrix_->clear();
  for (const evidence::WrongMatrix& m : map_.maps)
    matrix_->addItem(tr("%1: %2 wrong").arg(index_text(m.leading)).arg(m.wrong));
  matrix_->setVisible(map_.matrices > 1);
  const auto shown = static_cast<std::int64_t>(map_.maps.size());
  rest_->setText(map_.wrong_matrices > shown ? tr("%1 more have wrong elements").arg(map_.wrong_matrices - shown)
                                             : QString());
  rest_->setVisible(map_.matrices > 1);
  const QString cell =
      map_.cell_rows * map_.cell_columns > 1
          ? tr(" A cell shows the worst of %1 \u00d7 %2 elements.").arg(map_.cell_rows).arg(map_.cell_columns)
          : QString();
  place_maps(map_.across() > 8 * map_.down());
  note_->setText((map_.shape.size() > 1
                      ? tr("Rows 0 to %1 downwards, columns 0 to %2 across.").arg(map_.rows - 1).arg(map_.columns - 1)
                      : tr("Elements 0 to %1 across.").arg(map_.columns - 1)) +
                 cell + tr(" Hover or use the arrow keys to read each one."));
  const auto most =
      static_cast<int>(std::ranges::max_element(map_.maps, {}, &evidence::WrongMatrix::wrong) - map_.maps.begin());
  matrix_->setCurrentIndex(most);
  show_matrix(most);
  maps_[2]->setFocus();
  QTimer::singleShot(0, this, [this] {  // once the pictures know their size
    const int spare = grid_->cellRect(11, 0).height();
    if (spare > 0 && !isMaximized()) resize(width(), height() - spare);
  });
}

const evidence::WrongMatrix* WrongElements::matrix() const {
  const int at = matrix_->currentIndex();
  return ready_ && at >= 0 && at < static_cast<int>(map_.maps.size()) ? &map_.maps[static_cast<std::size_t>(at)]
                                                                      : nullptr;
}

void WrongElements::show_matrix(int) {
  const evidence::WrongMatrix* m = matrix();
  if (!m) return;
  const HeatRange range = range_of(*m);
  for (int i = 0; i < 3; ++i) {
    maps_[i]->show_matrix(static_cast<int>(map_.across()), static_cast<int>(map_.down()), *m, range);
    maps_[i]->set_first(first_cell());
    scales_[i]->show_range(range);
  }
  choose(first_cell());
}

int WrongElements::first_cell() const {
  const evidence::WrongMatrix* m = matrix();
  return m ? static_cast<int>(map_.cell_of(m->first)) : -1;
}

int WrongElements::worst_cell() const {
  const evidence::WrongMatrix* m = matrix();
  if (!m) return -1;
  const auto rank = [](double ratio) { return std::isnan(ratio) ? -1 : ratio; };  // NaN: not checked
  return static_cast<int>(std::ranges::max_element(m->ratio, {}, rank) - m->ratio.begin());
}

void WrongElements::choose(int cell) {
  chosen_ = cell;
  mark(cell);
}

void WrongElements::mark(int cell) {
  for (HeatMap* map : maps_) map->set_cell(cell);
  const evidence::WrongMatrix* m = matrix();
  if (!m || cell < 0 || cell >= static_cast<int>(m->element.size())) return;
  const auto at = static_cast<std::size_t>(cell);
  const std::vector<std::int64_t> index = map_.index(*m, m->element[at]);
  const QString element = qs(map_.tensor) + (index.empty() ? QString() : index_text(index));
  QString text =
      std::ranges::binary_search(m->unwritten, cell)
          ? tr("%1: expected %2, never written").arg(element, number_text(m->expected[at]))
          : tr("%1: expected %2, got %3; %4")
                .arg(element, number_text(m->expected[at]), number_text(m->actual[at]), ratio_text(m->ratio[at]));
  if (m->element[at] == m->first) text += tr(" (the first wrong element)");
  readout_->setText(text);
  for (HeatMap* map : maps_) map->setAccessibleDescription(text);
}

QString WrongElements::readout() const { return readout_->text(); }

}  // namespace ww::widgets
