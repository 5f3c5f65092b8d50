// SPDX-License-Identifier: Apache-2.0
// Messages of gate and compile.
#include "gate/verdict_json.h"
#include "rpc/messages.h"
#include "rpc/params.h"

namespace ww::rpc {

Status read_language(const Json& params, candidate::Language& into) {
  std::string name(candidate::language_name(into));
  if (Status s = read(params, "language", name); !s) return s;
  for (const candidate::Language l : {candidate::Language::cuda, candidate::Language::ptx})
    if (candidate::language_name(l) == name) {
      into = l;
      return {};
    }
  return fail(Code::invalid_argument, "there is no language '" + name + "': it is cuda or ptx");
}

Status read_binding(const Json& params, op::Binding& into) {
  if (!params.contains("binding")) return {};
  Result<op::Binding> b = gate::binding_from_json(dump(params["binding"]));
  if (!b) return fail(Code::invalid_argument, "the parameter 'binding' cannot be read", b.error().text());
  into = std::move(*b);
  return {};
}

Status read_architecture(const Json& params, std::string& into) {
  if (Status s = read(params, "architecture", into); !s) return s;
  if (into == native_architecture) into.clear();
  return {};
}

Json gate_params(const GateRequest& r) {
  return {{"spec", r.spec},
          {"candidate", r.candidate},
          {"language", candidate::language_name(r.language)},
          {"device", r.device},
          {"architecture", r.architecture},
          {"binding", Json::parse(gate::binding_to_json(r.binding))},
          {"seeds", r.seeds},
          {"measure", r.measure}};
}

Result<gate::Request> gate_request(const Json& params) {
  gate::Request r;
  for (const Status& s :
       {read(params, "spec", r.spec), read(params, "candidate", r.candidate), read_language(params, r.language),
        read_architecture(params, r.architecture), read_binding(params, r.binding), read(params, "seeds", r.seeds),
        read(params, "measure", r.measure)})
    WW_CHECK(s);
  if (r.seeds < 1 || r.seeds > 1000)
    return fail(Code::invalid_argument, "the number of seeds must lie between 1 and 1000");
  return r;
}

std::string device_of(const Json& params) {
  std::string name = "simt";
  return read(params, "device", name) ? name : std::string();
}

Json compile_params(const CompileRequest& r) {
  return {
      {"candidate", r.candidate}, {"language", candidate::language_name(r.language)}, {"architecture", r.architecture}};
}

Result<CompileRequest> compile_request(const Json& params) {
  CompileRequest r;
  for (const Status& s : {read(params, "candidate", r.candidate), read_language(params, r.language),
                          read(params, "architecture", r.architecture)})
    WW_CHECK(s);
  return r;
}

Json compile_result(const compile::Output& o) {
  return {{"ptx", o.ptx},
          {"cubin", to_hex(o.cubin)},
          {"resources", gate::resources_json(o.resources)},
          {"log", o.log},
          {"compiler", o.compiler},
          {"seconds", o.seconds},
          {"from_cache", o.from_cache}};
}

Result<compile::Output> compile_output(const Json& j) {
  const auto corrupt = [](const Error& e) {
    return fail(Code::corrupt, "the reply to compile cannot be read", e.text());
  };
  if (!j.is_object()) return corrupt({Code::corrupt, "it is no object", {}});
  compile::Output o;
  std::string cubin;
  for (const Status& s :
       {read(j, "ptx", o.ptx), read(j, "cubin", cubin), read(j, "log", o.log), read(j, "compiler", o.compiler),
        read(j, "seconds", o.seconds), read(j, "from_cache", o.from_cache)})
    if (!s) return corrupt(s.error());
  Result<std::string> bytes = from_hex(cubin);
  if (!bytes) return corrupt(bytes.error());
  o.cubin = std::move(*bytes);
  const auto list = j.find("resources");
  if (list == j.end() || !list->is_array()) return corrupt({Code::corrupt, "it has no resources", {}});
  Result<std::vector<compile::KernelResources>> resources = gate::resources_of(*list);
  if (!resources) return corrupt(resources.error());
  o.resources = std::move(*resources);
  return o;
}

}  // namespace ww::rpc
