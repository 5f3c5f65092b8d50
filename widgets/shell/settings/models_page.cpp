// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/models_page.h"
#include <QCheckBox>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedLayout>
#include <QTreeWidget>
#include <QUrl>
#include <algorithm>
#include "session/key_ring.h"
#include "shell/settings/ask_for_list.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

QTreeWidget* list(const char* object, const QString& name, const QStringList& headers, QWidget* parent) {
  auto* tree = with_id(new QTreeWidget(parent), object);
  tree->setHeaderLabels(headers);
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  tree->setAllColumnsShowFocus(true);
  tree->setTextElideMode(Qt::ElideMiddle);
  name_it(tree, name);
  return tree;
}

QString limits_text(const llm::Limits& l) {
  QStringList parts;
  if (l.sources) parts += ModelsPage::tr("sources");
  if (l.device_name) parts += ModelsPage::tr("device name");
  if (l.paths) parts += ModelsPage::tr("file names");
  return parts.isEmpty() ? ModelsPage::tr("the op alone") : ModelsPage::tr("the op, %1").arg(parts.join(", "));
}

}  // namespace

ModelsPage::ModelsPage(std::shared_ptr<Models> models, KeyRing* keys, QWidget* parent)
    : QWidget(parent), models_(std::move(models)), keys_(keys) {
  setObjectName("models_page");
  auto* column = make_column(this);
  column->addWidget(heading(tr("Services"), this));
  services_ = list("services", tr("Services"), {tr("Service"), tr("Address"), tr("Key"), tr("State")}, this);
  services_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
  services_->header()->setStretchLastSection(false);
  const int widths[] = {180, 240, 140, 140};
  for (int i = 0; i < 4; ++i) services_->setColumnWidth(i, widths[i]);
  column->addWidget(services_, 3);
  make_service_box(column);
  make_hosts(column);
  connect(services_, &QTreeWidget::currentItemChanged, this, [this] {
    key_->clear();
    checker_.forget();
    asking_ = false;
    show_service();
  });
  connect(keys_, &KeyRing::changed, this, [this] {
    load();
    emit keys_changed();
  });
  for (QPushButton* b : findChildren<QPushButton*>()) b->setAutoDefault(false);
  show_service();
  load();
  keys_->probe();
}

// What can be done with the chosen service: its key, and a check whether it answers.
void ModelsPage::make_service_box(QVBoxLayout* column) {
  auto* box = new QFrame(this);
  box->setProperty("role", "notice");
  QGridLayout* grid = make_grid(box, grid::panel);
  grid->setColumnStretch(1, 1);
  name_ = make_elided(box, {}, "heading");
  check_ = make_button(box, "check_service", tr("Check"));
  grid->addWidget(name_, 0, 0, 1, 3);
  grid->addWidget(check_, 0, 3, 1, 2, Qt::AlignRight);
  about_ = make_paragraph(box, {}, "muted");
  grid->addWidget(about_, 1, 0, 1, 5);
  key_ = with_id(new QLineEdit(box), "service_key");
  key_->setEchoMode(QLineEdit::Password);
  name_it(key_, tr("Key of the service"), tr("Stored in the system's keychain, never in a file"));
  key_state_ = make_label(box, "key_state", "muted");
  set_ = make_button(box, "set_key", tr("Set key"));
  set_->setEnabled(false);
  forget_ = make_button(box, "forget_key", tr("Forget key"));
  add_field(grid, tr("Key"), key_, 2, 0);
  grid->addWidget(key_state_, 2, 2);
  grid->addWidget(set_, 2, 3);
  grid->addWidget(forget_, 2, 4);
  session_only_ = with_id(new QCheckBox(tr("For this session only"), box), "key_for_session");
  name_it(session_only_, tr("For this session only"),
          tr("The key stays in memory until the window closes, and is never stored"));
  grid->addWidget(session_only_, 3, 1, 1, 4);
  no_keychain_ = make_paragraph(box, "no_keychain", "warning");
  no_keychain_->hide();
  grid->addWidget(no_keychain_, 4, 0, 1, 5);
  answer_ = make_selectable(box, "service_answer");
  answer_->hide();
  grid->addWidget(answer_, 5, 0, 1, 5);
  column->addWidget(box);
  connect(key_, &QLineEdit::textChanged, this, [this] { set_->setEnabled(!key_->text().trimmed().isEmpty()); });
  connect(session_only_, &QCheckBox::clicked, this, [this](bool on) { session_wanted_ = on; });
  connect(key_, &QLineEdit::returnPressed, this, &ModelsPage::set_key);
  connect(set_, &QPushButton::clicked, this, &ModelsPage::set_key);
  connect(forget_, &QPushButton::clicked, this, &ModelsPage::forget_key);
  connect(check_, &QPushButton::clicked, this, &ModelsPage::check);
}

void ModelsPage::make_hosts(QVBoxLayout* column) {
  column->addWidget(heading(tr("Allowed hosts"), this));
  auto* area = new QWidget(this);
  host_pages_ = new QStackedLayout(area);
  host_pages_->addWidget(empty_state(
      tr("No hosts are allowed yet. You are asked before the first request to one; this machine needs no permission."),
      area));
  hosts_ = list("hosts", tr("Allowed hosts"), {tr("Host"), tr("Since"), tr("What may be sent")}, area);
  hosts_->setColumnWidth(0, 260);
  hosts_->setColumnWidth(1, 110);
  host_pages_->addWidget(hosts_);
  column->addWidget(area, 2);
  problem_ = make_paragraph(this, "settings_problem", "error");
  problem_->hide();
  column->addWidget(problem_);
  auto* buttons = new QDialogButtonBox(this);
  forget_host_ = with_id(buttons->addButton(tr("Forget host"), QDialogButtonBox::ActionRole), "forget_host");
  forget_host_->setToolTip(tr("You are asked again before the next request to it"));
  forget_host_->setEnabled(false);
  edit_ = with_id(buttons->addButton(tr("Edit models.json"), QDialogButtonBox::ActionRole), "edit_models");
  column->addWidget(buttons);
  connect(hosts_, &QTreeWidget::currentItemChanged, this,
          [this] { forget_host_->setEnabled(hosts_->currentItem() != nullptr); });
  connect(forget_host_, &QPushButton::clicked, this, &ModelsPage::forget_host);
  connect(edit_, &QPushButton::clicked, this, [this] {
    const QString folder = QFileInfo(exact(list_.own_file)).absolutePath();
    QDir().mkpath(folder);
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  });
}

ModelsPage::~ModelsPage() { cancel_.request_stop(); }

void ModelsPage::load() {
  loader_.submit([this, service = models_]() -> LatestJob::Deliver {
    auto list = service->models(true);
    auto consents = service->consents();
    const QString error = consents ? QString() : qs(consents.error().text());
    return [this, list = std::move(list), consents = consents ? std::move(*consents) : std::vector<llm::Consent>{},
            error] { show_services(list, consents, error); };
  });
}

void ModelsPage::show_services(const ModelList& list, const std::vector<llm::Consent>& consents, const QString& error) {
  const std::string kept = selected() ? selected()->name : std::string();
  list_ = list;
  const Theme& theme = Theme::instance();
  {
    const QSignalBlocker block(services_);
    services_->clear();
    for (const Service& s : list_.services) {
      auto* item = new QTreeWidgetItem(
          services_, {s.about.empty() ? qs(s.title) : tr("%1 (%2)").arg(qs(s.title), qs(s.name)),
                      s.base_url.empty() ? tr("no address") : qs(s.base_url), key_text(s), reach_text(s.reach)});
      item->setIcon(3, s.reach == Reach::answers   ? theme.icon("accepted", "accepted")
                       : s.reach == Reach::refuses ? theme.icon("error", "warning")
                                                   : theme.icon("queued", "muted"));
      item->setToolTip(0, qs(s.about));
      item->setToolTip(1, qs(s.base_url));
      item->setToolTip(3, qs(s.why_not));
      if (s.name == kept || (kept.empty() && services_->topLevelItemCount() == 1)) services_->setCurrentItem(item);
    }
    const QString chosen = hosts_->currentItem() ? hosts_->currentItem()->text(0) : QString();
    hosts_->clear();
    for (const llm::Consent& c : consents) {
      auto* item = new QTreeWidgetItem(hosts_, {qs(c.host), qs(c.date), limits_text(c.limits)});
      item->setToolTip(0, qs(c.host));
      item->setData(0, Qt::UserRole, exact(c.host));
      QStringList lines;
      for (const llm::OutgoingData& l : llm::outgoing_data(c.limits)) lines += qs(l.text());
      item->setToolTip(2, lines.join('\n'));
      if (qs(c.host) == chosen) hosts_->setCurrentItem(item);
    }
  }
  host_pages_->setCurrentIndex(consents.empty() ? 0 : 1);
  forget_host_->setEnabled(hosts_->currentItem() != nullptr);
  const QString problem = !list_.error.empty() ? qs(list_.error) : error;
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  edit_->setToolTip(tr("Opens the folder of %1").arg(qs(list_.own_file)));
  show_service();
}

const Service* ModelsPage::selected() const {
  const int row = services_->currentItem() ? services_->indexOfTopLevelItem(services_->currentItem()) : -1;
  return row < 0 || row >= static_cast<int>(list_.services.size()) ? nullptr
                                                                   : &list_.services[static_cast<std::size_t>(row)];
}

void ModelsPage::show_service() {
  const Service* s = selected();
  for (QWidget* w : std::initializer_list<QWidget*>{key_, check_}) w->setEnabled(s != nullptr);
  if (!s) {
    name_->set_text(tr("Select a service"));
    about_->clear();
    key_state_->clear();
    answer_->hide();
    set_->setEnabled(false);
    forget_->setEnabled(false);
    return;
  }
  name_->set_text(qs(s->title) + (s->base_url.empty() ? QString() : "  " + qs(s->base_url)));
  QStringList about = {s->about.empty() ? QString() : qs(s->about)};
  if (!s->key_variable.empty()) about += tr("environment variable %1").arg(qs(s->key_variable));
  about.removeAll(QString());
  about_->setText(about.isEmpty() ? QString() : about.join("; ") + ".");
  about_->setVisible(!about.isEmpty());
  const bool kept = keys_->services().contains(exact(s->name)),
             for_session = keys_->session_services().contains(exact(s->name));
  key_state_->setText(key_text(*s));
  key_->setPlaceholderText(s->key == KeyFrom::environment ? tr("the environment's key is used")
                           : for_session                  ? tr("replace the key of this session")
                           : kept                         ? tr("replace the key in the keychain")
                                                          : tr("paste the key here"));
  const QString problem = keys_->problem();
  const bool can_keep = problem.isEmpty();
  no_keychain_->setText(can_keep ? QString()
                        : s->key_variable.empty()
                            ? tr("%1 You can enter a key for this session.").arg(problem)
                            : tr("%1 Enter the key for this session, or start Warpwright with it in %2.")
                                  .arg(problem, qs(s->key_variable)));
  no_keychain_->setVisible(!can_keep);
  session_only_->setEnabled(can_keep);
  session_only_->setChecked(session_wanted_ || !can_keep);
  set_->setEnabled(!key_->text().trimmed().isEmpty() && !keys_->busy());
  forget_->setEnabled((kept || for_session) && !keys_->busy());
  check_->setToolTip(s->host.empty() ? QString()
                                     : tr("Asks %1 for its list of models. Sends only the key.").arg(qs(s->host)));
  show_answer(*s);
}

void ModelsPage::show_answer(const Service& service) {
  const std::optional<Models::Check> check = models_->last_check(service.name);
  answer_->setVisible(asking_ || check.has_value());
  if (asking_) {
    answer_->setText(tr("Asking %1...").arg(qs(service.title)));
    set_role(answer_, "muted");
  } else if (check && !*check) {
    answer_->setText(failure_text(service, check->error()));
    set_role(answer_, "error");
  } else if (check) {
    const std::vector<ModelEntry>& models = **check;
    QStringList some;
    for (std::size_t i = 0; i < models.size() && i < 6; ++i) some += qs(models[i].name);
    answer_->setText(models.empty() ? tr("The server responded but lists no models.")
                                    : tr("The server responded and lists %1: %2%3")
                                          .arg(counted(static_cast<int>(models.size()), tr("model"), tr("models")),
                                               some.join(", "), models.size() > 6 ? tr(" and others.") : tr(".")));
    set_role(answer_, "ok");
  }
}

void ModelsPage::set_key() {
  const Service* s = selected();
  QByteArray text = key_->text().trimmed().toUtf8();
  if (!s || text.isEmpty()) return;
  const Secret key(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
  text.fill('\0');
  key_->clear();
  models_->forget_check(s->name);
  if (session_only_->isChecked())
    keys_->set_for_session(exact(s->name), key);
  else
    keys_->set(exact(s->name), key);
  show_service();
}

void ModelsPage::forget_key() {
  if (const Service* s = selected()) {
    models_->forget_check(s->name);
    if (keys_->session_services().contains(exact(s->name)))
      keys_->set_for_session(exact(s->name), {});
    else
      keys_->forget(exact(s->name));
  }
  show_service();
}

void ModelsPage::check() {
  const Service* s = selected();
  if (!s) return;
  if (!s->asks_first || !s->why_not.empty())
    return ask_for_list(s->name);  // where it cannot be asked, the answer says why
  QMessageBox* box = make_ask_for_list(this, qs(s->host), s->key != KeyFrom::nowhere);
  auto* yes = box->findChild<QPushButton*>("ask_for_list_yes");
  connect(yes, &QPushButton::clicked, this, [this, name = s->name] { ask_for_list(name); });
  open_once(box);
}

void ModelsPage::ask_for_list(const std::string& service) {
  const Service* s = selected();
  if (!s || s->name != service) return;
  asking_ = true;
  show_answer(*s);
  cancel_.request_stop();
  cancel_ = std::stop_source();
  checker_.submit([this, name = service, models = models_, token = cancel_.get_token()]() -> LatestJob::Deliver {
    (void)models->check_service(name, token);  // it keeps the answer
    return [this] {
      asking_ = false;
      load();
      emit keys_changed();
    };
  });
}

void ModelsPage::forget_host() {
  if (!hosts_->currentItem()) return;
  forgetter_.submit([this, host = hosts_->currentItem()->data(0, Qt::UserRole).toString().toStdString(),
                     service = models_]() -> LatestJob::Deliver {
    const Status done = service->forget(host);
    const QString error = done ? QString() : qs(done.error().text());
    return [this, error] {
      if (!error.isEmpty()) {
        problem_->setText(error);
        problem_->show();
        return;
      }
      load();
      emit keys_changed();
    };
  });
}

}  // namespace ww::widgets
