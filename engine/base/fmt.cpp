// SPDX-License-Identifier: Apache-2.0
// The part of fmt that is not in its headers, compiled into our own library: Debian has it only as a shared library,
// which the CLI and the worker must not need, and its header-only mode would compile this part in every file (some
// seconds each).
#include <fmt/format-inl.h>
#include <locale>

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
