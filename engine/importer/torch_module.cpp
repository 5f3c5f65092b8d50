// SPDX-License-Identifier: Apache-2.0
#include "importer/torch_module.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>
#include "base/base64.h"
#include "base/describe.h"
#include "base/described_json.h"
#include "base/json_reader.h"
#include "evidence/explain.h"
#include "importer/trust.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "rpc/python.h"

namespace ww::importer {
namespace fs = std::filesystem;
using json::Json;
using std::chrono::seconds;
namespace {

struct PackedTensor {
  std::string dtype, data;
  std::vector<std::int64_t> shape;
  WW_FIELDS(PackedTensor, dtype, shape, data)
};
struct InputSet {
  std::map<std::string, std::int64_t> sizes;
  bool exact = false;
  std::map<std::string, PackedTensor> inputs, outputs;
  WW_FIELDS(InputSet, sizes, exact, inputs, outputs)
};
struct Translation {
  std::string text;
  std::vector<ModuleInput> inputs;
  std::vector<std::string> outputs, notes;
  std::map<std::string, std::int64_t> sizes;
  WW_FIELDS(Translation, text, inputs, outputs, sizes, notes)
};

Result<op::HostTensor> unpacked(const std::string& name, const PackedTensor& packed) {
  const std::optional<DType> type = dtype_from_name(packed.dtype);
  std::optional<std::vector<std::byte>> bytes = from_base64(packed.data);
  const bool fits =
      type && bytes && std::all_of(packed.shape.begin(), packed.shape.end(), [](auto n) { return n >= 0; });
  if (!fits || bytes->size() != static_cast<std::size_t>(op::element_count(packed.shape)) * dtype_size(*type))
    return fail(Code::corrupt, "the Python helper's tensor '" + name + "' cannot be read");
  return op::HostTensor{*type, packed.shape, std::move(*bytes)};
}

std::string place_text(std::size_t at, const std::vector<std::int64_t>& shape) {
  std::string out;
  for (std::size_t d = shape.size(); d-- > 0; at /= static_cast<std::size_t>(shape[d]))
    out = std::to_string(at % static_cast<std::size_t>(shape[d])) + (out.empty() ? "" : ", ") + out;
  return shape.empty() ? "" : "[" + out + "]";
}

// How far an element may be off. The module computed in double precision leaves far less than what rounding to f32
// would: that tells apart constants, too.
double allowed(const op::ReferenceTensor& spec, std::size_t i, double scale, bool exact) {
  const double bound = i < spec.bound.size() ? spec.bound[i] : 0;
  if (is_integer(spec.dtype) || !exact) return bound;
  return 1e-9 * std::fabs(spec.value[i]) + 1e-11 * scale + (std::isfinite(bound) ? 1e-6 * bound : 0);
}

// Empty: they agree. `compared`: elements that are finite.
std::string difference(const std::string& name, const op::ReferenceTensor& spec, const op::HostTensor& module,
                       bool exact, std::size_t& compared) {
  if (spec.shape != module.shape)
    return fmt::format("the shapes of '{}' differ: {} elements by the spec, {} by the module", name,
                       op::element_count(spec.shape), op::element_count(module.shape));
  const std::size_t count = static_cast<std::size_t>(op::element_count(spec.shape));
  const auto of_module = [&](std::size_t i) {
    const void* at = module.bytes.data() + i * dtype_size(module.dtype);
    return is_real(module.dtype) ? load_f64(module.dtype, at) : static_cast<double>(load_i64(module.dtype, at));
  };
  double scale = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isfinite(spec.value_at(i))) scale = std::max(scale, std::fabs(spec.value_at(i)));
  for (std::size_t i = 0; i < count; ++i) {
    const double s = spec.value_at(i), m = of_module(i);
    if (std::isfinite(s) && std::isfinite(m)) ++compared;
    const bool same = s == m || (std::isnan(s) && std::isnan(m)) || std::fabs(s - m) <= allowed(spec, i, scale, exact);
    if (!same)
      return fmt::format("{}{} is {:.9g} by the spec and {:.9g} by the module", name, place_text(i, spec.shape), s, m);
  }
  return {};
}

}  // namespace

std::optional<ModuleRequest> module_named(const std::string& text) {
  ModuleRequest request;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && text.substr(0, colon).ends_with(".py")) {
    request.file = text.substr(0, colon);
    request.name = text.substr(colon + 1);
    return request;
  }
  if (!text.ends_with(".py") || text.find('\n') != std::string::npos) return std::nullopt;
  request.file = text;
  return request;
}

TorchModules::TorchModules(std::unique_ptr<rpc::PythonHelper> helper, std::string python, std::string torch)
    : helper_(std::move(helper)), python_(std::move(python)), torch_(std::move(torch)) {}
TorchModules::~TorchModules() = default;

Result<std::unique_ptr<TorchModules>> TorchModules::start(const std::stop_token& cancel) {
  rpc::PythonHelper::Found found = WW_TRY(rpc::PythonHelper::find(
      "torch_import.py", Json::object(), "PyTorch 2.6 or newer, which can export modules", cancel));
  return std::unique_ptr<TorchModules>(
      new TorchModules(std::move(found.helper), std::move(found.python), found.facts["torch"]));
}

Result<Module> TorchModules::import(const ModuleRequest& request, const std::stop_token& cancel) {
  std::error_code ec;
  const Json answer = WW_TRY(helper_->call("import",
                                           {{"file", fs::absolute(request.file, ec).string()},
                                            {"name", request.name},
                                            {"inputs", request.inputs},
                                            {"eval", request.evaluation}},
                                           seconds(300), cancel));
  Translation made = WW_TRY(json::read<Translation>(answer, "the Python helper's answer cannot be read"));
  Result<op::Spec> spec = op::parse_spec(made.text, "the spec of the module");
  if (!spec)
    return fail(Code::internal, "the translation of the module is no valid spec: " + spec.error().message,
                spec.error().cause);
  return Module{std::move(*spec),        std::move(made.text),  std::move(made.inputs),
                std::move(made.outputs), std::move(made.sizes), std::move(made.notes)};
}

Result<Comparison> TorchModules::compare(const Module& module, int sets, std::uint64_t seed,
                                         const std::stop_token& cancel) {
  Comparison out;
  out.seed = seed;
  for (int set = 0; set < sets; ++set) {
    const Json answer = WW_TRY(helper_->call("run", {{"seed", seed}, {"set", set}}, seconds(300), cancel));
    const InputSet made = WW_TRY(json::read<InputSet>(answer, "the Python helper's answer cannot be read"));
    std::map<std::string, op::HostTensor> inputs;
    for (const auto& [name, packed] : made.inputs) inputs[name] = WW_TRY(unpacked(name, packed));
    op::EvaluateOptions options;
    options.stop = cancel;
    const Result<std::map<std::string, op::ReferenceTensor>> got =
        op::evaluate(module.spec, op::Binding{made.sizes, {}}, inputs, options);
    if (!got && got.error().code == Code::cancelled) return fail(got.error());
    if (!got) {
      out.difference =
          "at " + evidence::binding_text({made.sizes, {}}) + " the spec cannot be evaluated: " + got.error().text();
      return out;
    }
    std::size_t compared = 0;
    for (const auto& [name, packed] : made.outputs) {
      const auto reference = got->find(name);
      if (reference == got->end())
        return fail(Code::corrupt, "the Python helper's answer has an output '" + name + "'");
      const op::HostTensor theirs = WW_TRY(unpacked(name, packed));
      const std::string differs = difference(name, reference->second, theirs, made.exact, compared);
      if (differs.empty()) continue;
      out.difference = "at " + evidence::binding_text({made.sizes, {}}) + " " + differs;
      return out;
    }
    if (compared == 0) continue;  // nothing but NaN and infinities: no evidence
    ++out.sets;
    out.exact = out.exact && made.exact;
    out.sizes.push_back(made.sizes);
  }
  return out;
}

Result<Imported> import_module(TorchModules& torch, const ModuleRequest& request, const std::stop_token& cancel) {
  const std::string content = WW_TRY(read_program(request.file));
  if (!may_run(request.pasted ? fs::path() : request.file, content))
    return fail({Code::denied,
                 "'" + request.file.string() + "' was not run: it has changed since you allowed it",
                 {},
                 {},
                 "Read it, then import it again."});
  Imported out;
  out.module = WW_TRY(torch.import(request, cancel));
  out.comparison = WW_TRY(torch.compare(out.module, compared_sets, std::random_device()(), cancel));
  out.python = torch.python();
  out.torch = torch.torch();
  return out;
}

}  // namespace ww::importer
