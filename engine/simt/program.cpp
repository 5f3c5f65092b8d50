// SPDX-License-Identifier: Apache-2.0
#include "simt/program.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include "simt/decode.h"

namespace ww::simt {
namespace {

// Bytes of .local along the deepest chain of calls without recursion.
std::size_t deepest_local(const Decoded& code, std::uint32_t f, std::vector<int>& state,
                          std::vector<std::size_t>& known) {
  if (state[f] == 1) return 0;  // recursion: the launch adds room for that
  if (state[f] == 2) return known[f];
  state[f] = 1;
  std::size_t below = 0;
  for (const std::uint32_t c : code.functions[f].callees) below = std::max(below, deepest_local(code, c, state, known));
  state[f] = 2;
  return known[f] = below + code.functions[f].local_bytes;
}

KernelInfo describe(const Module& module, const Decoded& code, std::uint32_t index) {
  const Function& f = module.functions[index];
  KernelInfo k;
  k.name = f.name;
  std::vector<std::size_t> offsets;
  k.param_bytes = layout_params(f.params, offsets);
  for (std::size_t i = 0; i < f.params.size(); ++i)
    k.params.push_back({f.params[i].name, std::string(type_name(f.params[i].type)), f.params[i].bytes(),
                        f.params[i].align, offsets[i], f.params[i].is_array});
  const auto functions = reachable(module, code, index);
  (void)shared_layout(code, functions, k.static_shared);
  std::vector<int> state(module.functions.size());
  std::vector<std::size_t> known(module.functions.size());
  k.local_bytes = deepest_local(code, index, state, known);
  k.maxntid = {f.maxntid[0], f.maxntid[1], f.maxntid[2]};
  k.reqntid = {f.reqntid[0], f.reqntid[1], f.reqntid[2]};
  k.cluster = {f.cluster[0], f.cluster[1], f.cluster[2]};
  k.ptx_line = f.line;
  k.source_line = f.source_line;
  for (const std::uint32_t g : functions)
    for (const auto& u : code.functions[g].unsupported) k.unsupported.push_back(u.text());
  return k;
}

}  // namespace

const Decoded& ProgramData::decoded(unsigned level) const {
  const std::scoped_lock lock(mutex);
  if (!code[level]) code[level] = decode(module, level);
  return *code[level];
}

Program::Program(std::unique_ptr<ProgramData> data) : data_(std::move(data)) {}
Program::~Program() = default;
const std::vector<KernelInfo>& Program::kernels() const { return data_->kernels; }
std::string_view Program::target() const { return data_->module.target; }
std::string_view Program::ptx() const { return data_->text; }
const Module& Program::module() const { return data_->module; }

const KernelInfo* Program::kernel(std::string_view name) const {
  for (const KernelInfo& k : data_->kernels)
    if (k.name == name) return &k;
  return nullptr;
}

int Program::source_line(int ptx_line) const {
  const auto& lines = data_->module.source_of_line;
  return ptx_line >= 0 && static_cast<std::size_t>(ptx_line) < lines.size() ? lines[static_cast<std::size_t>(ptx_line)]
                                                                            : 0;
}

std::vector<InstructionInfo> Program::instructions(std::string_view kernel) const {
  std::vector<InstructionInfo> all;
  if (const Function* f = data_->module.function(kernel))
    for (const Instruction& i : f->body) all.push_back({i.opcode(), i.line, i.source_line});
  return all;
}

Result<std::shared_ptr<const Program>> load(std::string_view ptx) {
  try {
    if (ptx.size() > (std::size_t{1} << 27)) return fail(Code::parse, "the PTX is larger than 128 MiB");
    auto module = WW_TRY(parse_module(ptx));
    static std::atomic<std::uint64_t> next{1};
    auto data = std::make_unique<ProgramData>();
    data->id = next++;
    data->text = ptx;
    data->module = std::move(module);
    const Decoded& code = data->decoded(level_full | level_counters);
    for (std::uint32_t i = 0; i < data->module.functions.size(); ++i)
      if (data->module.functions[i].is_entry && data->module.functions[i].has_body)
        data->kernels.push_back(describe(data->module, code, i));
    return std::shared_ptr<const Program>(new Program(std::move(data)));
  } catch (const std::bad_alloc&) {
    return fail(Code::internal, "out of memory while loading PTX");
  } catch (const std::length_error&) { return fail(Code::internal, "out of memory while loading PTX"); }
}

Arguments::Arguments(const KernelInfo& kernel) : kernel_(&kernel), bytes_(kernel.param_bytes) {}

const ParamInfo* Arguments::next(const char* what) {
  if (!problem_.empty()) return nullptr;
  if (at_ >= kernel_->params.size()) {
    problem_ =
        kernel_->name + " takes " + std::to_string(kernel_->params.size()) + " arguments; " + what + " is one too many";
    return nullptr;
  }
  return &kernel_->params[at_++];
}

Arguments& Arguments::add_pointer(std::uint64_t address) {
  if (const ParamInfo* p = next("a pointer")) {
    if (p->size != 8 || p->is_array || p->type[0] == 'f')
      problem_ = "parameter " + p->name + " (." + p->type + ") does not take a pointer";
    else
      std::memcpy(bytes_.data() + p->offset, &address, 8);
  }
  return *this;
}

Arguments& Arguments::add_i64(std::int64_t value) {
  const ParamInfo* p = next("an integer");
  if (p == nullptr) return *this;
  if (p->is_array || p->size > 8 || p->type[0] == 'f') {
    problem_ = "parameter " + p->name + " (." + p->type + ") does not take an integer";
    return *this;
  }
  if (p->size < 8) {  // signed or unsigned, whichever the kernel means
    const std::int64_t limit = std::int64_t{1} << (8 * p->size);
    if (value >= limit || value < -(limit / 2))
      problem_ = std::to_string(value) + " does not fit parameter " + p->name + " (." + p->type + ")";
  }
  std::memcpy(bytes_.data() + p->offset, &value, p->size);
  return *this;
}

Arguments& Arguments::add_f64(double value) {
  const ParamInfo* p = next("a number");
  if (p == nullptr) return *this;
  const bool good = !p->is_array && (p->type == "f32" || p->type == "f64" || p->type == "b32" || p->type == "b64");
  if (!good) {
    problem_ = "parameter " + p->name + " (." + p->type + ") does not take a floating-point number";
  } else if (p->size == 4) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(bytes_.data() + p->offset, &narrow, 4);
  } else {
    std::memcpy(bytes_.data() + p->offset, &value, 8);
  }
  return *this;
}

Arguments& Arguments::add_bytes(std::span<const std::byte> value) {
  if (const ParamInfo* p = next("a value")) {
    if (p->size != value.size())
      problem_ =
          "parameter " + p->name + " has " + std::to_string(p->size) + " bytes, not " + std::to_string(value.size());
    else
      std::memcpy(bytes_.data() + p->offset, value.data(), value.size());
  }
  return *this;
}

Result<std::vector<std::byte>> Arguments::bytes() const {
  if (!problem_.empty()) return fail(Code::invalid_argument, problem_);
  if (at_ != kernel_->params.size())
    return fail(Code::invalid_argument, kernel_->name + " takes " + std::to_string(kernel_->params.size()) +
                                            " arguments, not " + std::to_string(at_));
  return bytes_;
}

}  // namespace ww::simt
