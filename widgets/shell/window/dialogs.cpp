// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/dialogs.h"
#include <QDir>
#include <QMessageBox>
#include "candidate/bare_kernel.h"
#include "op/parse.h"
#include "panels/describe/run_file_dialog.h"
#include "panels/review/countersign_dialog.h"
#include "panels/review/passphrase_dialog.h"
#include "panels/review/trust_dialog.h"
#include "panels/review/weaker_dialog.h"
#include "parts/plan_form.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/text.h"
#include "review/fingerprint.h"
#include "session/actions/registry.h"
#include "session/export_dialog.h"
#include "session/selection.h"
#include "session/session.h"
#include "shell/consent/consent.h"
#include "shell/settings/ask_for_list.h"
#include "shell/window/main_window.h"
#include "shell/window/run_deletion.h"
#include "shell/window/status.h"

namespace ww::widgets {

namespace {

constexpr const char* dialog_actions[] = {
    "help.palette",   "go.quick_open", "go.find",        "file.settings",   "file.models",
    "help.shortcuts", "help.about",    "candidates.tag", "candidates.note", "candidates.columns",
};

QDialog* example_plan_form(MainWindow& window) {
  const std::string kernel =
      "extern \"C\" __global__ void scale_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int "
      "columns) "
      "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < rows * columns) y[i] = 2 * x[i];\n}\n";
  const Result<op::Spec> spec = op::parse_spec(window.session()->shown_spec());
  return new PlanForm(exact(kernel), PlanForm::kernels_of(kernel), spec ? std::optional(*spec) : std::nullopt, &window);
}

QDialog* example_trust_dialog(MainWindow& window) {
  const std::string key(64, 'a');
  SignatureView signature;
  signature.signature.reviewer = "Ada";
  signature.signature.public_key = key;
  signature.fingerprint = review::fingerprint(key);
  if (const Result<std::string> words = review::fingerprint_words(key)) signature.words = *words;
  return new TrustDialog(signature, &window);
}

QDialog* example_weaker_dialog(MainWindow& window) {
  return make_weaker_dialog(&window, {{review::Judged::proved_cases, "15 of 23", "14 of 22", true},
                                      {review::Judged::elements, "all", "4 096 of 8 192", true}});
}

ExportOffer example_export(MainWindow& window) {
  return {window.selection()->current(), "rmsnorm", false, {{9, "rmsnorm_backward", "rows", {}, true, true}}, {}};
}

}  // namespace

std::vector<NamedDialog> dialogs_of(MainWindow& window) {
  std::vector<NamedDialog> list;
  for (const char* id : dialog_actions)
    if (QAction* action = window.actions_registry()->action(id))
      list.push_back({QString(id).replace('.', '_'), [action] { action->trigger(); }});
  const auto alone = [&](const char* name, std::function<QDialog*()> make) {
    list.push_back({name, [make = std::move(make)] { open_once(make()); }});
  };
  MainWindow* w = &window;
  alone("plan_form", [w] { return example_plan_form(*w); });
  alone("export", [w] { return new ExportDialog(example_export(*w), w); });
  alone("consent", [w] {
    return new ConsentDialog(w->context().services.models, {"api.example.com", "Example", false, {}}, w);
  });
  alone("ask_for_list", [w] { return make_ask_for_list(w, "api.example.com", true); });
  alone("run_file", [w] { return make_run_file_dialog(w, QDir::home().filePath("model.py")); });
  alone("trust", [w] { return example_trust_dialog(*w); });
  alone("passphrase", [w] { return make_passphrase_dialog(w, "signing.key"); });
  alone("weaker", [w] { return example_weaker_dialog(*w); });
  alone("countersign", [w] { return make_countersign_dialog(w, review::KeyStanding::unknown); });
  list.push_back({"delete_run", [w] { w->findChild<RunDeletion*>()->ask(w->session()->shown_run()); }});
  list.push_back({"create_workspace", [w] { w->open_folder(QDir::rootPath()); }});
  list.push_back({"protections", [w] { emit w->status_part()->protections_wanted("user namespace\nno network"); }});
  return list;
}

}  // namespace ww::widgets
