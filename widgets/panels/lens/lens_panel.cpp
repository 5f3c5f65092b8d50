// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lens/lens_panel.h"
#include <QComboBox>
#include <QFileInfo>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QStackedLayout>
#include <QTimer>
#include "base/files.h"
#include "panels/lens/lens_view.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "rpc/simulate.h"
#include "session/actions/registry.h"
#include "session/file_dialogs.h"
#include "stepping/element.h"

namespace ww::widgets {

namespace {

constexpr std::int64_t most_frames = 48, most_columns = 4096;
constexpr std::int64_t most_shared_words = 227 * 1024 / 4;  // of a block, on any GPU
constexpr int frame_time = 120;                             // ms

struct Looked {
  sim::Lens lens;
  std::vector<double> errors;
};

QString shows_text(picture::Shows shows) {
  using enum picture::Shows;
  switch (shows) {
    case values: return LensPanel::tr("Values");
    case error: return LensPanel::tr("Error against the reference");
    case writer: return LensPanel::tr("First writer");
    case reads: return LensPanel::tr("Times read");
    case writes: return LensPanel::tr("Times written");
    case sectors: return LensPanel::tr("Sector use");
  }
  return {};
}

Result<Looked> looked_at(rpc::Supervisor& worker, const StepLaunch& launch, const std::string& buffer,
                         const std::stop_token& stop) {
  rpc::TraceRequest request{launch.prepared.job, {}};
  request.query.block = launch.block;
  request.query.most = 1;
  request.query.lens = buffer;
  std::int64_t elements = most_shared_words;
  for (const sim::JobArgument& a : launch.prepared.job.args)
    if (a.buffer && a.buffer->name == buffer) elements = std::max<std::int64_t>(1, a.buffer->bytes);
  request.query.frames = std::clamp<std::int64_t>(sim::most_frame_elements / elements, 1, most_frames);
  sim::Trace trace = WW_TRY(worker.trace(request, stop));
  Looked out{std::move(*trace.lens), {}};
  auto errors = stepping::errors_of(launch.subject, launch.prepared, buffer, out.lens.content, stop);
  if (errors) out.errors = std::move(*errors);  // of what is no output there are none
  return out;
}

}  // namespace

LensPanel::LensPanel(const Context& context, StepSession* session, QWidget* parent)
    : QWidget(parent), context_(context), session_(session), worker_(std::make_shared<rpc::Supervisor>()) {
  const ContentPages made =
      panel_pages(this, "lens_panel", "learn", tr("Step through a kernel to look at its buffers."));
  pages_ = made.pages;
  empty_page_ = made.page;
  empty_page_->offer(tr("Show the stepper"), [this] { context_.registry->trigger("go.stepper"); });
  QWidget* page = made.content;
  auto* column = make_column(page, {grid::step, grid::half, grid::step, grid::half}, grid::half);
  auto* bar = new QWidget(page);
  auto* flow = new FlowLayout(bar, grid::step, FlowLayout::Before::shrinking);
  buffers_ = make_combo(bar, "lens_buffer", tr("Buffer"), tr("The buffer that is drawn"), 8);
  shows_ = make_combo(bar, "lens_shows", tr("Shows"), tr("What the colours show"), 10);
  for (const auto& one : names_of(picture::Shows{}))
    shows_->addItem(shows_text(one.value),
                    QString::fromLatin1(one.name.data(), static_cast<qsizetype>(one.name.size())));
  columns_ = with_id(new QSpinBox(bar), "lens_columns");
  columns_->setRange(0, most_columns);
  columns_->setSpecialValueText(tr("Columns: automatic"));
  columns_->setPrefix(tr("Columns: "));
  name_it(columns_, tr("Columns"), tr("Elements in a row"));
  play_ = make_button(bar, "lens_play", tr("Play"), tr("The launch from its beginning, in moving pictures"));
  export_ = make_button(bar, "lens_export", tr("Export\u2026"), tr("As SVG, PNG or, over the launch, GIF"));
  for (QWidget* w : std::initializer_list<QWidget*>{buffers_, shows_, columns_, play_, export_}) flow->addWidget(w);
  column->addWidget(bar);
  problem_ = make_selectable(page, "lens_problem", "error");
  problem_->hide();
  column->addWidget(problem_);
  frames_ = with_id(new QSlider(Qt::Horizontal, page), "lens_frames");
  name_it(frames_, tr("Time"), tr("How far the launch has run"));
  column->addWidget(frames_);
  view_ = new LensView(page);
  column->addWidget(view_, 1);
  legend_ = make_selectable(page, "lens_legend", "muted");
  element_ = make_selectable(page, "lens_element");
  column->addWidget(legend_);
  column->addWidget(element_);
  clock_ = new QTimer(this);
  clock_->setInterval(frame_time);
  connect(clock_, &QTimer::timeout, this, [this] {
    if (frames_->value() >= frames_->maximum()) return clock_->stop();
    frames_->setValue(frames_->value() + 1);
  });
  connect(play_, &QPushButton::clicked, this, [this] {
    frames_->setValue(0);
    clock_->start();
  });
  connect(export_, &QPushButton::clicked, this, &LensPanel::choose_export);
  connect(frames_, &QSlider::valueChanged, this, [this](int frame) {
    const bool at_end = !lens_ || frame >= static_cast<int>(lens_->frames.size());
    if (lens_) view_->show_frame(at_end ? std::nullopt : std::optional(static_cast<std::size_t>(frame)));
  });
  connect(buffers_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_) look();
  });
  connect(shows_, &QComboBox::currentIndexChanged, this, &LensPanel::show_picture);
  connect(columns_, &QSpinBox::valueChanged, this, &LensPanel::show_picture);
  connect(view_, &LensView::element_named, element_, &Label::setText);
  connect(session_, &StepSession::opened, this, &LensPanel::on_opened);
}

LensPanel::~LensPanel() { stop_.request_stop(); }

void LensPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (session_->launch() && session_->launch() != launch_) on_opened();
}

void LensPanel::on_opened() {
  if (!isVisible()) return;
  const std::shared_ptr<const StepLaunch>& launch = session_->launch();
  const QString before = buffers_->currentText();
  filling_ = true;
  buffers_->clear();
  std::string output;
  for (const sim::JobArgument& a : launch->prepared.job.args)
    if (a.buffer) {
      buffers_->addItem(qs(a.buffer->name));
      if (a.buffer->is_output) output = a.buffer->name;
    }
  buffers_->addItem("shared");
  const int at = buffers_->findText(before.isEmpty() ? qs(output) : before);
  buffers_->setCurrentIndex(std::max(0, at));
  filling_ = false;
  look();
}

void LensPanel::look() {
  if (!session_->launch()) return;
  launch_ = session_->launch();
  stop_.request_stop();
  stop_ = {};
  job_.submit([this, launch = launch_, worker = worker_, buffer = buffers_->currentText().toStdString(),
               stop = stop_.get_token()]() -> LatestJob::Deliver {
    Result<Looked> looked = looked_at(*worker, *launch, buffer, stop);
    return [this, looked = std::move(looked)] {
      if (!looked) {
        if (looked.error().code != Code::cancelled) complain(qs(looked.error().text()));
        return;
      }
      problem_->hide();
      lens_ = looked->lens;
      errors_ = looked->errors;
      pages_->setCurrentIndex(1);
      show_picture();
      emit looked_done();
    };
  });
}

picture::Shows LensPanel::shows() const {
  return enum_from_name<picture::Shows>(shows_->currentData().toString().toStdString())
      .value_or(picture::Shows::values);
}

picture::LensLook LensPanel::view_look() const {
  std::int64_t columns = columns_->value();
  if (columns == 0 && launch_ && lens_)  // a matrix has its own
    for (const stepping::Buffer& b : launch_->prepared.buffers)
      if (b.name == lens_->buffer && b.shape.size() >= 2) columns = b.shape.back();
  return {columns, errors_};
}

void LensPanel::show_picture() {
  if (!lens_) return;
  clock_->stop();
  view_->show_lens(*lens_, shows(), view_look());
  const QSignalBlocker quiet(frames_);
  frames_->setRange(0, static_cast<int>(lens_->frames.size()));
  frames_->setValue(frames_->maximum());
  QString legend = qs(picture::legend_of(*lens_, shows()));
  if (shows() == picture::Shows::error && errors_.empty())
    legend = tr("%1 is no output of the op, so it has no reference.").arg(qs(lens_->buffer));
  if (launch_ && !launch_->block.empty()) legend += tr(" (of the one block that is stepped through)");
  legend_->setText(legend);
}

void LensPanel::complain(const QString& why) {
  problem_->setText(why);
  problem_->show();
  pages_->setCurrentIndex(1);
}

Status LensPanel::export_to(const QString& file) const {
  if (!lens_) return fail(Code::invalid_argument, "there is no picture yet");
  const QString kind = QFileInfo(file).suffix().toLower();
  const picture::LensLook look = view_look();
  if (kind == "svg") return write_file_atomic(file.toStdString(), picture::lens_svg(*lens_, {shows()}, look));
  if (kind == "png")
    return write_file_atomic(file.toStdString(), WW_TRY(picture::png_of(picture::lens_raster(*lens_, shows(), look))));
  if (kind == "gif") return write_file_atomic(file.toStdString(), WW_TRY(picture::lens_gif(*lens_, shows(), look)));
  return fail(Code::invalid_argument, "a picture's name ends in .svg, .png or .gif");
}

void LensPanel::choose_export() {
  const QString file =
      FileDialogs::instance().save(this, FileKind::chart, tr("Export the picture"),
                                   lens_ ? qs(lens_->buffer) + ".png" : QString(), tr("Pictures (*.svg *.png *.gif)"));
  if (file.isEmpty()) return;
  const Status written = export_to(file);
  if (!written) return complain(qs(written.error().text()));
  emit told(tr("The picture is in %1.").arg(file));
}

}  // namespace ww::widgets
