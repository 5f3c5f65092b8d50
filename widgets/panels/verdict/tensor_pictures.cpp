// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/tensor_pictures.h"
#include <QComboBox>
#include <QPushButton>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include "evidence/explain.h"
#include "panels/verdict/heat_map.h"
#include "panels/verdict/heat_scale.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr std::uint64_t shown_seed = 1;

QString subscripts_text(const std::vector<std::int64_t>& index) {
  QStringList parts;
  for (const std::int64_t i : index) parts += QString::number(i);
  return "[" + parts.join(", ") + "]";
}
}  // namespace

TensorPictures::TensorPictures(std::shared_ptr<store::Workspace> workspace,
                               const std::shared_ptr<const CandidateView>& candidate, QWidget* parent)
    : QDialog(parent), workspace_(std::move(workspace)), candidate_(candidate->record.id) {
  setObjectName("tensor_pictures");
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Inputs and outputs of #%1").arg(candidate_));
  const QSize room = parent->window()->size();
  resize(std::clamp(room.width() * 7 / 10, 560, 1100), std::clamp(room.height() * 8 / 10, 480, 900));
  auto* outer = make_column(this, grid::page);
  auto* row = make_row(outer);
  case_ = make_combo(this, "tensor_case", tr("Case"), tr("The shapes and constants of the tensors"), 16);
  inputs_ = make_combo(this, "tensor_inputs", tr("Inputs"), tr("Distribution of the inputs"), 10);
  tensor_ = make_combo(this, "tensor_name", tr("Tensor"), tr("An input or a reference output"), 16);
  matrix_ = make_combo(this, "tensor_matrix", tr("Matrix"), tr("The subscripts before the last two"), 10);
  for (QComboBox* box : {case_, inputs_, tensor_, matrix_}) row->addWidget(box);
  row->addStretch(1);
  const ContentPages made = content_pages(outer, "columns");
  pages_ = made.pages;
  state_ = made.empty;
  waiting_ = made.page;
  state_->setObjectName("tensor_state");
  make_page(made.content);
  auto* end = make_row(outer);
  end->addStretch(1);
  auto* close = make_button(this, "tensor_close", tr("Close"));
  close->setAutoDefault(false);
  end->addWidget(close);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  for (const evidence::CaseCoverage& c : candidate->record.verdict->coverage) {
    case_->addItem(tr("%1: %2").arg(qs(c.case_name), qs(evidence::binding_text(c.binding))));
    bindings_.push_back(c.binding);
  }
  for (const evidence::StageResult& stage :
       candidate->record.verdict->stages)  // the case that fails is looked at first
    for (int i = 0; stage.failure && i < static_cast<int>(bindings_.size()); ++i)
      if (candidate->record.verdict->coverage[static_cast<std::size_t>(i)].case_name == stage.failure->case_name)
        case_->setCurrentIndex(i);
  connect(case_, &QComboBox::currentIndexChanged, this, &TensorPictures::load);
  connect(inputs_, &QComboBox::currentIndexChanged, this, &TensorPictures::load);
  connect(tensor_, &QComboBox::currentIndexChanged, this, &TensorPictures::show_tensor);
  connect(matrix_, &QComboBox::currentIndexChanged, this, &TensorPictures::show_matrix);
  connect(&Theme::instance(), &Theme::changed, this, &TensorPictures::show_matrix);
  read_spec();
}

TensorPictures::~TensorPictures() { stop_.request_stop(); }

void TensorPictures::make_page(QWidget* page) {
  auto* column = make_column(page);
  facts_ = make_selectable(page, "tensor_facts", "muted");
  map_ = with_id(new HeatMap(HeatOf::expected, tr("Values"), page), "tensor_map");
  scale_ = with_id(new HeatScale(HeatOf::expected, page), "tensor_scale");
  readout_ = make_selectable(page, "tensor_readout");
  column->addWidget(facts_);
  column->addWidget(map_, 1);
  column->addWidget(scale_);
  column->addWidget(readout_);
  column->addStretch();  // what the picture cannot use
  for (Label* text : {facts_, readout_}) text->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(map_, &HeatMap::hovered, this, &TensorPictures::mark);
  connect(map_, &HeatMap::chosen, this, &TensorPictures::mark);
}

void TensorPictures::read_spec() {
  state_->setText(tr("The op is being read."));
  job_.submit([this, workspace = workspace_, candidate = candidate_]() -> LatestJob::Deliver {
    Result<op::Spec> spec = explore::spec_of(*workspace, candidate);
    return [this, spec = std::move(spec)] {
      if (!spec) return state_->setText(tr("The op cannot be read: %1.").arg(qs(spec.error().text())));
      spec_ = std::make_shared<const op::Spec>(*spec);
      const QSignalBlocker blocked(inputs_);
      for (const op::Distribution d : explore::distributions_of(*spec_))
        if (d != op::Distribution::planted)
          inputs_->addItem(qs(std::string(op::distribution_name(d))), static_cast<int>(d));
      load();
    };
  });
}

void TensorPictures::load() {
  const int at = case_->currentIndex();
  if (!spec_ || at < 0) return;
  ready_ = false;
  stop_.request_stop();
  stop_ = {};
  pages_->setCurrentIndex(0);
  state_->setText(tr("The tensors are being evaluated."));
  waiting_->set_busy(true);
  job_.submit([this, spec = spec_, binding = bindings_[static_cast<std::size_t>(at)], stop = stop_.get_token(),
               how = static_cast<op::Distribution>(inputs_->currentData().toInt())]() -> LatestJob::Deliver {
    auto tensors = explore::case_tensors(*spec, binding, how, shown_seed, stop);
    return [this, tensors = std::move(tensors)]() mutable {
      waiting_->set_busy(false);
      if (tensors)
        show_tensors(std::move(*tensors));
      else
        state_->setText(tr("No picture: %1.").arg(qs(tensors.error().text())));
    };
  });
}

void TensorPictures::show_tensors(std::vector<explore::CaseTensor> tensors) {
  tensors_ = std::move(tensors);
  ready_ = true;
  pages_->setCurrentIndex(1);
  const int before = tensor_->currentIndex();
  {
    const QSignalBlocker blocked(tensor_);
    tensor_->clear();
    for (const explore::CaseTensor& t : tensors_)
      tensor_->addItem(
          (t.output ? tr("output %1: %2%3") : tr("input %1: %2%3"))
              .arg(qs(t.map.tensor), qs(t.map.dtype), t.map.shape.empty() ? QString() : subscripts_text(t.map.shape)));
    tensor_->setCurrentIndex(before >= 0 && before < tensor_->count() ? before : 0);
  }
  show_tensor();
}

const evidence::WrongMap* TensorPictures::tensor() const {
  const int at = tensor_->currentIndex();
  return ready_ && at >= 0 && at < static_cast<int>(tensors_.size()) ? &tensors_[static_cast<std::size_t>(at)].map
                                                                     : nullptr;
}

void TensorPictures::show_tensor() {
  const evidence::WrongMap* map = tensor();
  if (!map) return;
  {
    const QSignalBlocker blocked(matrix_);
    matrix_->clear();
    for (const evidence::WrongMatrix& m : map->maps) matrix_->addItem(subscripts_text(m.leading));
    matrix_->setVisible(map->matrices > 1);
  }
  QString text = map->shape.size() > 1
                     ? tr("Rows 0 to %1 downwards, columns 0 to %2 across.").arg(map->rows - 1).arg(map->columns - 1)
                     : tr("Elements 0 to %1 across.").arg(map->columns - 1);
  if (map->cell_rows * map->cell_columns > 1)
    text += " " + tr("A cell shows the one of %1 \u00d7 %2 elements that is farthest from zero.")
                      .arg(map->cell_rows)
                      .arg(map->cell_columns);
  if (map->matrices > static_cast<std::int64_t>(map->maps.size()))
    text +=
        " " + tr("%1 more matrices are not shown.").arg(map->matrices - static_cast<std::int64_t>(map->maps.size()));
  facts_->setText(text);
  show_matrix();
}

void TensorPictures::show_matrix() {
  const evidence::WrongMap* map = tensor();
  const int at = std::max(0, matrix_->currentIndex());
  if (!map || at >= static_cast<int>(map->maps.size())) return;
  const evidence::WrongMatrix& m = map->maps[static_cast<std::size_t>(at)];
  const HeatRange range = range_of(m);
  map_->show_matrix(static_cast<int>(map->across()), static_cast<int>(map->down()), m, range);
  map_->set_first(-1);
  scale_->show_range(range);
  mark(0);
}

void TensorPictures::mark(int cell) {
  const evidence::WrongMap* map = tensor();
  const int at = std::max(0, matrix_->currentIndex());
  if (!map || cell < 0 || at >= static_cast<int>(map->maps.size())) return;
  const evidence::WrongMatrix& m = map->maps[static_cast<std::size_t>(at)];
  if (cell >= static_cast<int>(m.element.size())) return;
  map_->set_cell(cell);
  const std::vector<std::int64_t> index = map->index(m, m.element[static_cast<std::size_t>(cell)]);
  readout_->setText(tr("%1 = %2").arg(qs(map->tensor) + (index.empty() ? QString() : subscripts_text(index)),
                                      number_text(m.expected[static_cast<std::size_t>(cell)])));
  map_->setAccessibleDescription(readout_->text());
}

QString TensorPictures::readout() const { return readout_->text(); }

}  // namespace ww::widgets
