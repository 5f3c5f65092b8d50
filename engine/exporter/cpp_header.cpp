// SPDX-License-Identifier: Apache-2.0
#include "exporter/cpp_header.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include "base/base64.h"
#include "base/dtype.h"

namespace ww::exporter {
namespace {

using Strings = std::vector<std::string>;

std::string value_type(const ArgumentText& a) {
  if (a.type == "f32") return "float";
  if (a.type == "f64") return "double";
  return fmt::format("std::uint{}_t", 8 * a.size);
}

std::string count_of(const TensorText& t) { return fmt::format("detail::count({{{}}})", fmt::join(t.shape, ", ")); }

Result<std::string> bytes_of(const TensorText& t) {
  const std::optional<DType> dtype = dtype_from_name(t.dtype);
  if (!dtype) return fail(Code::unsupported, "C++ has no size for elements of " + t.dtype);
  return fmt::format("{} * {}", count_of(t), dtype_size(*dtype));
}

std::string joined(const Strings& list, const char* between, const char* none) {
  return list.empty() ? none : fmt::format("{}", fmt::join(list, between));
}

// A raw string of a compiler may have 64 KiB.
std::string raw_strings(const std::string& text) {
  constexpr std::size_t most = 16000;
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += most)
    out += (at == 0 ? "        " : "\n        ") + fmt::format("R\"ptx({})ptx\"", text.substr(at, most));
  return out;
}

std::string values_of(const PlanText& plan) {  // of all names, from `sizes_`
  std::string out;
  const auto add = [&](const char* type, const std::string& name, const std::string& value) {
    out += fmt::format("  [[maybe_unused]] const {} v_{} = {};\n", type, name, value);
  };
  for (const std::string& s : plan.symbols) add("std::int64_t", s, "sizes_." + cpp_name(s));
  for (const ConstantText& c : plan.constants) add("auto", c.name, c.value);
  for (const auto& [name, value] : plan.tuning) add("std::int64_t", name, std::to_string(value));
  return out;
}

std::string launch_code(const LaunchText& l) {
  std::string out = "  {\n";
  Strings pointers;
  for (std::size_t i = 0; i < l.arguments.size(); ++i) {
    const ArgumentText& a = l.arguments[i];
    if (a.tensor.empty()) {
      out += fmt::format("    {0} a{1} = static_cast<{0}>({2});\n", value_type(a), i, a.value);
      pointers.push_back(fmt::format("&a{}", i));
    } else {
      pointers.push_back("&p_" + a.tensor);
    }
  }
  if (pointers.empty()) pointers.push_back("nullptr");
  out += fmt::format("    void* arguments[] = {{{}}};\n", fmt::join(pointers, ", "));
  const auto three = [](const Strings& list) { return fmt::format("{{{}}}", fmt::join(list, ", ")); };
  return out + fmt::format("    detail::launch({{\"{}\", {}, {}, {}, {}, {}, {}}}, arguments, stream_);\n  }}\n",
                           l.kernel, three(l.grid), three(l.block), three(l.cluster), l.shared, l.carveout,
                           l.cooperative);
}

// What a caller copies to the device for a constant.
std::string fixed_data(const FixedText& fixed) {
  std::string numbers;
  for (const std::byte b : from_base64(fixed.data).value_or(std::vector<std::byte>())) {
    if (numbers.size() - (numbers.rfind('\n') + 1) > 110) numbers += '\n';
    numbers += std::to_string(std::to_integer<int>(b)) + ",";
  }
  return fmt::format(
      "// The value of {0}, a constant of the op: pass a copy in device memory.\n"
      "inline constexpr unsigned char value_of_{0}[] = {{\n{1}}};\n",
      fixed.tensor.name, numbers);
}

}  // namespace

std::string element_type(const std::string& dtype) {
  static const std::map<std::string, std::string> types = {
      {"f64", "double"},        {"f32", "float"},       {"i64", "std::int64_t"},  {"i32", "std::int32_t"},
      {"i8", "std::int8_t"},    {"u8", "std::uint8_t"}, {"u16", "std::uint16_t"}, {"u32", "std::uint32_t"},
      {"u64", "std::uint64_t"}, {"bool", "bool"}};
  const auto at = types.find(dtype);
  return at == types.end() ? "void" : at->second;
}

std::string cpp_name(const std::string& name) {
  static const std::set<std::string> taken = {
      "alignas",  "alignof", "and",      "asm",       "auto",     "bool",     "break",     "case",     "catch",
      "char",     "class",   "compl",    "const",     "continue", "default",  "delete",    "do",       "double",
      "else",     "enum",    "explicit", "export",    "extern",   "false",    "float",     "for",      "friend",
      "goto",     "if",      "inline",   "int",       "long",     "mutable",  "namespace", "new",      "not",
      "operator", "or",      "private",  "protected", "public",   "register", "requires",  "return",   "short",
      "signed",   "sizeof",  "static",   "struct",    "switch",   "template", "this",      "throw",    "true",
      "try",      "typedef", "typeid",   "typename",  "union",    "unsigned", "using",     "virtual",  "void",
      "volatile", "while",   "xor",      "detail",    "claims",   "concept",  "nullptr",   "noexcept", "decltype"};
  return taken.contains(name) ? name + "_" : name;
}

Result<std::map<std::string, std::string>> header_parts(const PlanText& plan, const std::string& ptx) {
  Strings names, parameters, bytes, room, empty;
  std::string sizes, addresses, launches, tensors, fixed;
  for (const std::string& s : plan.symbols)
    sizes += fmt::format("  std::int64_t {} = {};\n", cpp_name(s), plan.sizes.at(s));
  const auto zero = [&](const TensorText& t) -> Status {
    if (std::ranges::count(plan.zeroed, t.name) > 0)
      addresses += fmt::format("  detail::check(cuMemsetD8Async(p_{}, 0, {}, stream_), \"{}\");\n", t.name,
                               WW_TRY(bytes_of(t)), t.name);
    return {};
  };
  const auto parameter = [&](const TensorText& t, const char* constant) -> Status {
    const std::string type = element_type(t.dtype);
    names.push_back(cpp_name(t.name));
    parameters.push_back(fmt::format("{}{}* {}", constant, type, cpp_name(t.name)));
    empty.push_back(count_of(t) + " == 0");
    addresses += fmt::format("  CUdeviceptr p_{0} = detail::address({1}, \"{0}\");\n", t.name, cpp_name(t.name));
    bytes.push_back(WW_TRY(bytes_of(t)));
    tensors += fmt::format("  {0}* const {1} = ::zeros<{0}>(bytes_.{1});\n", type, cpp_name(t.name));
    return zero(t);
  };
  for (const InputText& i : plan.inputs) WW_TRY(parameter(i.tensor, "const "));
  for (const FixedText& f : plan.fixed) {
    WW_TRY(parameter(f.tensor, "const "));
    fixed += fixed_data(f);
  }
  for (const TensorText& o : plan.outputs) WW_TRY(parameter(o, ""));
  if (!plan.temporaries.empty()) addresses += "  CUdeviceptr room_ = detail::address(workspace_, \"the workspace\");\n";
  for (const TensorText& t : plan.temporaries) {
    const std::string bytes = WW_TRY(bytes_of(t));
    room.push_back(fmt::format("detail::padded({})", bytes));
    addresses += fmt::format("  CUdeviceptr p_{} = room_;\n  room_ += detail::padded({});\n", t.name, bytes);
    WW_TRY(zero(t));
  }
  if (plan.temporaries.empty()) addresses += "  (void)workspace_;\n";
  for (const LaunchText& l : plan.launches) launches += launch_code(l);
  return std::map<std::string, std::string>{{"sizes", sizes},
                                            {"values", values_of(plan)},
                                            {"claims", joined(plan.requirements, " && ", "true")},
                                            {"workspace", joined(room, " + ", "0")},
                                            {"empty", joined(empty, " || ", "false")},
                                            {"names", joined(names, ", ", "")},
                                            {"parameters", joined(parameters, ", ", "")},
                                            {"addresses", addresses},
                                            {"launches", launches},
                                            {"tensors", tensors},
                                            {"fixed", fixed},
                                            {"bytes", joined(bytes, ", ", "")},
                                            {"ptx", raw_strings(ptx)}};
}

}  // namespace ww::exporter
