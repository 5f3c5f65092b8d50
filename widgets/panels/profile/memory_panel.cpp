// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panels.h"
#include <cmath>
#include <QPainter>
#include "panels/profile/flow_texts.h"
#include "panels/profile/series_style.h"
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

using measure::memory_flow;

constexpr int flow_least_width = 430, flow_height = 300;

double widest_arrow(const Profiles& profiles) {
  double most = 0;
  for (const auto& view : profiles)
    for (const MemoryArrow& a : memory_flow(*view).arrows)
      if (a.bytes > most) most = a.bytes;
  return most;
}

// Memory workload as a flow: kernel, L1, L2, device memory, and shared memory beside them; arrows as wide as their
// bytes. One flow a candidate, to the same scale.
class MemoryPanel : public PaintedPanel {
 public:
  explicit MemoryPanel(const Context& context)
      : PaintedPanel(context, "memory_panel", tr("Memory workload"),
                     tr("Select a candidate to see what it moves between its threads, the caches and device memory.")) {
  }

 protected:
  QString why_no_data() const override {
    for (const auto& view : profiles())
      if (memory_flow(*view).provenance != Provenance::unknown) return {};
    return tr("The memory workload is not measured: %1.").arg(qs(memory_flow(*profiles().front()).why_not));
  }

  QString summary() const override {
    const ProfileView& view = *profiles().front();
    const MemoryFlow flow = memory_flow(view);
    if (flow.provenance == Provenance::unknown)
      return tr("The memory workload of %1 is not measured: %2.").arg(short_name(view), qs(flow.why_not));
    const auto bytes = [&](MemoryPath path) {
      const QString text = arrow_bytes(*flow.at(path));
      return text.isEmpty() ? tr("not measured") : text;
    };
    const auto accessed = [&](MemoryPath path) { return !arrow_facts(flow, *flow.at(path)).isEmpty(); };
    const QStringList shared = place_facts(flow).shared;
    QString text = tr("Loads touch %1 and stores %2 (%3).")
                       .arg(bytes(MemoryPath::load), bytes(MemoryPath::store), enum_text(flow.provenance));
    if (flow.provenance == Provenance::measured)
      text +=
          tr(" Device memory: %1 read, %2 written.").arg(bytes(MemoryPath::dram_read), bytes(MemoryPath::dram_write));
    else
      text += tr(" Caches and device memory are not simulated.");
    if (!shared.isEmpty() && (accessed(MemoryPath::shared_load) || accessed(MemoryPath::shared_store)))
      text += tr(" Shared memory: %1.").arg(shared.join(", "));
    return text;
  }

  ProfileTable table() const override {
    ProfileTable t;
    t.columns = {tr("Candidate"), tr("Where"), tr("What"), tr("Value"), tr("Source")};
    for (const auto& view : profiles()) {
      const MemoryFlow flow = memory_flow(*view);
      if (flow.provenance == Provenance::unknown)
        t.rows.append({qs(view->name), tr("all"), tr("bytes"), tr("not measured"), qs(flow.why_not)});
      for (const FlowFact& f : flow_table(flow))
        t.rows.append({qs(view->name), f.where, f.what, f.value, f.provenance});
    }
    t.numbers = {3};
    return t;
  }

  int chart_height(int width) const override {
    const int count = static_cast<int>(profiles().size());
    if (count <= 1) return 220;
    return (count + columns(width) - 1) / columns(width) * flow_height;
  }

  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override {
    QList<ChartSpot> spots;
    const int count = static_cast<int>(profiles().size()), across = columns(size.width()),
              down = (count + across - 1) / across;
    const double most = widest_arrow(profiles()), width = static_cast<double>(size.width()) / across,
                 height = static_cast<double>(size.height()) / down;
    for (int i = 0; i < count; ++i) {
      const auto profile = static_cast<std::size_t>(i);
      const ProfileView& view = *profiles()[profile];
      QRectF box((i % across) * width, (i / across) * height, width, height);
      if (count > 1) {
        const int line = painter.fontMetrics().height();
        painter.drawPixmap(QPointF(box.left() + 8, box.top() + (line - 14) / 2 + 4), series_swatch(series(profile), 2));
        painter.setPen(palette().text().color());
        painter.drawText(
            box.adjusted(42, 4, -6, 0), Qt::AlignLeft | Qt::AlignTop,
            painter.fontMetrics().elidedText(lettered(profile), Qt::ElideRight, static_cast<int>(width) - 50));
        box.adjust(0, line + 8, 0, 0);
      }
      spots += paint_flow(painter, box, memory_flow(view), most, i == 0);
    }
    return spots;
  }

 private:
  int columns(int width) const {
    return std::clamp(width / flow_least_width, 1, static_cast<int>(std::max<std::size_t>(1, profiles().size())));
  }
};

}  // namespace

PaintedPanel* make_memory_panel(const Context& context) { return new MemoryPanel(context); }

}  // namespace ww::widgets
