// SPDX-License-Identifier: Apache-2.0
// Naive kernels in the style of a first hand-written version: one per equation, a thread per element. Equations without
// reductions are inlined into their readers; running sums use one thread per row; a single result of a reduction uses
// one block, with a tree in shared memory.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <new>
#include "base/dtype.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"
#include "oracle/oracle.h"
#include "oracle/plain.h"
#include "oracle/steps.h"

namespace ww::oracle {

using op::Expr;
using op::ExprKind;
using op::ExprPtr;

namespace {

constexpr int block = 256;
constexpr int largest_inlined = 200;  // nodes of an equation

int nodes(const Expr& e) {
  int n = 0;
  op::for_each(e, [&](const Expr&) { ++n; });
  return n;
}

bool reduces(const Expr& e) {
  bool found = false;
  op::for_each(e, [&](const Expr& x) { found = found || x.kind == ExprKind::reduce; });
  return found;
}

// The spec with equations of temporaries that reduce nothing written into their readers.
op::Spec inlined(const op::Spec& spec) {
  op::Spec out = spec;
  out.equations.clear();
  std::map<std::string, op::Equation> kept;
  const std::vector<op::Recurrence> recurrences = op::recurrences_of(spec);
  for (std::size_t i = 0; i < spec.equations.size(); ++i) {
    op::Equation e = spec.equations[i];
    const ExprPtr wide = op::rewrite(e.value, [&](const Expr& x) -> ExprPtr {
      if (x.kind != ExprKind::access) return nullptr;
      const auto found = kept.find(x.name);
      if (found == kept.end()) return nullptr;
      std::map<std::string, ExprPtr> subscripts;
      for (std::size_t k = 0; k < x.args.size(); ++k) subscripts[found->second.indices[k].name] = x.args[k];
      return op::substitute(found->second.value, subscripts);
    });
    const bool carried = op::recurrence_with(recurrences, i) != nullptr;
    const bool temporary = !carried && std::any_of(spec.temporaries.begin(), spec.temporaries.end(),
                                                   [&](const op::Param& p) { return p.name == e.target; });
    e.value = wide;
    if (temporary && !reduces(*wide) && nodes(*wide) <= largest_inlined && wide->kind != ExprKind::reduce)
      kept[e.target] = e;
    else
      out.equations.push_back(std::move(e));
  }
  return out;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !part(text[at - 1])) && (at + word.size() >= text.size() || !part(text[at + word.size()])))
      return true;
  }
  return false;
}

class Naive {
 public:
  explicit Naive(const op::Spec& spec) : spec_(spec), names_(spec) {
    for (const std::vector<op::Param>* list : {&spec.inputs, &spec.outputs})
      for (const op::Param& p : *list) {
        f64_ = f64_ || p.dtype == DType::f64;
        tensors_[p.name] = {p.dtype, p.shape};
      }
  }

  std::string text() {
    const op::Spec flat = inlined(spec_);
    const std::vector<Step> steps = steps_of(flat);
    for (auto s = steps.begin(); s != steps.end();) {
      const auto end = std::find_if(s, steps.end(), [&](const Step& o) { return o.recurrence != s->recurrence; });
      if (s->recurrence < 0)
        step(*s++);
      else
        recurrence({s, end}), s = end;
    }
    std::string out = "//@ candidate " + spec_.name +
                      "\n//@ title One thread per element, straight from the definition\n//@ structure naive\n" +
                      directives_ + launches_;
    out += "// Written straight from the definition: one kernel per equation, nothing shared, nothing staged.\n";
    if (kernels_.find("__half") != std::string::npos || kernels_.find("2half") != std::string::npos)
      out += "#include <cuda_fp16.h>\n";
    if (kernels_.find("bfloat16") != std::string::npos) out += "#include <cuda_bf16.h>\n";
    if (kernels_.find("__nv_fp8") != std::string::npos) out += "#include <cuda_fp8.h>\n";
    const std::string helpers = helper_text(helpers_, f64_);
    return out + (helpers.empty() ? "" : "\n" + helpers) + kernels_;
  }

 private:
  // A product of extents, for C (`c`) or for a directive.
  std::string points(Plain& out, const std::vector<op::Index>& indices, bool c) {
    std::string text;
    for (const op::Index& i : indices) {
      std::string one = extent(out, i, c);
      if (indices.size() > 1 && one.find(' ') != std::string::npos && unbracketed(one) == one) one = "(" + one + ")";
      text += (text.empty() ? "" : " * ") + one;
    }
    return text.empty() ? "1" : text;
  }
  std::string extent(Plain& out, const op::Index& i, bool c) {
    const bool zero = i.lo->kind == ExprKind::integer && i.lo->integer == 0;
    const ExprPtr e = zero ? i.hi : op::binary_of(op::BinaryOp::sub, i.hi, i.lo);
    if (!c) return op::print(*e);
    const std::string text = unbracketed(out.value(*e));
    if (text.find(' ') == std::string::npos) return text;
    std::string& name = sizes_[text];  // named once in a kernel
    if (name.empty()) {
      name = names_.fresh("size_" + i.name);
      out.line(fmt::format("const long long {} = {};", name, text));
    }
    return name;
  }

  // const long long r = at / C, c = at % C;
  void decode(Plain& out, const std::vector<op::Index>& indices) {
    std::string list;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      std::string one = "at";
      for (std::size_t later = indices.size(); later-- > k + 1;) one += " / " + extent(out, indices[later], true);
      if (k > 0) one += " % " + extent(out, indices[k], true);
      const op::Index& i = indices[k];
      if (!(i.lo->kind == ExprKind::integer && i.lo->integer == 0)) one = out.value(*i.lo) + " + " + one;
      list += (list.empty() ? "" : ", ") + names_.index(i.name) + " = " + one;
    }
    if (!list.empty()) out.line("const long long " + list + ";");
  }

  // The thread's number, and the indices from it.
  void thread(Plain& out, const std::vector<op::Index>& indices, bool flat) {
    for (const op::Index& i : indices) out.enter(i);
    if (indices.empty()) {
      out.line("if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;");
      return;
    }
    const bool alone = indices.size() == 1 && indices[0].lo->kind == ExprKind::integer && indices[0].lo->integer == 0;
    const std::string n = alone && !flat ? names_.index(indices[0].name) : "at";
    const std::string count = points(out, indices, true);
    out.line(fmt::format("const long long {} = (long long)blockIdx.x * blockDim.x + threadIdx.x;", n));
    out.line(fmt::format("if ({} >= {}) return;", n, count));
    if (!flat && !alone) decode(out, indices);
    place_ = n;
  }

  // Every tensor is read at the place that all the indices give, in their order, so that their flat number is enough.
  bool same_places(const Expr& value, const std::vector<op::Index>& indices) const {
    const auto zero = [](const op::Index& i) { return i.lo->kind == ExprKind::integer && i.lo->integer == 0; };
    bool good = !indices.empty() && std::all_of(indices.begin(), indices.end(), zero);
    std::size_t in_accesses = 0, in_all = 0;
    op::for_each(value, [&](const Expr& x) {
      if (x.kind == ExprKind::padded || x.kind == ExprKind::reduce) good = false;
      if (x.kind == ExprKind::name && x.role == op::Role::index) ++in_all;
      if (x.kind != ExprKind::access || x.args.empty()) return;
      const PlainTensor& t = tensors_.at(x.name);
      in_accesses += x.args.size();
      good = good && x.args.size() == indices.size();
      for (std::size_t k = 0; good && k < x.args.size(); ++k) {
        const Expr& s = *x.args[k];
        good = s.kind == ExprKind::name && s.role == op::Role::index && s.name == indices[k].name &&
               op::same_integer(*t.shape[k], *indices[k].hi);
      }
    });
    return good && in_accesses == in_all;
  }
  static std::vector<std::string> names_of(const std::vector<op::Index>& indices) {
    std::vector<std::string> out;
    for (const op::Index& i : indices) out.push_back(i.name);
    return out;
  }

  void declare(const Step& s) {
    if (tensors_.count(s.target)) return;
    const op::Param* p = op::find_param(spec_, s.target);
    PlainTensor t;
    const op::Type type = p ? op::type_of(p->dtype) : s.value->type;
    t.dtype = type == op::Type::real      ? (f64_ ? DType::f64 : DType::f32)
              : type == op::Type::boolean ? DType::boolean
                                          : DType::i64;
    std::string shape;
    Plain unused(tensors_, names_, f64_, helpers_);
    for (const op::Index& i : s.indices) {
      const bool zero = i.lo->kind == ExprKind::integer && i.lo->integer == 0;
      t.shape.push_back(zero ? i.hi : op::binary_of(op::BinaryOp::sub, i.hi, i.lo));
      shape += (shape.empty() ? "[" : ", ") + op::print(*t.shape.back());
    }
    directives_ +=
        fmt::format("//@ temp {}: {}{}\n", names_.of(s.target), dtype_name(t.dtype), shape.empty() ? "" : shape + "]");
    tensors_[s.target] = std::move(t);
  }

  void store(Plain& out, const Step& s, const std::string& at) {
    const PlainTensor& t = tensors_.at(s.target);
    const std::string v = op::type_of(t.dtype) == op::Type::real ? out.real(*s.value) : out.value(*s.value);
    const op::Type type = op::type_of(t.dtype) == op::Type::real ? op::Type::real : s.value->type;
    out.line(fmt::format("{}[{}] = {};", names_.of(s.target), at, out.as(v, type, t.dtype)));
  }

  void step(const Step& s) {
    declare(s);
    Plain out(tensors_, names_, f64_, helpers_);
    std::string threads;  // for the directive
    sizes_.clear();
    std::string about = "a thread per element";
    place_ = "0";
    if (s.moving >= 0) {
      std::vector<op::Index> rows = s.indices;
      rows.erase(rows.begin() + s.moving);
      threads = points(out, rows, false);
      about = "a thread per row, which keeps the running value";
      running(out, s, rows);
    } else if (s.indices.empty() && tree(s)) {
      about = "one block: each thread takes every 256th term, then a tree";
      whole(out, s);
    } else {
      threads = points(out, s.indices, false);
      const bool flat = same_places(*s.value, s.indices);
      thread(out, s.indices, flat);
      if (flat) out.flat(names_of(s.indices), place_);
      store(out, s, place_);
    }
    emit({s}, out, threads, about);
  }

  static bool tree(const Step& s) {
    if (!s.main || s.main->reduce == op::ReduceOp::argmax || s.main->reduce == op::ReduceOp::argmin) return false;
    return std::all_of(s.main->indices.begin(), s.main->indices.end(),
                       [](const op::Index& i) { return shapes_alone(*i.lo) && shapes_alone(*i.hi); });
  }

  void whole(Plain& out, const Step& s) {
    const Expr& e = *s.main;
    const std::string acc = names_.fresh("mine"), type = out.accumulator_type(e);
    out.line(fmt::format("__shared__ {} part[{}];", type, block));
    out.line(fmt::format("{} {} = {};", type, acc, out.start(e)));
    const std::string count = points(out, e.indices, true);
    out.open(fmt::format("for (long long at = threadIdx.x; at < {}; at += {})", count, block));
    if (e.args.size() == 1 && same_places(*e.args[0], e.indices))
      out.flat(names_of(e.indices), "at");
    else
      decode(out, e.indices);
    for (const op::Index& i : e.indices) out.enter(i);
    out.update(e, acc);
    out.flat({}, "");
    out.close();
    out.line("part[threadIdx.x] = " + acc + ";");
    out.line("__syncthreads();");
    out.open(fmt::format("for (int half = {}; half > 0; half /= 2)", block / 2));
    out.line("if (threadIdx.x < half) part[threadIdx.x] = " +
             out.combined(e, "part[threadIdx.x]", "part[threadIdx.x + half]") + ";");
    out.line("__syncthreads();");
    out.close();
    out.line("if (threadIdx.x > 0) return;");
    out.know(&e, "part[0]");
    store(out, s, "0");
  }

  void running(Plain& out, const Step& s, const std::vector<op::Index>& rows) {
    const Expr& e = *s.main;
    const op::Index &along = s.indices[static_cast<std::size_t>(s.moving)], &j = e.indices[0];
    thread(out, rows, false);
    const std::string acc = names_.fresh("running"), n = names_.index(along.name);
    out.line(fmt::format("{} {} = {};", out.accumulator_type(e), acc, out.start(e)));
    out.line(fmt::format("long long next = {};", unbracketed(out.value(s.backward ? *j.hi : *j.lo))));
    const std::string first = unbracketed(out.value(*along.lo)), last = out.value(*along.hi);
    if (s.backward)
      out.open(fmt::format("for (long long {0} = {1} - 1; {0} >= {2}; --{0})", n, last, first));
    else
      out.open(fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0})", n, first, last));
    out.enter(along);
    out.open(s.backward ? fmt::format("while (next > {})", operand(out.value(*j.lo), 6))
                        : fmt::format("for (; next < {}; ++next)", operand(out.value(*j.hi), 6)));
    if (s.backward) out.line("--next;");
    out.line(fmt::format("const long long {} = next;", names_.index(j.name)));
    out.enter(j);
    out.update(e, acc);
    out.close();
    out.know(&e, acc);
    const std::string at = place(out, s);
    store(out, s, at);
    out.close();
  }

  // The flat number of the element whose indices are known.
  std::string place(Plain& out, const Step& s) {
    std::string at;
    for (const op::Index& i : s.indices) {
      const bool zero = i.lo->kind == ExprKind::integer && i.lo->integer == 0;
      const std::string own = zero ? names_.index(i.name) : "(" + names_.index(i.name) + " - " + out.value(*i.lo) + ")";
      const std::string size = extent(out, i, true);
      at = at.empty() ? own
                      : fmt::format("{} * {} + {}", at.find(' ') == std::string::npos ? at : "(" + at + ")", size, own);
    }
    return at.empty() ? "0" : at;
  }

  // One block: its threads share the elements of a step, and wait for one another before the next equation.
  void recurrence(const std::vector<Step>& members) {
    sizes_.clear();
    for (const Step& s : members) declare(s);
    Plain out(tensors_, names_, f64_, helpers_);
    const op::Index& steps = members[0].indices[members[0].carried];
    const std::string n = names_.index(steps.name), first = unbracketed(out.value(*steps.lo)),
                      last = out.value(*steps.hi);
    for (const Step& s : members)
      for (const op::Index& i : s.indices) extent(out, i, true);  // named here, outside of the loops
    if (members[0].backward)
      out.open(fmt::format("for (long long {0} = {1} - 1; {0} >= {2}; --{0})", n, last, first));
    else
      out.open(fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0})", n, first, last));
    for (const Step& s : members) {
      std::vector<op::Index> own = s.indices;
      const std::string step = names_.index(own[s.carried].name);
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(s.carried));
      for (const op::Index& i : s.indices) out.enter(i);
      if (own.empty())
        out.open("if (threadIdx.x == 0)");
      else
        out.open(fmt::format("for (long long at = threadIdx.x; at < {}; at += {})", points(out, own, true), block));
      if (step != n) out.line("const long long " + step + " = " + n + ";");
      decode(out, own);
      const std::string at = place(out, s);
      store(out, s, at);
      out.close();
      out.line("__syncthreads();");
    }
    out.close();
    emit(members, out, "1", "one block, step by step");
  }

  // The kernel with the parameters that its body uses, and its launch.
  void emit(const std::vector<Step>& steps, const Plain& body, const std::string& threads, const std::string& about) {
    std::string parameters, args;
    const auto pass = [&](const std::string& type, const std::string& c, const std::string& arg) {
      parameters += (parameters.empty() ? "" : ", ") + type + c;
      args += (args.empty() ? "" : ", ") + arg;
    };
    const auto written = [&](const std::string& name) {
      return std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return s.target == name; });
    };
    // Inputs, then what other kernels have computed, then the results.
    std::vector<std::string> order;
    for (const op::Param& p : spec_.inputs) order.push_back(p.name);
    for (const std::string& name : computed_) order.push_back(name);
    for (const Step& s : steps) {
      computed_.push_back(s.target);
      std::erase(order, s.target);
      order.push_back(s.target);
    }
    for (const std::string& name : order) {
      const PlainTensor& t = tensors_.at(name);
      const std::string& c = names_.of(name);
      if (!written(name) && !has_word(body.text(), c)) continue;
      const auto named = [&](const op::Param& p) { return p.name == name; };
      const bool declared =
          op::find_param(spec_, name) && std::none_of(spec_.temporaries.begin(), spec_.temporaries.end(), named);
      pass((written(name) ? "" : "const ") + std::string(dtype_cuda_name(t.dtype)) + "* ", c, declared ? name : c);
    }
    for (const std::string& n : spec_.symbols)
      if (has_word(body.text(), names_.of(n))) pass("long long ", names_.of(n), n);
    for (const op::Constant& k : spec_.constants) {
      if (!has_word(body.text(), names_.of(k.name))) continue;
      pass(k.type == op::Type::integer ? "long long " : f64_ ? "double " : "float ", names_.of(k.name), k.name);
    }
    const std::string kernel = names_.fresh("naive_" + names_.of(steps.back().target));
    const std::string grid =
        threads.empty() || threads == "1" ? "1" : fmt::format("max(1, ceildiv({}, {}))", threads, block);
    launches_ += fmt::format("//@ launch {} grid({}) block({}) args({})\n", kernel, grid, block, args);
    std::string what;
    for (const Step& s : steps) {
      const op::Equation* e = op::find_equation(spec_, s.target);
      what +=
          (what.empty() ? "" : "; ") + names_.of(s.target) + " = " + (e ? op::print(*e->value) : op::print(*s.value));
    }
    const std::string said = what.size() > 160 ? what.substr(0, 160) + " …" : what;
    kernels_ += fmt::format("\n// {}: {}.\nextern \"C\" __global__ void {}({}) {{\n{}}}\n", said, about, kernel,
                            parameters, body.text());
  }

  const op::Spec& spec_;
  PlainNames names_;
  bool f64_ = false;
  std::map<std::string, PlainTensor> tensors_;
  std::set<std::string> helpers_;
  std::map<std::string, std::string> sizes_;  // extents that are more than a name -> the name of the kernel's variable
  std::vector<std::string> computed_;
  std::string directives_, launches_, kernels_, place_;
};

}  // namespace

Result<std::string> naive_candidate(const op::Spec& spec) {
  try {
    return Naive(spec).text();
  } catch (const std::bad_alloc&) {
    return fail(Code::unsupported, "there is not enough memory to write a kernel for op '" + spec.name + "'");
  }
}

}  // namespace ww::oracle
