// SPDX-License-Identifier: Apache-2.0
#include "device/marshal.h"
#include <cmath>
#include <cstring>

namespace ww::device {
namespace {

std::string spoken(const candidate::PlannedArg& arg) {
  switch (arg.kind) {
    case candidate::PlannedArg::Kind::tensor: return "the tensor " + arg.tensor;
    case candidate::PlannedArg::Kind::integer: return "the integer " + std::to_string(arg.integer);
    case candidate::PlannedArg::Kind::real: break;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", arg.real);
  return std::string("the real number ") + text;
}

std::string spoken(const Parameter& p) {
  if (p.is_array) return "a struct of " + std::to_string(p.size) + " bytes";
  if (p.type == "f32") return "a float";
  if (p.type == "f64") return "a double";
  if (p.type == "pred") return "a predicate";
  if (p.size == 8) return "a pointer or 64-bit integer";
  return "a " + std::to_string(p.size * 8) + "-bit integer";
}

bool whole(const Parameter& p) {
  return !p.is_array && !p.type.empty() && (p.type[0] == 'u' || p.type[0] == 's' || p.type[0] == 'b');
}

bool holds(std::size_t size, std::int64_t v) {  // as a signed or as an unsigned number
  if (size >= 8) return true;
  const int bits = static_cast<int>(size * 8);
  return v >= -(std::int64_t{1} << (bits - 1)) && v < (std::int64_t{1} << bits);
}

template <class T>
void put(std::vector<std::byte>& block, std::size_t offset, T value, std::size_t size = sizeof(T)) {
  std::memcpy(block.data() + offset, &value, size);
}

}  // namespace

Result<std::vector<std::byte>> marshal(const candidate::PlannedLaunch& launch, const std::vector<Parameter>& parameters,
                                       std::size_t total, const AddressOf& address_of) {
  using Kind = candidate::PlannedArg::Kind;
  if (launch.args.size() != parameters.size())
    return fail(Code::invalid_argument, "the kernel " + launch.kernel + " takes " + std::to_string(parameters.size()) +
                                            " parameters, its launch passes " + std::to_string(launch.args.size()));
  std::vector<std::byte> block(total);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const candidate::PlannedArg& arg = launch.args[i];
    const auto refuse = [&](const std::string& why) {
      return fail(Code::invalid_argument, "argument " + std::to_string(i + 1) + " of the kernel " + launch.kernel +
                                              " is " + spoken(arg) + ", but the parameter is " + spoken(p) + why);
    };
    if (p.offset + p.size > total)
      return fail(Code::internal, "a parameter of " + launch.kernel + " lies outside its parameter block");
    switch (arg.kind) {
      case Kind::tensor: {
        if (!whole(p) || p.size != 8) return refuse("");
        std::uint64_t address = 0;
        if (address_of) {
          const std::optional<std::uint64_t> found = address_of(arg.tensor);
          if (!found) return fail(Code::internal, "the tensor " + arg.tensor + " has no memory");
          address = *found;
        }
        put(block, p.offset, address);
        break;
      }
      case Kind::integer:
        if (whole(p) && p.size <= 8) {
          if (!holds(p.size, arg.integer)) return refuse(": the value does not fit");
          put(block, p.offset, arg.integer, p.size);
        } else if (!p.is_array && p.type == "f32") {
          if (static_cast<std::int64_t>(static_cast<float>(arg.integer)) != arg.integer)
            return refuse(": the value is not exact in it");
          put(block, p.offset, static_cast<float>(arg.integer));
        } else if (!p.is_array && p.type == "f64") {
          put(block, p.offset, static_cast<double>(arg.integer));
        } else {
          return refuse("");
        }
        break;
      case Kind::real:
        if (!p.is_array && p.type == "f32") {
          const auto narrow = static_cast<float>(arg.real);
          if (std::isinf(narrow) && !std::isinf(arg.real)) return refuse(": the value does not fit");
          put(block, p.offset, narrow);
        } else if (!p.is_array && p.type == "f64") {
          put(block, p.offset, arg.real);
        } else {
          return refuse("");
        }
        break;
    }
  }
  return block;
}

}  // namespace ww::device
