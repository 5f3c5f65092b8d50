// SPDX-License-Identifier: Apache-2.0
#include "baseline/baseline.h"
#include <algorithm>
#include <dlfcn.h>
#include "base/files.h"
#include "baseline/plugin.h"

namespace ww::baseline {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t message_size = 4096;

struct Message {
  char text[message_size] = "";
  std::string take() {
    text[message_size - 1] = '\0';
    return text;
  }
};

// The C view of a case; the strings of `spec` and `binding` are borrowed.
class Case {
 public:
  Case(const std::string& spec, const op::Binding& binding) {
    for (const auto& [name, value] : binding.symbols) symbols_.push_back({name.c_str(), value});
    for (const auto& [name, value] : binding.constants) constants_.push_back({name.c_str(), value});
    c_ = {spec.c_str(), symbols_.data(), symbols_.size(), constants_.data(), constants_.size()};
  }
  const ww_baseline_case* get() const { return &c_; }

 private:
  std::vector<ww_baseline_symbol> symbols_;
  std::vector<ww_baseline_constant> constants_;
  ww_baseline_case c_{};
};

class ModulePrepared final : public Prepared {
 public:
  ModulePrepared(std::string name, const ww_baseline_prepared& prepared)
      : name_(std::move(name)), prepared_(prepared) {}
  ~ModulePrepared() override {
    if (prepared_.destroy) prepared_.destroy(prepared_.self);
  }
  Status enqueue(void* stream) override {
    Message message;
    if (prepared_.enqueue(prepared_.self, stream, message.text, message_size) == ww_baseline_done) return {};
    return fail(Code::device, "the baseline " + name_ + " could not be enqueued", message.take());
  }

 private:
  const std::string name_;
  const ww_baseline_prepared prepared_;
};

class Module final : public Baseline {
 public:
  std::string name_;
  ww_baseline_applies_fn applies_ = nullptr;
  ww_baseline_prepare_fn prepare_ = nullptr;

  const std::string& name() const override { return name_; }

  Result<Applies> applies(const std::string& spec, const op::Binding& binding) const override {
    const Case what(spec, binding);
    Message message;
    const int code = applies_(what.get(), message.text, message_size);
    if (code == ww_baseline_done || code == ww_baseline_no) return Applies{code == ww_baseline_done, message.take()};
    return fail(Code::internal, "the baseline " + name_ + " could not read the op", message.take());
  }

  Result<std::unique_ptr<Prepared>> prepare(const std::string& spec, const op::Binding& binding,
                                            const std::vector<Tensor>& tensors) const override {
    const Case what(spec, binding);
    std::vector<ww_baseline_tensor> list;
    std::vector<std::string> dtypes;  // dtype_name gives views
    for (const Tensor& t : tensors) dtypes.emplace_back(dtype_name(t.dtype));
    for (std::size_t i = 0; i < tensors.size(); ++i)
      list.push_back({tensors[i].name.c_str(), dtypes[i].c_str(), tensors[i].count, tensors[i].address});
    Message message;
    ww_baseline_prepared prepared{};
    const int code = prepare_(what.get(), list.data(), list.size(), &prepared, message.text, message_size);
    if (code == ww_baseline_no) return fail(Code::unsupported, message.take());
    if (code != ww_baseline_done)
      return fail(Code::unavailable, "the baseline " + name_ + " could not be prepared", message.take());
    if (!prepared.enqueue)
      return fail(Code::internal, "the baseline " + name_ + " prepared nothing that can be enqueued");
    return std::make_unique<ModulePrepared>(name_, prepared);
  }
};

Result<std::shared_ptr<const Baseline>> open(const fs::path& file) {
  dlerror();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // only looks it up if it is already loaded
  if (!handle) {
    const char* why = dlerror();
    return fail(Code::unavailable, "it cannot be loaded", why ? why : "");
  }
  const auto abi = reinterpret_cast<ww_baseline_abi_fn>(dlsym(handle, "ww_baseline_abi"));
  const auto name = reinterpret_cast<ww_baseline_name_fn>(dlsym(handle, "ww_baseline_name"));
  auto module = std::make_shared<Module>();
  module->applies_ = reinterpret_cast<ww_baseline_applies_fn>(dlsym(handle, "ww_baseline_applies"));
  module->prepare_ = reinterpret_cast<ww_baseline_prepare_fn>(dlsym(handle, "ww_baseline_prepare"));
  const auto refuse = [&](std::string why) {
    dlclose(handle);
    return fail(Code::unsupported, std::move(why));
  };
  if (!abi || !name || !module->applies_ || !module->prepare_)
    return refuse(
        "it is not a baseline: it does not export ww_baseline_abi, ww_baseline_name, ww_baseline_applies and "
        "ww_baseline_prepare");
  if (const int version = abi(); version != WW_BASELINE_ABI)
    return refuse("it was built for interface " + std::to_string(version) + ", this program has " +
                  std::to_string(WW_BASELINE_ABI) + "; build it again");
  const char* given = name();
  module->name_ = given ? given : "";
  if (module->name_.empty()) return refuse("it has no name");
  return module;
}

}  // namespace

List load(const fs::path& folder) {
  List list;
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::directory_iterator it(folder.empty() ? plugins_dir() / "baselines" : folder, ec), end; !ec && it != end;
       it.increment(ec))
    if (it->path().extension() == ".so") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    Result<std::shared_ptr<const Baseline>> opened = open(file);
    if (!opened) {
      list.refused.push_back({file, opened.error().text()});
    } else if (std::any_of(list.usable.begin(), list.usable.end(),
                           [&](const auto& b) { return b->name() == (*opened)->name(); })) {
      list.refused.push_back({file, "its name '" + (*opened)->name() + "' is taken by another baseline"});
    } else {
      list.usable.push_back(std::move(*opened));
    }
  }
  std::sort(list.usable.begin(), list.usable.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
  return list;
}

Result<std::shared_ptr<const Baseline>> find(const List& list, const std::string& name) {
  std::string there, refused;
  for (const auto& b : list.usable) {
    if (b->name() == name) return b;
    there += (there.empty() ? "" : ", ") + b->name();
  }
  for (const RefusedModule& m : list.refused)
    refused += (refused.empty() ? "" : "\n") + m.file.string() + ": " + m.reason;
  return fail(Code::not_found,
              "there is no baseline '" + name + "'; available: " + (there.empty() ? "none" : there) +
                  " (modules are looked for in " + (plugins_dir() / "baselines").string() + ")",
              refused);
}

}  // namespace ww::baseline
