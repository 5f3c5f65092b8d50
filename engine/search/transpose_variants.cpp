// SPDX-License-Identifier: Apache-2.0
// Maps that read an input in another order of dimensions than they write.
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/emit.h"
#include "search/families.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::Type;

namespace {

// The access that reads across: its last subscript is an output index, but not the last one.
const Expr* crossing(const Equation& eq) {
  const Expr* found = nullptr;
  const std::string last = eq.indices.back().name;
  op::for_each(*eq.value, [&](const Expr& x) {
    if (found || x.kind != ExprKind::access || x.args.size() < 2) return;
    bool plain = true, has_last = false;
    for (const ExprPtr& s : x.args) {
      plain = plain && is_index(*s);
      has_last = has_last || is_name(*s, last);
    }
    if (plain && has_last && !is_name(*x.args.back(), last)) found = &x;
  });
  return found;
}

struct Axes {
  Index in, out;  // the input's contiguous index, the output's
  std::vector<Index> others;
};

Axes axes_of(const Equation& eq, const Expr& access) {
  Axes a;
  for (const Index& i : eq.indices) {
    if (i.name == access.args.back()->name)
      a.in = i;
    else if (i.name == eq.indices.back().name)
      a.out = i;
    else
      a.others.push_back(i);
  }
  return a;
}

void store_value(Emitter& e, const Equation& eq) {
  const bool real = is_real(e.kernel().source().program().tensor(eq.target).dtype);
  const Code value = real ? e.real(*eq.value) : e.emit(*eq.value);
  e.store(eq.target, eq.at, value, real ? Type::real : eq.value->type);
}

// Threads in the order of the input's memory.
void read_order(Source& source, const Equation& eq, Kernel& k) {
  const Program& p = source.program();
  Emitter e(k);
  const std::string block = source.tune("BLOCK", {256, 128, 512});
  std::vector<Index> order;
  for (const ExprPtr& s : crossing(eq)->args)
    for (const Index& i : eq.indices)
      if (i.name == s->name) order.push_back(i);
  std::vector<Index> rest;
  for (const Index& i : eq.indices)
    if (std::none_of(order.begin(), order.end(), [&](const Index& o) { return o.name == i.name; })) rest.push_back(i);
  order.insert(order.begin(), rest.begin(), rest.end());
  k.launch(fmt::format("ceildiv({}, {})", op::print(*extent(order)), block), block);
  e.name_sizes({eq});
  const std::string element = k.fresh("element");
  k.line(fmt::format("const {} {} = {}blockIdx.x * {} + threadIdx.x;", source.index_type(), element,
                     p.wide ? "(long long)" : "", block));
  k.line(fmt::format("if ({} >= {}) return;", element, e.subscript(extent(order), sum_strength)));
  e.decompose(element, order);
  store_value(e, eq);
}

void tiled(Source& source, const Equation& eq, Kernel& k, bool padded, bool lines) {
  Emitter e(k);
  const Expr& access = *crossing(eq);
  const Axes a = axes_of(eq, access);
  const std::string tile =
      source.tune("TILE", lines ? std::vector<std::int64_t>{32, 16} : std::vector<std::int64_t>{32, 16, 8});
  const std::string height = lines ? source.tune("LINES", {8, 4, 16}) : tile, t = source.index_type();
  k.launch(fmt::format("ceildiv({}, {}), ceildiv({}, {}), {}", op::print(*extent(a.in)), tile,
                       op::print(*extent(a.out)), tile, op::print(*extent(a.others))),
           tile + ", " + height);
  if (!a.others.empty()) source.require(op::print(*extent(a.others)) + " <= 65535");
  e.name_sizes({eq});
  const std::string shared = k.fresh("tile"), in0 = k.fresh(k.index(a.in.name) + "0"),
                    out0 = k.fresh(k.index(a.out.name) + "0");
  const Type type = access.type;
  k.line(fmt::format("__shared__ {} {}[{}][{}{}];", e.type_name(type), shared, tile, tile, padded ? " + 1" : ""));
  k.line(fmt::format("const {} {} = {}blockIdx.x * {}, {} = {}blockIdx.y * {};", t, in0,
                     from_zero(a.in) ? "" : e.subscript(a.in.lo, sum_strength) + " + ", tile, out0,
                     from_zero(a.out) ? "" : e.subscript(a.out.lo, sum_strength) + " + ", tile));
  if (!a.others.empty()) {
    const bool single = a.others.size() == 1 && from_zero(a.others[0]);
    const std::string z = single ? k.index(a.others[0].name) : k.fresh("plane");
    k.line(fmt::format("const {} {} = blockIdx.z;", t, z));
    e.decompose(z, a.others);
  }
  const std::string in = k.index(a.in.name), out = k.index(a.out.name), line = k.fresh_inside("line");
  e.bind(a.in);
  e.bind(a.out);
  const auto phase = [&](const std::string& across, const std::string& across0, const std::string& down,
                         const std::string& down0, const std::function<void(const std::string&)>& body) {
    std::string row = "threadIdx.y";
    if (lines) {
      k.open(fmt::format("for (int {0} = threadIdx.y; {0} < {1}; {0} += {2}) {{", line, tile, height));
      row = line;
    } else {
      k.open("{");
    }
    k.line(fmt::format("const {} {} = {} + threadIdx.x, {} = {} + {};", t, across, across0, down, down0, row));
    k.open(fmt::format("if ({} < {} && {} < {}) {{", in, e.subscript(a.in.hi, sum_strength), out,
                       e.subscript(a.out.hi, sum_strength)));
    body(row);
    k.close();
    k.close();
  };
  k.comment("In: threadIdx.x runs along the input's contiguous dimension.");
  phase(in, in0, out, out0, [&](const std::string& row) {
    k.line(fmt::format("{}[{}][threadIdx.x] = {};", shared, row, e.load(access.name, access.args)));
  });
  k.barrier();
  k.comment("Out: threadIdx.x runs along the output's; the tile is read down its columns.");
  const std::string text = op::print(access);
  phase(out, out0, in, in0, [&](const std::string& row) {
    e.read = [&, row](const Expr& x) -> std::optional<std::string> {
      return op::print(x) == text ? std::optional(fmt::format("{}[threadIdx.x][{}]", shared, row)) : std::nullopt;
    };
    store_value(e, eq);
    e.read = nullptr;
  });
}

Variant tile_variant(std::string structure, std::string title, std::string why, bool padded, bool lines) {
  return {std::move(structure), std::move(title), std::move(why),
          [padded, lines](Source& source, const Group& group, const std::set<std::string>&, const std::string& name,
                          const std::string& about) {
            Kernel& kernel = source.kernel(name);
            kernel.about(about);
            tiled(source, group.equations[0], kernel, padded, lines);
          }};
}

}  // namespace

std::vector<Variant> transpose_variants(const Program& program, const Group& group) {
  std::vector<Variant> out;
  out.push_back(tile_variant("transpose-lines", "Padded tile in shared memory, several lines per thread",
                             "A tile goes through shared memory, so that both the loads and the stores of a warp are "
                             "contiguous. Each thread moves several lines of the tile, which saves index "
                             "arithmetic; one column of padding keeps the 32 lanes of a column on 32 different banks.",
                             true, true));
  Variant naive = row_variants(program, group).back();
  naive.structure = "transpose-write";
  naive.title = "Straight copy, stores coalesced";
  naive.why =
      "One thread per output element in output order: the stores of a warp are contiguous, its loads are scattered "
      "over 32 sectors.";
  out.push_back(naive);
  out.push_back({"transpose-read", "Straight copy, loads coalesced",
                 "One thread per element in input order: the loads of a warp are contiguous, its stores are scattered. "
                 "The counterpart of the output order: compare which of the two costs more.",
                 [](Source& source, const Group& g, const std::set<std::string>&, const std::string& name,
                    const std::string& about) {
                   Kernel& kernel = source.kernel(name);
                   kernel.about(about);
                   read_order(source, g.equations[0], kernel);
                 }});
  out.push_back(tile_variant("transpose-padded", "Padded tile in shared memory",
                             "A square tile goes through shared memory, one element per thread. One column of padding "
                             "keeps the lanes that read down a column on different banks.",
                             true, false));
  out.push_back(tile_variant("transpose-tile", "Unpadded tile in shared memory",
                             "A square tile goes through shared memory without padding: reading down a column puts all "
                             "32 lanes on one bank. Compare the bank conflicts with the padded form.",
                             false, false));
  return out;
}

}  // namespace ww::search
