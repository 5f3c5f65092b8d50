// SPDX-License-Identifier: Apache-2.0
// The reductions of op/reduce.cpp, restated for the device. Every structure has
//   add(term, state)   in text order; with the index value for argmax and argmin. `state`: whether the term belongs to
//                      the reduction
//   join(next)         the part of the stretch of terms that follows this one's
//   drift(first, x)    sums alone: what a sequential sum in the compute precision loses over a stretch that begins at
//                      the sum `first`
//   finish()           value and bound
// How the bound of a sum survives being cut into stretches: op/bounds.cpp takes from the text order (a) the sum of the
// squares of the partial sums, and (b) the error of a sequential sum in the compute precision. With s the sum before a
// stretch of n terms whose own partial sums are p_i, (a) is exactly sum (s + p_i)^2 = sum p_i^2 + 2 s sum p_i + n s^2,
// so that each part keeps sum p_i (`first`) as well. For (b) each stretch is added again in the compute precision,
// beginning at the rounded exact sum before it: it meets partial sums of the size that a sequential sum meets there,
// and loses what that loses; the losses add up. (A stretch that began at 0, as those of a parallel kernel do, would
// lose less than a sequential kernel, which is honest as well.)
#include "oracle/texts.h"

namespace ww::oracle {
namespace {

constexpr const char* sums = R"(
enum State { certain, uncertain_in, uncertain_out };
#define FM __device__ __forceinline__

FN double order_error(double n, double sum, double squares, double partial, bool truncated) {
  const double q = fmax(partial, n / 6 * squares + sum * sum * fmax(0.0, n / 3 - 1.0 / 6));
  return U * (6 + (truncated ? 1.5 * sqrt(n) : 0)) * sqrt(q);
}

struct SumR {
  // sum + low: the sum; low: in f64 alone
  double sum, low, magnitude, squares, partial, first, error, off_whole, off_grid, count, lost;
  I hazy;
  // lost: of the sequential sum, once known; until then `narrow` has that sum itself
  double narrow;
  FM void clear() {
    sum = low = magnitude = squares = partial = first = error = off_whole = off_grid = count = lost = narrow = 0.0;
    hazy = 0;
  }
  FM void plus(double t) {  // an error-free transformation (Knuth), where the compute precision is f64
    const double s = sum + t, b = s - sum;
    if (F64 && isfinite(s)) low += (sum - (s - b)) + (t - b);
    sum = s;
  }
  FM void add(R t, State state) {
    if (state != certain) error += fabs(t.v) + t.e;
    if (state == uncertain_out) count += 1;
    if (state == uncertain_out) return;
    plus(t.v);
    narrow = F64 ? narrow + t.v : (double)((float)narrow + (float)t.v);
    magnitude += fabs(t.v);
    squares += t.v * t.v;
    partial += sum * sum;
    first += sum;
    error += t.e;
    const double to_whole = 0x1.8p52, to_grid = 0x1.8p44;
    off_whole += fabs(t.v - ((t.v + to_whole) - to_whole));
    off_grid += fabs(t.v - ((t.v + to_grid) - to_grid));
    count += 1;
  }
  FM void join(const SumR& next) {
    const double s = sum;
    partial += next.partial + 2 * s * next.first + next.count * s * s;
    first += next.first + next.count * s;
    plus(next.sum);
    low += next.low;
    magnitude += next.magnitude;
    squares += next.squares;
    error += next.error;
    off_whole += next.off_whole;
    off_grid += next.off_grid;
    count += next.count;
    lost += next.lost;
    hazy |= next.hazy;
  }
  FM double value() const { return isfinite(sum) ? sum + low : sum; }
  FM bool exact() const {
    return error == 0 && ((off_whole == 0 && magnitude <= 0x1p24) || (off_grid == 0 && magnitude <= 0x1p16));
  }
  FM R closed(double loss, bool truncated) const {
    const double v = value();
    double e = 0;
    if (count <= 1 || !isfinite(v)) e = settle(v, error);
    else if (!exact())
      e = settle(v, error + 2 * fabs(loss) +
                        order_error(count, v, squares, partial + count * error * error, truncated));
    return R{v, hazy ? INF : e};
  }
  FM R finish(bool truncated = false) const { return closed(narrow - value(), truncated); }
  FM R finish_joined(bool truncated = false) const { return closed(lost, truncated); }
};
struct Drift {  // the second look at a stretch
  double begin, end;
  I hazy;
  FM void start(double first) { begin = end = F64 ? first : (double)(float)first; hazy = 0; }
  FM void add(R t, State state) {
    if (state != uncertain_out) end = F64 ? end + t.v : (double)((float)end + (float)t.v);
  }
  FM double lost(double stretch) const { return end - begin - stretch; }
};

struct SumZ {
  I sum;
  double error;
  I hazy;
  FM void clear() { sum = 0; error = 0; hazy = 0; }
  FM void add(Z t, State state) {
    error += t.e;
    if (state != certain) error += fabs((double)t.i);
    if (state != uncertain_out) sum = i_add(sum, t.i);
  }
  FM void join(const SumZ& next) { sum = i_add(sum, next.sum); error += next.error; hazy |= next.hazy; }
  FM Z finish() const { return Z{sum, hazy ? INF : error}; }
  FM Z finish_joined() const { return finish(); }
};
)";

constexpr const char* others = R"(
struct ProdR {
  double best, error, large, small;
  I any, hazy;
  FM void clear() { best = large = small = 1; error = 0; any = hazy = 0; }
  FM void add(R t, State state) {
    if (state != certain) hazy = 1;
    if (state == uncertain_out) return;
    const double magnitude = fabs(t.v);
    if (magnitude >= 8) large *= magnitude;
    if (magnitude <= 0.125 && magnitude > 0) small *= magnitude;
    times(t);
  }
  FM void times(R t) {
    const double before = best;
    best = before * t.v;
    if (error == INF || t.e == INF) error = INF;
    else if (isfinite(best)) error = fabs(before) * t.e + error * (fabs(t.v) + t.e) + (any ? product_error(best) : 0.0);
    else error = isfinite(before) && isfinite(t.v) ? INF : 0.0;
    any = 1;
  }
  FM void join(const ProdR& next) {
    hazy |= next.hazy;
    large *= next.large;
    small *= next.small;
    if (next.any) times(R{next.best, next.error});
  }
  FM R finish() const {
    const bool overflows = large > LARGEST && isfinite(best);
    return R{best, hazy || overflows ? INF : settle(best, error + (small < TINY ? fabs(best) : 0.0))};
  }
  FM R finish_joined() const { return finish(); }
};
struct ProdZ {
  I product, hazy;
  FM void clear() { product = 1; hazy = 0; }
  FM void add(Z t, State state) {
    if (state != certain || t.e > 0) hazy = 1;
    if (state != uncertain_out) product = i_mul(product, t.i);
  }
  FM void join(const ProdZ& next) { product = i_mul(product, next.product); hazy |= next.hazy; }
  FM Z finish() const { return Z{product, hazy ? INF : 0.0}; }
  FM Z finish_joined() const { return finish(); }
};

template <bool is_max> struct ExtremeR {
  double best, error;
  I any, hazy;
  FM void clear() { best = is_max ? -INF : INF; error = 0; any = hazy = 0; }
  FM void add(R t, State state) {
    if (state != certain) hazy = 1;
    if (state == uncertain_out) return;
    if (!any || isnan(t.v) || (is_max ? t.v > best : t.v < best)) best = t.v;
    error = fmax(error, t.e);
    any = 1;
  }
  FM void join(const ExtremeR& next) {
    hazy |= next.hazy;
    if (next.any) add(R{next.best, next.error}, certain);
  }
  FM R finish() const { return R{best, hazy ? INF : settle(best, error)}; }
  FM R finish_joined() const { return finish(); }
};
template <bool is_max> struct ExtremeZ {
  I best;
  double error;
  I any, hazy;
  FM void clear() { best = is_max ? (I)0x8000000000000000ull : 0x7fffffffffffffffll; error = 0; any = hazy = 0; }
  FM void add(Z t, State state) {
    if (state != certain) hazy = 1;
    if (state == uncertain_out) return;
    if (!any || (is_max ? t.i > best : t.i < best)) best = t.i;
    error = fmax(error, t.e);
    any = 1;
  }
  FM void join(const ExtremeZ& next) {
    hazy |= next.hazy;
    if (next.any) add(Z{next.best, next.error}, certain);
  }
  FM Z finish() const { return Z{best, hazy ? INF : error}; }
  FM Z finish_joined() const { return finish(); }
};

// rival: the best of the other places, with its error; 0 terms: -1.
template <bool is_max> struct Place {
  double best, error, rival, rival_exact;
  I place, any, hazy;
  FM void clear() { best = error = 0; rival = rival_exact = -INF; place = -1; any = hazy = 0; }
  FM void other(double v, double e) {
    rival_exact = fmax(rival_exact, v);
    if (e > 0) rival = fmax(rival, v + e);
  }
  FM void take(double v, double e, I here) {
    if (!any || v > best || (isnan(v) && !isnan(best))) {
      if (any) other(best, error);
      best = v;
      error = e;
      place = here;
    } else if (here != place) {
      other(v, e);
    }
    any = 1;
  }
  FM void add(R t, State state, I here) {
    if (state != certain) hazy = 1;
    if (state != uncertain_out) take(is_max ? t.v : -t.v, t.e, here);
  }
  FM void add(Z t, State state, I here) { add(R{(double)t.i, t.e}, state, here); }
  FM void join(const Place& next) {
    hazy |= next.hazy;
    if (!next.any) return;
    take(next.best, next.error, next.place);
    rival = fmax(rival, next.rival);
    rival_exact = fmax(rival_exact, next.rival_exact);
  }
  FM Z finish() const {
    const bool close = any && ((rival > -INF && rival >= best - error) || (error > 0 && rival_exact >= best - error));
    return Z{any ? place : -1, hazy || close ? INF : 0.0};
  }
  FM Z finish_joined() const { return finish(); }
};

template <bool is_any> struct Logic {
  I sure_of_it, seen, hazy;
  FM void clear() { sure_of_it = seen = hazy = 0; }
  FM void add(Z t, State state) {
    const bool deciding = (t.i != 0) == is_any, certainly = !(t.e > 0) && state == certain;
    if (state == uncertain_out) {
      if (deciding) hazy = 1;
      return;
    }
    if (deciding && certainly) sure_of_it = 1;
    if (!certainly && (deciding || t.e > 0)) hazy = 1;
    if (deciding) seen = 1;
  }
  FM void join(const Logic& next) { sure_of_it |= next.sure_of_it; seen |= next.seen; hazy |= next.hazy; }
  FM Z finish() const { return Z{is_any ? seen : !seen, hazy && !sure_of_it ? 1.0 : 0.0}; }
  FM Z finish_joined() const { return finish(); }
};
)";

}  // namespace

std::string reductions_text() { return std::string(sums) + others; }

}  // namespace ww::oracle
