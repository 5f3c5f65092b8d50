// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_sizes.h"
#include <QCoreApplication>
#include <QStringList>
#include "generator/run_options.h"
#include "op/parse.h"
#include "parts/theme/text.h"

namespace ww::widgets {

QString run_line(const store::RunRecord& run) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("runs", text); };
  return tr("Run %1: %2, %3, %4")
      .arg(run.id)
      .arg((qs(run.op_name) + " " + run_sizes(run)).trimmed())
      .arg(proved_text(run), when_text(run.created));
}

QString proved_text(const store::RunRecord& run) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("runs", text); };
  if (run.imported && run.judged == 0) return tr("%1 imported, not judged here").arg(run.proposed);
  return (run.imported ? tr("imported, %1 of %2 judged here proved") : tr("%1 of %2 proved"))
      .arg(run.accepted)
      .arg(run.judged);
}

QString run_sizes(const store::RunRecord& run) {
  const Result<generator::RunOptions> options = generator::options_from_json(run.options);
  if (!options) return {};
  const Result<op::Spec> spec = op::parse_spec(options->spec);
  if (!spec) return {};
  QStringList sizes;
  for (const std::string& symbol : spec->symbols) {
    const auto set = options->binding.symbols.find(symbol);
    const auto usual = spec->defaults.find(symbol);
    if (set != options->binding.symbols.end())
      sizes += QString::number(set->second);
    else if (usual != spec->defaults.end())
      sizes += QString::number(usual->second);
  }
  return sizes.join(QStringLiteral(" \u00d7 "));
}

}  // namespace ww::widgets
