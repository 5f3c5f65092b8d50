// SPDX-License-Identifier: Apache-2.0
#include "evidence/explain.h"
#include <cmath>
#include <fmt/format.h>
#include "base/device_name.h"
#include "evidence/wrong_count.h"

namespace ww::evidence {

std::string element_name(const FailingElement& e) {
  return e.index.empty() ? e.tensor : fmt::format("{}[{}]", e.tensor, fmt::join(e.index, ", "));
}

std::string element_text(const FailingElement& e) {
  const auto value = [](double v) { return std::isnan(v) ? std::string("NaN") : fmt::format("{:.9g}", v); };
  if (e.unwritten)
    return fmt::format("{}: expected {}, never written; {}", element_name(e), value(e.expected),
                       wrong_count(e.wrong, e.total));
  std::string text = fmt::format("{}: expected {}, got {} (tolerance {:.3g}", element_name(e), value(e.expected),
                                 value(e.actual), e.tolerance);
  // There is no distance to NaN or an infinity.
  if (e.error_ulps > 0 && std::isfinite(e.expected) && std::isfinite(e.actual))
    text += fmt::format(", error {:.4g} ulp", e.error_ulps);
  return text + "); " + wrong_count(e.wrong, e.total);
}

std::string fault_text(const Fault& f) {
  std::string text(enum_name(f.kind));
  if (!f.kernel.empty()) text += " in kernel " + f.kernel;
  if (f.line > 0) text += fmt::format(", line {}", f.line);
  if (!f.kernel.empty() || f.line > 0)
    text += fmt::format(", block ({}, {}, {}), thread ({}, {}, {})", f.block[0], f.block[1], f.block[2], f.thread[0],
                        f.thread[1], f.thread[2]);
  return f.message.empty() ? text : text + ": " + f.message;
}

std::string binding_text(const op::Binding& binding) {
  std::string text;
  for (const auto& [name, value] : binding.symbols)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  for (const auto& [name, value] : binding.constants)
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string depends_text(DependsOn what) {
  switch (what) {
    case DependsOn::unknown:
    case DependsOn::no_order: break;
    case DependsOn::lanes: return "it depends on the order of a warp's lanes";
    case DependsOn::warps: return "it depends on the order of warps";
    case DependsOn::blocks: return "it depends on the order of blocks";
    case DependsOn::atomics: return "it depends on the order of atomic operations";
    case DependsOn::calls: return "right in a freshly loaded module: the candidate keeps state between calls";
    case DependsOn::chance:
      return "the same inputs give different results from run to run, so the secret may not reproduce this";
  }
  return {};
}

std::string case_text(const Failure& f) {
  if (f.case_name.empty()) return {};
  std::string text = "case " + f.case_name;
  if (const std::string b = binding_text(f.binding); !b.empty()) text += " (" + b + ")";
  return text + fmt::format(", inputs {}, seed {}", op::distribution_name(f.distribution), f.seed);
}

Remedy remedy_of(const Verdict& verdict) {
  if (verdict.ruling() != Ruling::not_judged) return {};
  switch (verdict.last_fault()) {
    case FaultKind::unsupported:
      return is_simt(verdict.device) ? Remedy{"Try a GPU.", "--device cuda:0"}
                                     : Remedy{"Try a different GPU model.", {}};
    case FaultKind::budget_exceeded: return {"It may loop forever. Try a larger launch budget.", "--launch-budget"};
    case FaultKind::timeout:
    case FaultKind::processor_limit: return {"Try more time per candidate.", "--candidate-seconds"};
    case FaultKind::memory_limit: return {"Try more memory for the worker.", "--memory-limit"};
    case FaultKind::unbounded_error:
      return {"Give the inputs of the spec domains in which its values stay finite, as in 'x: f32[N] in -10..10'.", {}};
    case FaultKind::out_of_memory:
      return {"Try a device with more memory, or smaller sizes for the default case.", "--set"};
    case FaultKind::killed:
    case FaultKind::device_lost: return {"Judge it again.", {}};
    default: return {};
  }
}

std::string failure_text(const Verdict& verdict, std::size_t log_limit) {
  std::string text;
  for (const StageResult& s : verdict.stages) {
    if (!ends_judgement(s.outcome)) continue;
    text += enum_string(s.stage) + ": " + s.message;
    if (s.failure) {
      if (const std::string c = case_text(*s.failure); !c.empty()) text += "\n" + c;
      if (s.failure->element) text += "\n" + element_text(*s.failure->element);
      if (s.failure->fault) text += "\n" + fault_text(*s.failure->fault);
    }
    if (!s.detail.empty()) text += "\n" + s.detail.substr(0, log_limit) + (s.detail.size() > log_limit ? "\n…" : "");
    text += '\n';
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (const Remedy remedy = remedy_of(verdict); !remedy.sentence.empty())
    text += "\nNot judged. " + std::string(remedy.sentence);
  return text;
}

}  // namespace ww::evidence
