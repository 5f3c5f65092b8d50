// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/keepdim.h"
#include "op/parse.h"
#include "op/transform.h"

namespace ww::op::phrases {

bool take_keepdim(std::vector<Item>& items) {
  bool asked = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto is = [&](std::size_t k, const char* text) { return k < items.size() && items[k].text == text; };
    if (!is(i, "keepdim")) continue;
    std::size_t end = i + 1;
    const bool equals = is(end, "=");
    const bool off = equals && is(end + 1, "false");
    if (equals && (off || is(end + 1, "true"))) end += 2;
    asked = asked || !off;
    const std::size_t begin = i > 0 && (is(i - 1, "with") || is(i - 1, "and")) ? i - 1 : i;
    for (std::size_t k = begin; k < end; ++k) {
      items[k].kind = Item::Kind::filler;
      items[k].entries = nullptr;
      items[k].read_as(k < i ? Meaning::filler : Meaning::axis,
                       off ? "the dimension goes" : "the dimension stays, of size 1");
    }
  }
  return asked;
}

Result<Spec> with_kept_dimension(const Spec& spec, std::size_t at) {
  if (spec.outputs.size() != 1) return fail(Code::unsupported, "only one result can keep its dimension");
  const Param& result = spec.outputs[0];
  std::string from, to, read, write, defaults;
  for (std::size_t d = 0; d <= result.shape.size(); ++d) {
    if (d == at) {
      to += (to.empty() ? "" : ", ") + std::string("1");
      write += (write.empty() ? "" : ", ") + std::string("one in 0..1");
    }
    if (d == result.shape.size()) break;
    const std::string n = std::to_string(d);
    from += (from.empty() ? "" : ", ") + ("D" + n);
    to += (to.empty() ? "" : ", ") + ("D" + n);
    read += (read.empty() ? "" : ", ") + ("i" + n);
    write += (write.empty() ? "" : ", ") + ("i" + n + " in 0..D" + n);
    defaults += (defaults.empty() ? " default " : ", ") + ("D" + n + " = 2");
  }
  const std::string type(dtype_name(result.dtype));
  const auto brackets = [](const std::string& s) { return s.empty() ? std::string() : "[" + s + "]"; };
  const Spec keep = WW_TRY(parse_spec("op keep(t: " + type + brackets(from) + ") -> y: " + type + "[" + to + "]" +
                                      defaults + " { y[" + write + "] = t" + brackets(read) + " }"));
  Spec out = WW_TRY(compose(spec, keep));
  out.directives.clear();
  out.name = spec.name;
  return parse_spec(print(out), spec.name);
}

}  // namespace ww::op::phrases
