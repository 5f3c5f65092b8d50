// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include "candidate/bare_kernel.h"
#include "candidate/candidate.h"
#include "candidate/text.h"
#include "op/parse.h"

namespace ww::candidate {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool names_a_count(std::string_view name) {
  static const std::set<std::string_view> words{"n", "size", "count", "total", "numel", "length", "len", "elements"};
  return words.contains(lower(name));
}

std::string shown(const Suggested& s) { return s.source == Source::unknown ? "?" : s.text; }

// The step of loops that begin at threadIdx.x, `for (int i = threadIdx.x; i < n; i += 256)`, if it is a number of whole
// warps and the same in all of them.
std::optional<int> common_stride(std::string_view cuda) {
  constexpr std::string_view thread = "threadIdx.x";
  const auto skip = [&](std::size_t at) { return std::min(cuda.find_first_not_of(" \t", at), cuda.size()); };
  std::optional<int> found;
  for (std::size_t at = cuda.find(thread); at != cuda.npos; at = cuda.find(thread, at + 1)) {
    const std::size_t begun = skip(at + thread.size());
    if (begun >= cuda.size() || cuda[begun] != ';') continue;
    const std::size_t step = cuda.find(';', begun + 1);
    if (step == cuda.npos) continue;
    const std::string_view last = cuda.substr(step, std::min(cuda.find(')', step), cuda.size()) - step);
    const std::size_t plus = last.find("+=");
    if (plus == last.npos) continue;
    const std::size_t digits = std::min(last.find_first_not_of(" \t", plus + 2), last.size());
    int value = 0;
    const auto [end, error] = std::from_chars(last.data() + digits, last.data() + last.size(), value);
    const bool whole =
        error == std::errc() &&
        std::string_view(end, last.data() + last.size()).find_first_not_of(" \t") == std::string_view::npos;
    if (!whole || value <= 0 || value > 1024 || value % 32 != 0 || (found && *found != value)) return std::nullopt;
    found = value;
  }
  return found;
}

class Suggester {
 public:
  Suggester(const BareKernel& kernel, std::string_view cuda, const op::Spec& spec)
      : kernel_(kernel),
        words_(code_words(cuda)),
        stride_(common_stride(cuda)),
        two_dimensional_(cuda.find("blockIdx.y") != cuda.npos || cuda.find("threadIdx.y") != cuda.npos),
        spec_(spec) {}

  SuggestedLaunch suggest() {
    out_.kernel = kernel_.name;
    out_.args.resize(kernel_.parameters.size());
    by_name();
    by_order(true, spec_.inputs);
    by_order(false, spec_.outputs);
    scalars();
    if (!kernel_.dynamic_shared) out_.shared.source = Source::known;
    if (stride_) out_.block = {std::to_string(*stride_), Source::guessed};
    if (kernel_.most_threads) out_.block = {std::to_string(*kernel_.most_threads), Source::guessed};
    grid();
    return std::move(out_);
  }

 private:
  bool open(std::size_t i) const { return out_.args[i].source == Source::unknown; }

  void take(std::size_t i, const std::string& name, Source source) {
    out_.args[i] = {name, source};
    used_.insert(name);
  }

  void by_name() {
    std::vector<std::pair<std::string, bool>> names;  // and whether it is a tensor
    for (const auto* list : {&spec_.inputs, &spec_.outputs})
      for (const op::Param& p : *list) names.emplace_back(p.name, true);
    for (const std::string& s : spec_.symbols) names.emplace_back(s, false);
    for (const op::Constant& c : spec_.constants) names.emplace_back(c.name, false);
    for (const bool exact : {true, false})
      for (std::size_t i = 0; i < out_.args.size(); ++i)
        for (const auto& [name, tensor] : names) {
          const KernelParameter& p = kernel_.parameters[i];
          const bool same = exact ? p.name == name : lower(p.name) == lower(name);
          if (open(i) && same && p.pointer == tensor && !used_.contains(name))
            take(i, name, exact ? Source::known : Source::guessed);
        }
  }

  // Constant pointers are inputs and the others outputs, in order, if their numbers and types match.
  void by_order(bool constant, const std::vector<op::Param>& tensors) {
    std::vector<std::size_t> free;
    std::vector<const op::Param*> rest;
    for (std::size_t i = 0; i < out_.args.size(); ++i)
      if (open(i) && kernel_.parameters[i].pointer && kernel_.parameters[i].constant == constant) free.push_back(i);
    for (const op::Param& p : tensors)
      if (!used_.contains(p.name)) rest.push_back(&p);
    if (free.size() != rest.size()) return;
    for (std::size_t k = 0; k < free.size(); ++k)
      if (kernel_.parameters[free[k]].dtype != rest[k]->dtype) return;
    for (std::size_t k = 0; k < free.size(); ++k) take(free[k], rest[k]->name, Source::guessed);
  }

  // Dimensions of the first output, multiplied: all of them, or all but the last.
  std::string product(std::size_t dimensions) const {
    std::string out;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const op::Expr& e = *spec_.outputs.front().shape[i];
      const bool plain = e.kind == op::ExprKind::name || e.kind == op::ExprKind::integer;
      out += fmt::format("{}{}", i == 0 ? "" : " * ", plain ? op::print(e) : "(" + op::print(e) + ")");
    }
    return out.empty() ? "1" : out;
  }
  std::size_t rank() const { return spec_.outputs.empty() ? 0 : spec_.outputs.front().shape.size(); }

  std::vector<std::size_t> open_scalars(bool real) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < out_.args.size(); ++i) {
      const KernelParameter& p = kernel_.parameters[i];
      if (open(i) && !p.pointer && p.dtype && is_real(*p.dtype) == real) found.push_back(i);
    }
    return found;
  }
  std::vector<std::string> open_symbols() const {
    std::vector<std::string> found;
    for (const std::string& s : spec_.symbols)
      if (!used_.contains(s)) found.push_back(s);
    return found;
  }

  // `int rows, int cols` of an op over R and C: where one parameter alone begins as the symbol does, and as no other.
  void by_beginning() {
    const std::vector<std::size_t> integers = open_scalars(false);
    const std::vector<std::string> symbols = open_symbols();
    const auto begins = [this](std::size_t i, const std::string& symbol) {
      return lower(kernel_.parameters[i].name).starts_with(lower(symbol));
    };
    for (const std::string& symbol : symbols) {
      const auto is_it = [&](std::size_t i) { return begins(i, symbol); };
      const auto it = std::find_if(integers.begin(), integers.end(), is_it);
      if (it == integers.end() || std::count_if(integers.begin(), integers.end(), is_it) != 1) continue;
      if (std::count_if(symbols.begin(), symbols.end(), [&](const std::string& s) { return begins(*it, s); }) == 1)
        take(*it, symbol, Source::guessed);
    }
  }

  void scalars() {
    by_beginning();
    const std::vector<std::size_t> integers = open_scalars(false), reals = open_scalars(true);
    const std::vector<std::string> symbols = open_symbols();
    std::vector<std::string> constants;
    for (const op::Constant& c : spec_.constants)
      if (!used_.contains(c.name) && c.type == op::Type::real) constants.push_back(c.name);
    if (integers.size() == 1 && symbols.size() == 1)
      take(integers[0], symbols[0], Source::guessed);
    else if (integers.size() == 1 && rank() > 0 && names_a_count(kernel_.parameters[integers[0]].name))
      out_.args[integers[0]] = {product(rank()), Source::guessed};
    if (reals.size() == 1 && constants.size() == 1) take(reals[0], constants[0], Source::guessed);
  }

  // One thread an element where the threads are numbered over all blocks; one block a row where they are not. A kernel
  // that counts threads in two dimensions is not guessed.
  void grid() {
    if (!words_.contains("blockIdx")) {
      out_.grid = {"1", Source::guessed};
    } else if (rank() == 0 || two_dimensional_) {
      return;
    } else if (words_.contains("blockDim")) {
      out_.grid = {fmt::format("ceildiv({}, {})", product(rank()), shown(out_.block)), Source::guessed};
    } else if (rank() > 1) {
      out_.grid = {product(rank() - 1), Source::guessed};
    }
  }

  const BareKernel& kernel_;
  const std::set<std::string_view> words_;
  const std::optional<int> stride_;
  const bool two_dimensional_;
  const op::Spec& spec_;
  SuggestedLaunch out_;
  std::set<std::string> used_;
};

}  // namespace

bool SuggestedLaunch::complete() const {
  const auto open = [](const Suggested& s) { return s.source == Source::unknown || s.text.find('?') != s.text.npos; };
  return !open(grid) && !open(block) && !open(shared) && std::none_of(args.begin(), args.end(), open);
}

SuggestedLaunch suggest_launch(const BareKernel& kernel, std::string_view cuda, const op::Spec& spec) {
  return Suggester(kernel, cuda, spec).suggest();
}

std::string plan_lines(const op::Spec& spec, const std::vector<SuggestedLaunch>& launches) {
  std::string out = fmt::format("//@ candidate {}\n", spec.name);
  for (const SuggestedLaunch& l : launches) {
    std::string args;
    for (const Suggested& a : l.args) args += (args.empty() ? "" : ", ") + shown(a);
    const bool none = l.shared.source != Source::unknown && l.shared.text.empty();
    out += fmt::format("//@ launch {} grid({}) block({}){} args({})\n", l.kernel, shown(l.grid), shown(l.block),
                       none ? "" : fmt::format(" shared({})", shown(l.shared)), args);
  }
  return out;
}

std::string with_plan_lines(std::string_view cuda, const op::Spec& spec, const BareKernel& kernel,
                            const SuggestedLaunch& launch) {
  std::string out(cuda);
  if (!kernel.extern_c) out.insert(kernel.at, "extern \"C\" ");
  return plan_lines(spec, {launch}) + out;
}

std::string plan_advice(std::string_view cuda, const op::Spec& spec) {
  if (!named_op(cuda).empty()) return {};
  std::vector<SuggestedLaunch> launches;
  bool complete = true, extern_c = true;
  for (const BareKernel& kernel : bare_kernels(cuda)) {
    if (kernel.is_template) continue;
    launches.push_back(suggest_launch(kernel, cuda, spec));
    complete = complete && launches.back().complete();
    extern_c = extern_c && kernel.extern_c;
  }
  if (launches.empty()) return {};
  std::string out = "The signature suggests these lines above the kernel:\n\n" + plan_lines(spec, launches) +
                    "\nCheck them: arguments are matched by name, then by order and type.";
  if (!complete) out += " Put a number or an expression in place of each '?'.";
  if (!extern_c) out += " Declare the kernel extern \"C\".";
  return out + '\n';
}

}  // namespace ww::candidate
