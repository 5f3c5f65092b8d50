// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/equation_figure.h"
#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include "op/parse.h"
#include "op/walk.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString figure_tr(const char* text) { return QCoreApplication::translate("EquationFigure", text); }

QString reduction_word(op::ReduceOp reduce) {
  switch (reduce) {
    case op::ReduceOp::sum: return figure_tr("sum");
    case op::ReduceOp::prod: return figure_tr("product");
    case op::ReduceOp::max: return figure_tr("maximum");
    case op::ReduceOp::min: return figure_tr("minimum");
    case op::ReduceOp::argmax: return figure_tr("place of the maximum");
    case op::ReduceOp::argmin: return figure_tr("place of the minimum");
    case op::ReduceOp::any: return figure_tr("any");
    case op::ReduceOp::all: return figure_tr("all");
  }
  return {};
}

QString extent_text(const op::Expr& expr, const std::map<std::string, std::int64_t>& defaults) {
  const QString printed = qs(op::print(expr));
  const auto value = op::eval_integer(expr, [&](const std::string& name) -> std::optional<std::int64_t> {
    const auto found = defaults.find(name);
    return found == defaults.end() ? std::nullopt : std::optional(found->second);
  });
  if (!value || expr.kind == op::ExprKind::integer) return printed;
  return QString("%1 = %2").arg(printed, count_text(static_cast<double>(*value)));
}

class EquationReader {
 public:
  EquationReader(const op::Spec& spec, const op::Equation& equation) : spec_(spec), equation_(equation) {
    for (std::size_t i = 0; i < equation.indices.size(); ++i) places_[equation.indices[i].name] = static_cast<int>(i);
  }

  EquationFigure figure() {
    EquationFigure f;
    f.text = qs(equation_.target) + subscripts(equation_.indices) + " = " + qs(op::print(*equation_.value));
    if (equation_.span.begin < spec_.text.size())
      f.line =
          1 + static_cast<int>(std::count(
                  spec_.text.begin(), spec_.text.begin() + static_cast<std::ptrdiff_t>(equation_.span.begin), '\n'));
    f.target.name = qs(equation_.target);
    const op::Param* made = op::find_param(spec_, equation_.target);
    for (std::size_t i = 0; i < equation_.indices.size(); ++i) {
      FigureAxis axis;
      axis.subscript = qs(equation_.indices[i].name);
      axis.place = static_cast<int>(i);
      if (made && i < made->shape.size()) axis.extent = extent_text(*made->shape[i], spec_.defaults);
      f.target.axes.push_back(axis);
    }
    f.target.dtype = dtype_of(equation_.target, made);
    op::for_each(*equation_.value, [&](const op::Expr& e) {
      if (e.kind == op::ExprKind::reduce) {
        for (const op::Index& index : e.indices) reduced_.insert(index.name);
        f.reductions += reduction_text(e);
      }
    });
    std::set<const op::Expr*> in_padding;
    op::for_each(*equation_.value, [&](const op::Expr& e) {
      if (e.kind == op::ExprKind::padded && !e.args.empty()) in_padding.insert(e.args.front().get());
      if (e.kind == op::ExprKind::access) add(f, e, in_padding.contains(&e));
      if (e.kind == op::ExprKind::name && e.role != op::Role::index && op::find_param(spec_, e.name)) add(f, e, false);
    });
    f.reductions.removeDuplicates();
    QStringList needs;
    for (const FigureTensor& t : f.sources) needs += t.text();
    if (needs.isEmpty())
      f.sentence = figure_tr("Each %1 is computed from its indices alone.").arg(f.target.text());
    else
      f.sentence = (f.target.axes.empty() ? figure_tr("%1 needs %2.") : figure_tr("Each %1 needs %2."))
                       .arg(f.target.text(), needs.join(", "));
    return f;
  }

 private:
  static QString subscripts(const std::vector<op::Index>& indices) {
    QStringList names;
    for (const op::Index& i : indices) names += qs(i.name);
    return names.isEmpty() ? QString() : "[" + names.join(", ") + "]";
  }
  static QString reduction_text(const op::Expr& e) {
    QStringList over;
    for (const op::Index& i : e.indices)
      over += i.lo && i.hi ? QString("%1 in %2..%3").arg(qs(i.name), qs(op::print(*i.lo)), qs(op::print(*i.hi)))
                           : qs(i.name);
    const QString text = figure_tr("%1 over %2").arg(reduction_word(e.reduce), over.join(", "));
    return e.args.size() > 1 ? figure_tr("%1, where %2").arg(text, qs(op::print(*e.args[1]))) : text;
  }
  QString dtype_of(const std::string& name, const op::Param* param) const {
    for (const op::Param& t : spec_.temporaries)
      if (t.name == name) return {};
    return param ? QString::fromUtf8(dtype_name(param->dtype).data(),
                                     static_cast<qsizetype>(dtype_name(param->dtype).size()))
                 : QString();
  }
  void add(EquationFigure& f, const op::Expr& access, bool padded) {
    FigureTensor t;
    t.name = qs(access.name);
    t.padded = padded;
    const op::Param* param = op::find_param(spec_, access.name);
    t.dtype = dtype_of(access.name, param);
    for (std::size_t i = 0; i < access.args.size(); ++i) {
      FigureAxis axis;
      axis.subscript = qs(op::print(*access.args[i]));
      if (param && i < param->shape.size()) axis.extent = extent_text(*param->shape[i], spec_.defaults);
      read_need(*access.args[i], axis);
      t.axes.push_back(axis);
    }
    const QString text = t.text();
    for (FigureTensor& known : f.sources) {
      if (known.text() != text) continue;
      known.padded |= padded;
      return;
    }
    f.sources.push_back(std::move(t));
  }
  void read_need(const op::Expr& subscript, FigureAxis& axis) const {
    bool own = false, reduced = false, gathered = false;
    op::for_each(subscript, [&](const op::Expr& e) {
      if (e.kind == op::ExprKind::access) gathered = true;
      if (e.kind != op::ExprKind::name || e.role != op::Role::index) return;
      if (reduced_.contains(e.name)) {
        reduced = true;
      } else if (const auto place = places_.find(e.name); place != places_.end()) {
        if (!own) axis.place = place->second;
        own = true;
      }
    });
    axis.need = gathered ? Need::chosen : own && reduced ? Need::window : reduced ? Need::all : Need::one;
    if (!own && axis.need == Need::one) axis.place = -1;  // a fixed position
  }

  const op::Spec& spec_;
  const op::Equation& equation_;
  std::map<std::string, int> places_;
  std::set<std::string> reduced_;
};

}  // namespace

QString FigureTensor::text() const {
  QStringList parts;
  for (const FigureAxis& axis : axes) parts += axis.subscript;
  const QString plain = parts.isEmpty() ? name : name + "[" + parts.join(", ") + "]";
  return plain;
}

std::vector<EquationFigure> figures_of(const op::Spec& spec) {
  std::vector<EquationFigure> list;
  for (const op::Equation& equation : spec.equations) list.push_back(EquationReader(spec, equation).figure());
  return list;
}

}  // namespace ww::widgets
