// SPDX-License-Identifier: Apache-2.0
#include "search/source.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include "op/parse.h"
#include "search/terms.h"

namespace ww::search {

namespace {

std::string wrapped(const std::string& text, const std::string& prefix) {
  std::string out, line = prefix;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (line.size() > prefix.size() && line.size() + word.size() + 1 > 110) {
      out += line + "\n";
      line = prefix;
    }
    line += (line.size() > prefix.size() ? " " : "") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? between : "") + parts[i];
  return out;
}

bool word_at(const std::string& text, std::size_t at, std::size_t size) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return (at == 0 || !part(text[at - 1])) && (at + size >= text.size() || !part(text[at + size]));
}

// Declarations of index variables that the lines after them, to the end of their scope, do not use.
void drop_unused(std::vector<std::string>& lines, const std::string& index_type) {
  const std::string start = "const " + index_type + " ";
  for (std::size_t i = lines.size(); i-- > 0;) {
    const std::size_t indent = lines[i].find_first_not_of(' ');
    if (indent == std::string::npos || lines[i].compare(indent, start.size(), start) != 0) continue;
    const std::size_t at = indent + start.size(), end = lines[i].find(" = ", at);
    if (end == std::string::npos || lines[i].find(',', at) < end) continue;
    const std::string name = lines[i].substr(at, end - at);
    bool used = false;
    for (std::size_t j = i + 1; j < lines.size() && !used; ++j) {
      const std::size_t other = lines[j].find_first_not_of(' ');
      if (other == std::string::npos || lines[j].compare(other, 2, "//") == 0) continue;
      if (other < indent && lines[j][other] != '#') break;
      for (std::size_t p = lines[j].find(name); p != std::string::npos && !used; p = lines[j].find(name, p + 1))
        used = word_at(lines[j], p, name.size());
    }
    if (!used) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

Kernel::Kernel(Source& source, std::string name) : source_(source), name_(std::move(name)) {
  // Index names are kept for the indices themselves.
  const auto reserve = [&](const std::vector<Index>& indices) {
    for (const Index& i : indices) used_[index(i.name)] = 0;
  };
  for (const Equation& eq : source.program().equations) {
    reserve(eq.indices);
    const std::function<void(const Expr&)> visit = [&](const Expr& e) {
      reserve(e.indices);
      for (const ExprPtr& a : e.args) visit(*a);
    };
    visit(*eq.value);
  }
}

void Kernel::line(const std::string& text) {
  body_.push_back(text.empty() ? "" : std::string(static_cast<std::size_t>(depth_) * 2, ' ') + text);
}

void Kernel::comment(const std::string& text) {
  std::string lines = wrapped(text, std::string(static_cast<std::size_t>(depth_) * 2, ' ') + "// ");
  lines.pop_back();
  body_.push_back(lines);
}

void Kernel::open(const std::string& text) {
  line(text);
  ++depth_;
}

void Kernel::close(const std::string& after) {
  --depth_;
  leave_scope();
  line("}" + after);
}

void Kernel::leave_scope() {
  std::erase_if(used_, [this](const auto& entry) { return entry.second > depth_; });
}

void Kernel::about(const std::string& text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    about_.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

void Kernel::otherwise() {
  --depth_;
  leave_scope();
  line("} else {");
  ++depth_;
}

std::string Kernel::index(const std::string& name) {
  std::string id = free_beginning(name);
  while (reserved_identifier(id) || source_.taken(id)) id += "_i";
  return id;
}

std::string Kernel::fresh(const std::string& wanted) {
  std::string id = wanted;
  if (!allowed_.count(id) || used_.count(id)) {
    const std::string stem = id = free_beginning(wanted);
    for (int n = 2; reserved_identifier(id) || source_.taken(id) || used_.count(id); ++n)
      id = stem + "_" + std::to_string(n);
  }
  used_[id] = depth_;
  return id;
}

std::string Kernel::fresh_inside(const std::string& wanted) {
  const std::string id = fresh(wanted);
  used_[id] = depth_ + 1;
  return id;
}

std::string Kernel::tensor(const std::string& name, bool written) {
  tensors_[name] = tensors_[name] || written;
  if (const auto it = source_.program().tensors.find(name);
      it != source_.program().tensors.end() && it->second.storage == Storage::temp)
    source_.temp(name);
  return source_.identifier(name);
}

std::string Kernel::symbol(const std::string& name) {
  symbols_.insert(name);
  return source_.identifier(name);
}

std::string Kernel::constant(const std::string& name) {
  constants_.insert(name);
  return source_.identifier(name);
}

void Kernel::launch(std::string grid, std::string block, std::string shared) {
  grid_ = std::move(grid);
  block_ = std::move(block);
  shared_ = std::move(shared);
}

static std::string pointer(DType dtype, bool written, const std::string& id) {
  return (written ? "" : "const ") + std::string(dtype_cuda_name(dtype)) + "* __restrict__ " + id;
}

// Spec order: inputs, temporaries, scratch, outputs, symbols, constants.
std::string Kernel::signature() const {
  const Program& p = source_.program();
  std::vector<std::string> parts;
  const auto tensors = [&](Storage storage, const auto& order) {
    for (const auto& param : order)
      if (const auto it = tensors_.find(param.name); it != tensors_.end() && p.tensor(param.name).storage == storage)
        parts.push_back(pointer(p.tensor(param.name).dtype, it->second, source_.identifiers_.at(param.name)));
  };
  tensors(Storage::input, p.spec.inputs);
  for (const auto& [name, t] : p.tensors)
    if (const auto it = tensors_.find(name); it != tensors_.end() && t.storage == Storage::temp)
      parts.push_back(pointer(t.dtype, it->second, source_.identifiers_.at(name)));
  for (const auto& [name, s] : source_.scratch_)
    if (const auto it = tensors_.find(name); it != tensors_.end()) parts.push_back(pointer(s.first, it->second, name));
  tensors(Storage::output, p.spec.outputs);
  for (const std::string& s : p.spec.symbols)
    if (symbols_.count(s)) parts.push_back(source_.index_type() + " " + source_.identifiers_.at(s));
  for (const op::Constant& c : p.spec.constants)
    if (constants_.count(c.name))
      parts.push_back((c.type == op::Type::integer ? source_.index_type() : source_.real()) + " " +
                      source_.identifiers_.at(c.name));
  std::string text = "extern \"C\" __global__ void " + name_ + "(", row = text;
  const std::string pad(row.size(), ' ');
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = parts[i] + (i + 1 < parts.size() ? ", " : ") {");
    if (row.size() + part.size() > 118 && row.size() > pad.size()) {
      out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
      row = pad;
    }
    row += part;
  }
  if (parts.empty()) row += ") {";
  return out + row + "\n";
}

std::string Kernel::arguments() const {
  const Program& p = source_.program();
  std::vector<std::string> parts;
  const auto params = [&](const std::vector<op::Param>& list, Storage storage) {
    for (const op::Param& param : list)
      if (tensors_.count(param.name) && p.tensor(param.name).storage == storage) parts.push_back(param.name);
  };
  params(p.spec.inputs, Storage::input);
  for (const auto& [name, t] : p.tensors)
    if (tensors_.count(name) && t.storage == Storage::temp) parts.push_back(name);
  for (const auto& [name, s] : source_.scratch_)
    if (tensors_.count(name)) parts.push_back(name);
  params(p.spec.outputs, Storage::output);
  for (const std::string& s : p.spec.symbols)
    if (symbols_.count(s)) parts.push_back(s);
  for (const op::Constant& c : p.spec.constants)
    if (constants_.count(c.name)) parts.push_back(c.name);
  return joined(parts, ", ");
}

Source::Source(const Program& program, std::string structure, std::string title)
    : program_(program), structure_(std::move(structure)), title_(std::move(title)) {
  const auto add = [&](const std::string& name) { identifiers_[name] = take(name); };
  for (const auto& [name, t] : program.tensors) add(name);
  for (const std::string& s : program.spec.symbols) add(s);
  for (const op::Constant& c : program.spec.constants) add(c.name);
}

std::string Source::identifier(const std::string& name) {
  const auto it = identifiers_.find(name);
  return it == identifiers_.end() ? name : it->second;
}

std::string Source::take(const std::string& wanted) {
  std::string name = free_beginning(wanted);
  while (taken_.count(name) || reserved_identifier(name)) name += "_";
  taken_.insert(name);
  return name;
}

std::string Source::tune(const std::string& wanted, std::vector<std::int64_t> values) {
  if (!tuning_) return std::to_string(values.front());
  for (std::size_t i = 0; i < values.size();)
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) ==
        values.begin() + static_cast<std::ptrdiff_t>(i))
      ++i;
    else
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
  const std::string name = take(wanted);
  std::string text = "//@ tune " + name + " = ";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? " | " : "") + std::to_string(values[i]);
  tunes_.push_back(text);
  return name;
}

void Source::temp(const std::string& name) {
  if (!temp_names_.insert(name).second) return;
  const Tensor& t = program_.tensor(name);
  std::vector<std::string> shape;
  for (const ExprPtr& s : t.shape) shape.push_back(op::print(*s));
  temps_.push_back("//@ temp " + name + ": " + std::string(dtype_name(t.dtype)) +
                   (shape.empty() ? "" : "[" + joined(shape, ", ") + "]"));
}

std::string Source::scratch(const std::string& wanted, DType dtype, const std::vector<std::string>& shape) {
  const std::string name = take(wanted);
  scratch_[name] = {dtype, shape};
  temps_.push_back("//@ temp " + name + ": " + std::string(dtype_name(dtype)) +
                   (shape.empty() ? "" : "[" + joined(shape, ", ") + "]"));
  return name;
}

void Source::require(const std::string& condition) {
  const std::string text = "//@ require " + condition;
  if (std::find(requires_.begin(), requires_.end(), text) == requires_.end()) requires_.push_back(text);
}

std::string Source::pack(DType dtype, const std::string& lanes) {
  const std::string element(dtype_cuda_name(dtype)),
      name = "Pack_" + std::string(dtype_name(dtype)) +
             (std::isdigit(static_cast<unsigned char>(lanes[0])) ? "x" + lanes : "");
  if (dtype == DType::f16) include("cuda_fp16.h");
  if (dtype == DType::bf16) include("cuda_bf16.h");
  if (saturates(dtype)) include("cuda_fp8.h");
  helper(name, fmt::format("// {0} neighbouring elements, loaded and stored by one instruction.\nstruct "
                           "alignas({0} * sizeof({1})) {2} {{\n  {1} v[{0}];\n}};\n",
                           lanes, element, name));
  return name;
}

void Source::helper(const std::string& key, const std::string& text) {
  if (helper_keys_.insert(key).second) helpers_.push_back(text);
}

Kernel& Source::kernel(const std::string& wanted) {
  const std::string stem = free_beginning(wanted);
  std::string name = stem;
  for (int n = 2; kernel_names_.count(name) || reserved_identifier(name); ++n) name = stem + std::to_string(n);
  kernel_names_.insert(name);
  kernels_.push_back(std::make_unique<Kernel>(*this, name));
  return *kernels_.back();
}

std::string Source::text() const {
  std::string out = "//@ candidate " + program_.spec.name + "\n";
  out += "//@ title " + title_ + "\n//@ structure " + structure_ + "\n";
  for (const std::string& t : tunes_) out += t + "\n";
  for (const std::string& t : temps_) out += t + "\n";
  for (const std::string& z : zeroed_) out += "//@ zero " + z + "\n";
  for (const auto& k : kernels_)
    out += "//@ launch " + k->name_ + " grid(" + k->grid_ + ") block(" + k->block_ + ")" +
           (k->shared_.empty() ? "" : " shared(" + k->shared_ + ")") + " args(" + k->arguments() + ")\n";
  for (const std::string& r : requires_) out += r + "\n";
  out += "\n";
  for (const std::string& a : about_) out += wrapped(a, "// ");
  for (const std::string& i : includes_) out += "#include <" + i + ">\n";
  for (const std::string& h : helpers_) out += "\n" + h;
  for (const auto& k : kernels_) {
    out += "\n";
    for (const std::string& a : k->about_) out += wrapped(a, "// ");
    out += k->signature();
    std::vector<std::string> body = k->body_;
    drop_unused(body, index_type());
    for (const std::string& l : body) out += l + "\n";
    out += "}\n";
  }
  return out;
}

}  // namespace ww::search
