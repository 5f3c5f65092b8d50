// SPDX-License-Identifier: GPL-3.0-or-later
// A PyTorch module in the box: its import as an op spec, and the command that does the same in a terminal.
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include "evidence/explain.h"
#include "importer/trust.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_file_dialog.h"
#include "panels/describe/reading_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/text.h"
#include "session/module_importer.h"
#include "store/paste.h"

namespace ww::widgets {
namespace {

QString comparison_text(const importer::Comparison& c) {
  if (c.sets == 0)
    return DescribePanel::tr("It was not compared with the module, whose results are not finite on random inputs.");
  return DescribePanel::tr("It is equal to the module on %1 random input sets, computed in %2. At the largest: %3.")
      .arg(c.sets)
      .arg(c.exact ? DescribePanel::tr("double precision")
                   : DescribePanel::tr("the module's own precision, within the bound of its rounding errors"),
           qs(evidence::binding_text({c.sizes.back(), {}})));
}

Formulated formulated_from(const importer::Imported& imported) {
  Formulated made;
  made.by = Formulated::By::import;
  made.text = imported.module.text;
  made.explanation = comparison_text(imported.comparison).toStdString();
  made.assumptions = imported.module.notes;
  made.assumptions.push_back(DescribePanel::tr("The file's own sizes: %1.")
                                 .arg(qs(evidence::binding_text({imported.module.sizes, {}})))
                                 .toStdString());
  return made;
}

}  // namespace

QString DescribePanel::file_in_box() const { return sentence() == opened_text_ ? opened_ : QString(); }

// Of the text; empty: Model, or the file's only one.
QStringList DescribePanel::modules_to_choose() const {
  static const QRegularExpression module("^class\\s+(\\w+)\\s*\\([^)]*Module\\b", QRegularExpression::MultilineOption);
  QStringList classes;
  for (auto it = module.globalMatch(sentence()); it.hasNext();) classes += it.next().captured(1);
  return classes.size() > 1 ? classes : QStringList();
}

QString DescribePanel::import_command() const {
  QString file = file_in_box().isEmpty() ? QStringLiteral("FILE.py") : file_in_box();
  if (const QStringList modules = modules_to_choose(); !modules.isEmpty()) file += ":" + modules.last();
  return "warpwright-cli spec " + qs(store::shell_word(file.toStdString())) + " -o module.op";
}

bool DescribePanel::ask_what_is_missing() {
  if (needs_plan()) {
    write_plan();
    return true;
  }
  if (text_kind(sentence()) != TextKind::pytorch || (formulated_ && taken_) || op_chosen()) return false;
  if (!importing_ && modules_to_choose().isEmpty()) ask_to_import({});  // else one of them is chosen in the panel
  return true;
}

Result<std::string> DescribePanel::program() const {
  const QString file = file_in_box();
  return file.isEmpty() ? Result<std::string>(sentence().toStdString()) : importer::read_program(file.toStdString());
}

// Asks before the file is run, once for each version of it, and only where a Python could import it.
void DescribePanel::ask_to_import(const QString& name) {
  const Result<std::string> content = program();
  if (!content) {
    emit problem(qs(content.error().text()));
    return;
  }
  if (importer::may_run(file_in_box().toStdString(), *content)) return run_import(name);
  wanted_module_ = name;
  begin_import(tr("Looking for a Python with PyTorch…"));
  importer_->prepare();
}

void DescribePanel::begin_import(const QString& what) {
  if (!importer_) {
    importer_ = new ModuleImporter(this);
    connect(importer_, &ModuleImporter::prepared, this, &DescribePanel::on_prepared);
    connect(importer_, &ModuleImporter::imported, this, &DescribePanel::on_imported);
  }
  importing_ = true;
  begin_asking(what);
}

void DescribePanel::on_prepared(bool ready, const QString& why_not) {
  importing_ = false;
  const bool current = asked_ == sentence();
  show_formulated(nullptr, {});
  if (current && ready) ask_to_run(wanted_module_);
  if (current && !why_not.isEmpty()) reading_->add_note(why_not, "warning");
}

void DescribePanel::ask_to_run(const QString& name) {
  const QString file = file_in_box();
  const Result<std::string> stored = program();
  if (!stored) {
    emit problem(qs(stored.error().text()));
    return;
  }
  const std::string content = *stored;
  QMessageBox* box = make_run_file_dialog(this, file);
  auto* yes = box->findChild<QPushButton*>("run_file_yes");
  connect(yes, &QPushButton::clicked, this, [this, file, content, name, asked = sentence()] {
    if (asked != sentence()) return;  // another text is in the box by now
    const Status kept = importer::let_run(file.toStdString(), content);
    if (!kept) emit problem(qs(kept.error().text()));
    run_import(name);
  });
  open_once(box);
}

void DescribePanel::run_import(const QString& name) {
  begin_import(tr("Python runs the file and compares its module with the op spec…"));
  importer_->start(file_in_box(), sentence(), name);
}

void DescribePanel::on_imported(const std::shared_ptr<const importer::Imported>& module, const QString& why_not) {
  importing_ = false;
  if (module && module->comparison.difference.empty())
    return show_formulated(std::make_shared<const Formulated>(formulated_from(*module)), {});
  const bool current = asked_ == sentence();
  show_formulated(nullptr, {});
  if (!current) return;
  const QString wrong =
      module ? tr("The import failed: its spec differs from the module %1").arg(qs(module->comparison.difference))
             : why_not;
  if (!wrong.isEmpty()) reading_->add_note(wrong, "warning");
}

}  // namespace ww::widgets
