// SPDX-License-Identifier: Apache-2.0
#include "measure/torch.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/json_reader.h"
#include "base/files.h"
#include "op/inputs.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/transform.h"
#include "rpc/python.h"

namespace ww::measure {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::seconds;
namespace {

Json tensor_json(const Case& what, const op::Param& param) {
  Json j = {{"name", param.name}, {"dtype", std::string(dtype_name(param.dtype))}, {"shape", Json::array()}};
  if (const auto shape = op::shape_of(what.spec, param, what.binding)) j["shape"] = *shape;
  if (const Result<op::Domain> domain = op::domain_of(what.spec, param, what.binding); domain && domain->given)
    j["lo"] = domain->lo, j["hi"] = domain->hi;
  if (const auto rules = op::rule_words(param.rules); !rules.empty()) j["rules"] = rules;
  return j;
}

}  // namespace

namespace {

// Whether `expression` contains the word `name`.
bool mentions(const std::string& expression, const std::string& name) {
  const auto letter = [&](std::size_t at) {
    return at < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[at])) || expression[at] == '_');
  };
  for (std::size_t at = 0; (at = expression.find(name, at)) != std::string::npos; ++at)
    if (!(at > 0 && letter(at - 1)) && !letter(at + name.size())) return true;
  return false;
}

}  // namespace

std::string torch_expression(const op::Library& library, const op::Spec& spec, const op::Binding& binding) {
  const op::LibraryOp* entry = library.find(spec.name);
  if (!entry) return {};
  const auto directive = entry->spec.directives.find("torch");
  if (directive == entry->spec.directives.end()) return {};
  const auto same = [&](const op::Spec& theirs) {
    op::Spec a = theirs, b = spec;
    for (op::Spec* s : {&a, &b}) s->directives.clear(), s->defaults.clear();
    return op::print(a) == op::print(b);
  };
  bool found = same(entry->spec);
  for (const DType type : {DType::f16, DType::bf16, DType::f64}) {
    if (found) break;
    if (const Result<op::Spec> cast = op::with_dtype(entry->spec, type)) found = same(*cast);
  }
  // An expression without a constant is valid only for the library's value of it.
  const Result<op::Resolved> usual = op::resolve(spec, {binding.symbols, {}}), wanted = op::resolve(spec, binding);
  if (!usual || !wanted) return {};
  for (std::size_t i = 0; i < usual->constants.size(); ++i) {
    const op::ResolvedConstant &a = usual->constants[i], &b = wanted->constants[i];
    found &= (a.real == b.real && a.integer == b.integer) || mentions(directive->second, a.name);
  }
  return found ? directive->second : std::string();
}

TorchHelper::TorchHelper(std::unique_ptr<rpc::PythonHelper> process, std::string python)
    : process_(std::move(process)), python_(std::move(python)) {}
TorchHelper::~TorchHelper() = default;

Result<std::unique_ptr<TorchHelper>> TorchHelper::start(const std::string& device, const std::stop_token& cancel) {
  const std::size_t colon = device.find(':');
  const int ordinal = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
  rpc::PythonHelper::Found found = WW_TRY(
      rpc::PythonHelper::find("torch_baseline.py", {{"device", ordinal}}, "a PyTorch that sees the GPU", cancel));
  std::unique_ptr<TorchHelper> helper(new TorchHelper(std::move(found.helper), std::move(found.python)));
  helper->ordinal_ = ordinal;
  helper->version_ = found.facts["torch"] + ", CUDA " + found.facts["cuda"];
  return helper;
}

Result<std::vector<TorchHelper::Variant>> TorchHelper::prepare(const op::Library& library, const Case& what,
                                                               const std::stop_token& cancel) {
  const std::string expression = torch_expression(library, what.spec, what.binding);
  if (expression.empty()) return fail(Code::unsupported, "the op library has no PyTorch expression for this op");
  Json symbols = Json::object(), constants = Json::object(), inputs = Json::array(), outputs = Json::array();
  const op::Resolved resolved = WW_TRY(op::resolve(what.spec, what.binding));
  for (const std::string& s : what.spec.symbols) symbols[s] = resolved.symbols.at(s);
  for (const op::ResolvedConstant& c : resolved.constants)
    constants[c.name] = c.type == op::Type::real ? Json(c.real) : Json(c.integer);
  for (const op::Param& p : what.spec.inputs) inputs.push_back(tensor_json(what, p));
  for (const op::Param& p : what.spec.outputs) outputs.push_back(tensor_json(what, p));
  const Json answer = WW_TRY(process_->call("prepare",
                                            {{"expression", expression},
                                             {"symbols", symbols},
                                             {"constants", constants},
                                             {"inputs", inputs},
                                             {"outputs", outputs},
                                             {"device", ordinal_},
                                             {"seed", 0},
                                             {"compile", true}},
                                            seconds(300), cancel));
  std::vector<Variant> variants;
  try {
    for (const Json& v : answer.at("variants")) variants.push_back({v.at("name"), v.at("error"), v.at("note")});
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the Python helper's answer cannot be read", json::explain_exception(e));
  }
  return variants;
}

Result<std::vector<profile::SubjectTiming>> TorchHelper::time(int round, int samples, const std::stop_token& cancel) {
  const Json answer = WW_TRY(process_->call("time",
                                            {{"round", round},
                                             {"samples", samples},
                                             {"cold", true},
                                             {"warm", true},
                                             {"sample_seconds", 0.0005},
                                             {"warm_up_seconds", 0.05},
                                             {"order_seed", 0}},
                                            seconds(120), cancel));
  const auto timings = answer.find("timings");
  if (timings == answer.end()) return fail(Code::corrupt, "the Python helper's answer has no timings");
  return json::read<std::vector<profile::SubjectTiming>>(*timings, "the Python helper's timings cannot be read");
}

}  // namespace ww::measure
