// SPDX-License-Identifier: Apache-2.0
#include "measure/torch.h"
#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include "base/described_json.h"
#include "base/json_reader.h"
#include "base/files.h"
#include "op/inputs.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/transform.h"
#include "rpc/process.h"

namespace ww::measure {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::seconds;
namespace {

std::vector<fs::path> pythons() {
  if (const char* given = std::getenv("WARPWRIGHT_PYTHON"); given && *given) return {given};
  std::vector<fs::path> out;
  const char* path = std::getenv("PATH");
  const std::string all = path ? path : "";
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path python = fs::path(all.substr(begin, end - begin)) / "python3";
    std::error_code ec;
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const fs::path& p) { return fs::equivalent(p, python, ec); });
    if (end > begin && !known && ::access(python.c_str(), X_OK) == 0) out.push_back(python);
    begin = end + 1;
  }
  return out;
}

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

TorchHelper::TorchHelper(std::unique_ptr<rpc::Process> process, std::string python)
    : process_(std::move(process)), python_(std::move(python)) {}
TorchHelper::~TorchHelper() {
  process_->close_input();  // it ends at the end of its input
  process_->pump(rpc::Milliseconds(0));
  if (!process_->wait(rpc::Milliseconds(2000))) process_->terminate(rpc::Milliseconds(500));
}

Result<std::unique_ptr<TorchHelper>> TorchHelper::start(const std::string& device, const std::stop_token& cancel) {
  const fs::path script = resources_dir() / "python/torch_baseline.py";
  std::string reasons;
  const std::vector<fs::path> all = pythons();
  for (const fs::path& python : all) {
    Result<std::unique_ptr<rpc::Process>> process =
        rpc::Process::start(python, {"-u", script.string()},
                            {"PYTHON*", "VIRTUAL_ENV", "CONDA_*", "TORCH*", "TRITON_*", "OMP_*", "MKL_*", "CC", "CXX"});
    std::string why;
    if (!process) {
      why = process.error().cause;
    } else {
      std::unique_ptr<TorchHelper> helper(new TorchHelper(std::move(*process), python.string()));
      const std::size_t colon = device.find(':');
      helper->ordinal_ = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
      const Result<Json> facts = helper->call("describe", {{"device", helper->ordinal_}}, seconds(120), cancel);
      if (!facts && facts.error().code == Code::cancelled) return fail(facts.error());
      if (!facts)
        why = facts.error().text();
      else
        why = facts->value("why_not", std::string());
      if (why.empty()) {
        helper->version_ = facts->value("torch", std::string()) + ", CUDA " + facts->value("cuda", std::string());
        return helper;
      }
    }
    reasons += (reasons.empty() ? "" : "\n") + python.string() + ": " + why;
  }
  if (all.empty())
    return fail(Code::unavailable,
                "there is no python3 on the PATH; set WARPWRIGHT_PYTHON to a Python that has PyTorch");
  if (all.size() == 1)
    return fail(Code::unavailable,
                "no PyTorch with a GPU: " + reasons + "; set WARPWRIGHT_PYTHON to a Python that has it");
  return fail(Code::unavailable, "no Python here has a PyTorch that sees the GPU; set WARPWRIGHT_PYTHON to one",
              reasons);
}

Result<Json> TorchHelper::call(const std::string& method, const Json& params, seconds limit,
                               const std::stop_token& cancel) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}};
  process_->post(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const Result<std::optional<std::string>> body = process_->next();
    if (!body) return fail(Code::corrupt, "the Python helper's answer cannot be read", body.error().text());
    if (*body) {
      const Json j = json::json_or_null(**body);
      if (!j.is_object() || !j.contains("id") || j["id"] != id_)
        return fail(Code::corrupt, "the Python helper's answer does not match the request");
      if (const auto error = j.find("error"); error != j.end() && error->is_object()) {
        const Json data = error->value("data", Json::object());
        return fail(code_from_name(data.value("code", std::string("internal"))), error->value("message", std::string()),
                    data.value("cause", std::string()));
      }
      const auto result = j.find("result");
      if (result == j.end() || !result->is_object())
        return fail(Code::corrupt, "the Python helper's answer has no result");
      return *result;
    }
    if (cancel.stop_requested()) {
      process_->terminate(rpc::Milliseconds(500));
      return fail(Code::cancelled, "measuring was cancelled");
    }
    if (std::chrono::steady_clock::now() > until) {
      process_->terminate(rpc::Milliseconds(500));
      return fail(Code::timeout, "the Python helper did not answer '" + method + "' within " +
                                     std::to_string(limit.count()) + " seconds and was killed");
    }
    if (!process_->pump(rpc::Milliseconds(200))) {
      const Result<std::optional<std::string>> last = process_->next();
      if (last && *last) continue;
      process_->wait(rpc::Milliseconds(500));
      const std::string& errors = process_->errors();
      return fail(Code::crashed,
                  "the Python helper " +
                      (process_->end_text().empty() ? std::string("closed its output") : process_->end_text()),
                  errors.substr(errors.size() - std::min<std::size_t>(errors.size(), 600)));
    }
  }
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
  const Json answer = WW_TRY(call("prepare",
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
  const Json answer = WW_TRY(call("time",
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
