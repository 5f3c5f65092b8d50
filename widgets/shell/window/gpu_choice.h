// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the GPU to model: a button of the tool bar with a menu, and a box in the settings.
#pragma once
#include <QString>
#include <memory>

class QComboBox;
class QToolButton;
class QWidget;

namespace ww::widgets {

class ModelledGpu;

QToolButton* make_gpu_button(const std::shared_ptr<ModelledGpu>& gpu, QWidget* parent);
void fill_gpus(QComboBox* box, const std::shared_ptr<ModelledGpu>& gpu);  // and keeps it in sync with the choice

}  // namespace ww::widgets
