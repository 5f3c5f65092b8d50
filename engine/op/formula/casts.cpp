// SPDX-License-Identifier: Apache-2.0
// Changes of the element type: x.half(), np.int8(x), (a > b).float().
#include <map>
#include "op/formula/lowering.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {

using Kind = Node::Kind;

// "(a > b).float()": 1 where it holds, else 0; a number stays.
Maybe Lowering::as_number(const Node& n) {
  auto v = lower(n);
  if (!v || (v->dtype == DType::f32 && !facts_.dtype)) return v;
  if (v->dtype != DType::boolean) return ask("Which element type has the operand of float()?");
  Value out = with_text(*v, "if(" + v->text + ", 1.0, 0.0)");
  out.dtype = DType::f32;
  return out;
}

// "half" of "x.half()", "np.float16(x)", "x.to(torch.float16)", "x.astype(np.float16)".
std::optional<DType> Lowering::cast_type(const Node& n) const {
  static const std::map<std::string, std::string> own = {{"long", "i64"}, {"char", "i8"}};
  const auto named = [&](const std::string& word) -> std::optional<DType> {
    if (const auto found = own.find(word); found != own.end()) return dtype_from_name(found->second);
    const phrases::Match m = library_.vocabulary().match(phrases::tokenise(word), 0);
    for (std::size_t i = 0; m.entries && i < m.entries->size(); ++i)
      if ((*m.entries)[i].sort == phrases::Sort::dtype) return dtype_from_name((*m.entries)[i].value);
    return std::nullopt;
  };
  if (n.text == "float" && n.library.empty()) return std::nullopt;
  if (n.args.size() == 1 && n.named.empty()) return named(n.text);
  const bool keyword = n.args.size() == 1 && n.named.size() == 1 && n.named[0].name == "dtype";
  const bool method = n.exact && (keyword || (n.args.size() == 2 && n.named.empty()));
  if (!method || (n.text != "to" && n.text != "astype" && n.text != "type")) return std::nullopt;
  const Node& type = keyword ? n.named[0].value : n.args[1];
  return type.kind == Kind::word ? named(type.text) : std::nullopt;
}

// The last step only: what follows would have to be computed in that type.
Maybe Lowering::cast(const Node& n, DType type) {
  if (&n != &statement_.value) return ask("A change of the element type is understood as the last step only.");
  if (facts_.output) return ask("Two element types are named for the result; which is meant?");
  auto v = lower(n.args[0]);
  if (!v || (type == DType::f32 && v->dtype == DType::f32 && !facts_.dtype)) return v;
  if (v->dtype != DType::f32) return ask("Which element type has the operand of " + n.text + "()?");
  whole_.reset();
  Value out = with_text(*v, is_real(type) ? v->text : std::string(dtype_name(type)) + "(" + v->text + ")");
  out.dtype = type;
  return out;
}

}  // namespace ww::op::formula
