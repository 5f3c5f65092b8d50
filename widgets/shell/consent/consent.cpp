// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/consent/consent.h"
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFrame>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

ConsentDialog::ConsentDialog(std::shared_ptr<Models> models, const ModelHost& host, QWidget* parent)
    : QDialog(parent), models_(std::move(models)) {
  setObjectName("consent_dialog");
  setWindowTitle(tr("Data that leaves this machine"));
  setMinimumWidth(520);
  auto* column = make_column(this, grid::page);
  auto* title = make_elided(this, {}, "heading");
  title->set_text(tr("Send requests to %1 (%2)?").arg(qs(host.host), qs(host.service)));
  column->addWidget(title);
  auto* intro = new Label(tr("Nothing has been sent to this host yet. Each request to its models contains:"), this);
  intro->setWordWrap(true);
  column->addWidget(intro);
  auto* box = new QFrame(this);
  box->setProperty("role", "notice");
  lines_ = make_column(box, grid::panel, grid::half);
  column->addWidget(box);
  const llm::Limits first = host.allowed.value_or(llm::Limits{});
  const auto check = [&](const char* name, const QString& text, const QString& tip, bool on) {
    auto* c = with_id(new QCheckBox(text, this), name);
    c->setToolTip(tip);
    c->setChecked(on);
    connect(c, &QCheckBox::toggled, this, &ConsentDialog::show_lines);
    column->addWidget(c);
    return c;
  };
  sources_ = check("send_sources", tr("Send source code"),
                   tr("Candidates, your own kernels, and compiler messages about them. Otherwise a model can only "
                      "write new candidates from the op."),
                   first.sources);
  device_ = check("send_device", tr("Send the name of the device"),
                  tr("\u201cNVIDIA H200\u201d and its driver; otherwise only the architecture"), first.device_name);
  paths_ = check("send_paths", tr("Send names of files on this machine"), tr("If messages contain them"), first.paths);
  auto* note = new Label(tr("Your answer is stored; you can withdraw it in Settings, Models."), this);
  note->setProperty("role", "muted");
  column->addWidget(note);
  auto* buttons = new QDialogButtonBox(this);
  auto* allow = buttons->addButton(tr("Allow"), QDialogButtonBox::AcceptRole);
  allow->setObjectName("allow");
  auto* refuse = buttons->addButton(tr("Don't send"), QDialogButtonBox::RejectRole);
  refuse->setObjectName("dont_send");
  refuse->setDefault(true);  // Return alone sends nothing
  allow->setAutoDefault(false);
  refuse->setFocus();
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  column->addWidget(buttons);
  show_lines();
}

llm::Limits ConsentDialog::limits() const { return {sources_->isChecked(), paths_->isChecked(), device_->isChecked()}; }

void ConsentDialog::show_lines() {
  while (QLayoutItem* item = lines_->takeAt(0)) {
    if (QWidget* w = item->widget()) {
      w->hide();
      w->deleteLater();
    }
    delete item;
  }
  shown_.clear();
  for (const llm::OutgoingData& leaving : llm::outgoing_data(limits())) {
    const bool kept = !leaving.sent;
    const QString text = qs(leaving.text());
    auto* row = new QWidget(this);
    auto* line = make_row(row);
    auto* mark = new Label(row);
    mark->set_icon(kept ? "close" : "check", kept ? "muted" : "accent", 14);
    line->addWidget(mark, 0, Qt::AlignTop);
    auto* label = new Label(text, row);
    label->setWordWrap(true);
    if (kept) label->setProperty("role", "muted");
    line->addWidget(label, 1);
    lines_->addWidget(row);
    shown_ += text;
  }
}

ConsentFlow::ConsentFlow(std::shared_ptr<Models> models, QWidget* parent)
    : QObject(parent), models_(std::move(models)), window_(parent) {}

void ConsentFlow::ask(const std::vector<std::string>& models, std::function<void(const Answer&)> done) {
  if (dialog_) dialog_->deleteLater();
  done_ = std::move(done);
  answer_ = Answer{false, {true, true, true}, {}};
  open_.clear();
  job_.submit([this, models, service = models_]() -> LatestJob::Deliver {
    auto hosts = service->hosts(models);
    if (!hosts) return [this, why = qs(hosts.error().text())] { finish({false, {}, why}); };
    return [this, list = std::move(*hosts)] {
      open_ = list;
      next();
    };
  });
}

void ConsentFlow::next() {
  const auto narrow = [this](const llm::Limits& l) {
    answer_.limits = {answer_.limits.sources && l.sources, answer_.limits.paths && l.paths,
                      answer_.limits.device_name && l.device_name};
  };
  while (!open_.empty() && (open_.front().this_machine || open_.front().allowed)) {
    if (!open_.front().this_machine) narrow(*open_.front().allowed);
    open_.erase(open_.begin());
  }
  if (open_.empty()) {
    answer_.allowed = true;
    finish(answer_);
    return;
  }
  const ModelHost host = open_.front();
  open_.erase(open_.begin());
  auto* dialog = new ConsentDialog(models_, host, window_);
  dialog_ = dialog;
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::finished, this, [this, dialog, host, narrow](int result) {
    if (result != QDialog::Accepted) {
      finish({false, {}, tr("Nothing was sent to %1.").arg(qs(host.host))});
      return;
    }
    const llm::Limits limits = dialog->limits();
    narrow(limits);
    job_.submit([this, host = host.host, limits, service = models_]() -> LatestJob::Deliver {
      const Status kept = service->allow(host, limits);
      if (!kept) return [this, why = qs(kept.error().text())] { finish({false, {}, why}); };
      return [this] { next(); };
    });
  });
  dialog->open();
}

void ConsentFlow::finish(Answer answer) {
  const auto done = std::exchange(done_, nullptr);
  if (done) done(answer);
}

}  // namespace ww::widgets
