// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel without a launch plan: the form that asks for it, and for the op.
#include <QPointer>
#include <algorithm>
#include "op/parse.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/given_candidates.h"
#include "panels/describe/spec_view.h"
#include "parts/plan_form.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/text.h"
#include "session/text_kind.h"

namespace ww::widgets {
namespace {

std::vector<candidate::BareKernel> pasted_kernels(const QString& text) {
  return text_kind(text) == TextKind::cuda ? PlanForm::kernels_of(text.toStdString())
                                           : std::vector<candidate::BareKernel>();
}

}  // namespace

// A kernel without a launch plan cannot be judged; a run would silently ignore it.
bool DescribePanel::kernel_left_out() const {
  const TextKind kind = text_kind(sentence().trimmed());
  if (formulated_ && taken_) return false;  // it describes the op
  if (kind != TextKind::cuda && kind != TextKind::ptx && kind != TextKind::candidate) return false;
  return !given_->contains(sentence());
}

bool DescribePanel::needs_plan() const { return !pasted_kernels(sentence()).empty(); }

void DescribePanel::write_plan() {
  std::vector<candidate::BareKernel> kernels = pasted_kernels(sentence());
  if (kernels.empty() || findChild<PlanForm*>()) return;
  plan_waits_ = !ops_known_;  // of the library, to be offered
  if (plan_waits_) return;
  const bool own = checked_ && spec_ready_ && spec_chosen_ && spec_->text() != last_made_;  // written by the user
  auto* form = new PlanForm(sentence(), std::move(kernels), own ? checked_ : std::nullopt, this);
  connect(form, &PlanForm::op_chosen, form, [this, form](const QString& name) {
    if (checked_ && spec_ready_ && qs(checked_->name) == name) return form->set_spec(*checked_);
    plan_op_.submit([form = QPointer<PlanForm>(form), language = services_.language, name]() -> LatestJob::Deliver {
      const Result<std::string> text = language->op_text(name.toStdString());
      std::optional<op::Spec> spec;
      if (text)
        if (Result<op::Spec> parsed = op::parse_spec(*text)) spec = std::move(*parsed);
      return [form, spec] {
        if (form && spec) form->set_spec(*spec);
      };
    });
  });
  QStringList names;
  for (const OpSummary& op : ops_) names += qs(op.name);
  form->offer_ops(names, own ? qs(checked_->name) : QString());
  connect(form, &QDialog::accepted, this, [this, form] { take_planned(*form); });
  open_once(form);
}

// The kernel becomes a candidate that is judged first, and its op the one to run.
void DescribePanel::take_planned(const PlanForm& form) {
  const std::string text = form.text().toStdString();
  const op::Spec spec = *form.spec();
  // By its file's name, if it came from one.
  given_->add(file_in_box().isEmpty() ? qs(form.kernel().name) + ".cu" : file_in_box(), text,
              candidate::Language::cuda);
  const auto known = std::find_if(ops_.begin(), ops_.end(), [&](const OpSummary& op) { return op.name == spec.name; });
  if (checked_ && checked_->name == spec.name && spec_->text() != last_made_)
    return set_sentence({});  // the user's own
  if (known == ops_.end() || known->phrase.empty()) {
    set_sentence({});
    return take_spec(exact(op::print(spec)));
  }
  begin_sentence(qs(known->phrase));
  choose();
}

}  // namespace ww::widgets
