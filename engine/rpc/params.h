// SPDX-License-Identifier: Apache-2.0
// Reading the members of a message: with a default where one is absent, an error where it has another type. For
// messages*.cpp alone.
#pragma once
#include <string>
#include <type_traits>
#include "candidate/candidate.h"
#include "op/spec.h"
#include "rpc/messages.h"

namespace ww::rpc {

std::string dump(const Json& j);

template <class T>
Status read(const Json& params, const char* name, T& into) {
  const auto at = params.find(name);
  if (at == params.end()) return {};
  bool fits = false;
  if constexpr (std::is_same_v<T, bool>)
    fits = at->is_boolean();
  else if constexpr (std::is_integral_v<T>)
    fits = at->is_number_integer();
  else if constexpr (std::is_floating_point_v<T>)
    fits = at->is_number();
  else
    fits = at->is_string();
  if (!fits) return fail(Code::invalid_argument, std::string("the parameter '") + name + "' has the wrong type");
  into = at->template get<T>();
  return {};
}

Status read_language(const Json& params, candidate::Language& into);
Status read_binding(const Json& params, op::Binding& into);
Status read_architecture(const Json& params, std::string& into);  // "native" becomes empty: the device's own

}  // namespace ww::rpc
