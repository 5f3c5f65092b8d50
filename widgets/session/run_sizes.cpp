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
  return (run.imported ? tr("Run %1: %2, imported: %3 of %4 candidates proved here, %5")
                       : tr("Run %1: %2, %3 of %4 proved, %5"))
      .arg(run.id)
      .arg((qs(run.op_name) + " " + run_sizes(run)).trimmed())
      .arg(run.accepted)
      .arg(run.imported ? run.proposed : run.judged)
      .arg(when_text(run.created));
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
