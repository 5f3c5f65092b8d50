// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <filesystem>
#include "base/result.h"
#include "base/secret.h"

class QDialog;

namespace ww::widgets {

class Reviewer;

QDialog* make_passphrase_dialog(QWidget* parent, const std::filesystem::path& key);
// Asks for the passphrase of the signing key. Code::cancelled if the user gives none. GUI thread.
Result<Secret> ask_passphrase(QWidget* parent, const std::filesystem::path& key);
void ask_passphrases_over(QWidget* panel, Reviewer* reviewer);  // in a dialog over the panel's window

}  // namespace ww::widgets
