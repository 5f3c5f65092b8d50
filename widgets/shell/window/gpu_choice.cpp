// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/gpu_choice.h"
#include <QActionGroup>
#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include "parts/theme/controls.h"
#include "session/modelled_gpu.h"

namespace ww::widgets {
namespace {

QString no_gpu() { return QObject::tr("The run's architecture"); }

QString gpu_line(const profile::Datasheet& gpu) {
  return QObject::tr("%1 (%2, %3 multiprocessors)").arg(qs(gpu.gpu), qs(gpu.architecture)).arg(gpu.multiprocessors);
}

}  // namespace

QToolButton* make_gpu_button(const std::shared_ptr<ModelledGpu>& gpu, QWidget* parent) {
  auto* button = with_id(new QToolButton(parent), "modelled_gpu");
  button->setPopupMode(QToolButton::InstantPopup);
  button->setFocusPolicy(Qt::TabFocus);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(button);
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& text, const QString& name) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setData(name);
    group->addAction(action);
  };
  add(no_gpu(), {});
  menu->addSeparator();
  for (const profile::Datasheet& one : gpu->known()) add(gpu_line(one), qs(one.gpu));
  button->setMenu(menu);
  QObject::connect(group, &QActionGroup::triggered, button,
                   [gpu](QAction* action) { gpu->choose(action->data().toString()); });
  const auto show = [gpu = gpu.get(), button, group] {
    const QString name = qs(gpu->chosen());
    button->setText(name.isEmpty() ? QObject::tr("GPU") : name);
    name_it(button, QObject::tr("Modelled GPU: %1").arg(name.isEmpty() ? no_gpu() : name),
            QObject::tr("Occupancy, roofline and advice are modelled for this GPU if none was measured, and new runs "
                        "on the SIMT machine are compiled for it. Currently: %1")
                .arg(name.isEmpty() ? QObject::tr("each run's own architecture") : name));
    for (QAction* action : group->actions()) action->setChecked(action->data().toString() == name);
  };
  QObject::connect(gpu.get(), &ModelledGpu::changed, button, show);
  show();
  return button;
}

void fill_gpus(QComboBox* box, const std::shared_ptr<ModelledGpu>& gpu) {
  box->addItem(no_gpu(), QString());
  for (const profile::Datasheet& one : gpu->known()) box->addItem(gpu_line(one), qs(one.gpu));
  const auto show = [gpu = gpu.get(), box] { box->setCurrentIndex(std::max(0, box->findData(qs(gpu->chosen())))); };
  QObject::connect(gpu.get(), &ModelledGpu::changed, box, show);
  QObject::connect(box, &QComboBox::activated, box, [gpu, box] { gpu->choose(box->currentData().toString()); });
  show();
}

}  // namespace ww::widgets
