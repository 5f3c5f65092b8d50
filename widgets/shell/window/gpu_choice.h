// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the GPU that numbers are modelled for: a button of the tool bar with a menu, and a box of the settings.
#pragma once
#include <QString>
#include <memory>

class QComboBox;
class QToolButton;
class QWidget;

namespace ww::widgets {

class ModelledGpu;

QToolButton* make_gpu_button(const std::shared_ptr<ModelledGpu>& gpu, QWidget* parent);
void fill_gpus(QComboBox* box, const std::shared_ptr<ModelledGpu>& gpu);  // and keeps it as the choice is

}  // namespace ww::widgets
