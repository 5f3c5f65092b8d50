// SPDX-License-Identifier: Apache-2.0
#include "strategy_world.h"
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace ww::world {
namespace {

constexpr std::array<std::int64_t, 5> blocks = {32, 64, 128, 256, 512};
constexpr std::array<std::int64_t, 4> stage_counts = {1, 2, 3, 4};

template <class Values>
std::string values(const Values& all, std::int64_t first, bool open) {
  std::string text = std::to_string(first);
  for (const std::int64_t v : all)
    if (open && v != first) text += " | " + std::to_string(v);
  return text;
}

double steps_between(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

std::uint64_t mix(std::uint64_t seed, const std::string& text) {  // FNV-1a
  std::uint64_t h = seed ^ 1469598103934665603ULL;
  for (const unsigned char c : text) h = (h ^ c) * 1099511628211ULL;
  return h;
}

}  // namespace

std::string Genome::text() const {
  static const std::array<const char*, structures> bodies = {
      "  for (int i = threadIdx.x; i < n; i += BLOCK) y[i] = 2 * x[i];\n",
      "  __shared__ float tile[BLOCK];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  for (int i = 0; i "
      "< n; ++i) y[i] = tile[i];\n  __syncthreads();\n",
      "  float v = x[threadIdx.x];\n  v += __shfl_down_sync(~0u, v, 16);\n  v += __shfl_down_sync(~0u, v, 8);\n  if "
      "(threadIdx.x == 0) y[0] = v;\n",
      "  const float4 v = *reinterpret_cast<const float4*>(x);\n  *reinterpret_cast<float4*>(y) = v;\n",
      "  __shared__ __half a[BLOCK];\n  wmma::mma_sync(c, a, b, c);\n  asm volatile(\"cp.async.ca.shared.global [%0], "
      "[%1], 16;\");\n  __syncthreads();\n  mma_sync(c, a, b, c);\n"};
  static const std::array<const char*, moves> lines = {"#pragma unroll\n  for (int u = 0; u < 4; ++u) y[u] += 0;\n",
                                                       "  y[0] = __ldg(x);\n",
                                                       "  __syncwarp();\n",
                                                       "  const float2 w = *reinterpret_cast<const float2*>(x);\n",
                                                       "  y[1] = fmaf(x[0], x[1], x[2]);\n",
                                                       "  if (n > 3) y[2] = 0;\n"};
  std::string genes;
  for (const int m : on) genes += m ? '1' : '0';
  const std::string word = structure_names[static_cast<std::size_t>(structure)];
  std::string out = "//@ candidate scale\n//@ title " + word + " " + genes + "\n//@ structure " + word +
                    "\n//@ tune BLOCK = " + values(blocks, block, open) +
                    "\n//@ tune STAGES = " + values(stage_counts, stages, open) +
                    "\n//@ launch k grid(1) block(BLOCK) args(x, y, N)\n// genome: " + std::to_string(structure) + " " +
                    genes + " " + std::to_string(wrong) + " " + std::to_string(nonce) +
                    "\nextern \"C\" __global__ void k(const float* x, float* y, int n) {\n";
  out += bodies[static_cast<std::size_t>(structure)];
  for (std::size_t i = 0; i < moves; ++i)
    if (on[i]) out += lines[i];
  return out + "  y[3] = STAGES;\n}\n";
}

std::optional<Genome> Genome::read(const std::string& text) {
  Genome g;
  char genes[16] = "";
  unsigned long long nonce = 0;
  const auto at = text.find("// genome: ");
  if (at == std::string::npos ||
      std::sscanf(text.c_str() + at, "// genome: %d %15s %d %llu", &g.structure, genes, &g.wrong, &nonce) != 4)
    return {};
  for (std::size_t i = 0; i < moves; ++i) g.on[i] = genes[i] == '1';
  g.nonce = nonce;
  const auto c = candidate::parse(text, candidate::Language::cuda);
  if (!c) return {};
  const candidate::Tuning tuning = candidate::first_tuning(*c);
  g.block = tuning.at("BLOCK");
  g.stages = tuning.at("STAGES");
  return g;
}

double Landscape::of(const Genome& g) const {
  const auto s = static_cast<std::size_t>(g.structure);
  double time = base[s];
  for (std::size_t i = 0; i < moves; ++i)
    if (g.on[i]) time *= factor[s][i];
  return time * (1 + 0.12 * steps_between(g.block, block[s])) *
         (1 + 0.08 * std::abs(static_cast<double>(g.stages - stages[s])));
}

double Landscape::optimum() const {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < structures; ++s) {
    double time = base[s];
    for (const double f : factor[s]) time *= std::min(f, 1.0);
    best = std::min(best, time);
  }
  return best;
}

namespace {

// The first structure that no candidate has.
std::optional<int> untried(const strategy::Population& population) {
  for (std::size_t s = 0; s < structures; ++s)
    if (std::none_of(population.candidates.begin(), population.candidates.end(),
                     [&](const Feedback* f) { return f->structure == structure_names[s]; }))
      return static_cast<int>(s);
  return std::nullopt;
}

}  // namespace

Model chancy_model(std::uint64_t seed, Chances chances) {
  return [=](const Task& task, const strategy::Population& population) -> Answer {
    std::string key = std::to_string(static_cast<int>(task.kind)) + ":" + std::to_string(task.number);
    for (const std::string& p : task.parents) key += ":" + p;
    strategy::Dice dice(mix(seed, key));
    if (dice.unit() < chances.fails) return {Answer::Kind::failed, "the reply did not parse"};
    const auto parent = [&](std::size_t i) {
      for (const Feedback* f : population.candidates)
        if (i < task.parents.size() && f->hash == task.parents[i]) return Genome::read(f->text).value_or(Genome());
      return Genome();
    };
    Genome g = parent(0);
    g.open = true;
    g.nonce = dice.next() % 1000000;
    const auto structure = [&] {
      constexpr std::array<double, structures> often = {0.4, 0.25, 0.2, 0.11, 0.04};
      double u = dice.unit();
      int s = 0;
      while (s + 1 < static_cast<int>(structures) && u >= often[static_cast<std::size_t>(s)])
        u -= often[static_cast<std::size_t>(s++)];
      return s;
    };
    switch (task.kind) {
      case Task::Kind::fresh:
        g.structure = structure();
        if (chances.obeys > 0 && dice.unit() < chances.obeys) g.structure = untried(population).value_or(g.structure);
        g.block = blocks[dice.below(blocks.size())];
        g.stages = stage_counts[dice.below(stage_counts.size())];
        g.wrong = dice.unit() < chances.wrong;
        break;
      case Task::Kind::fix:
        if (dice.unit() < chances.fixed) g.wrong = 0;
        break;
      case Task::Kind::improve:
        if (dice.unit() < chances.repeats) break;
        if (dice.unit() < chances.wanders) g.structure = structure(), g.on = {};
        g.on[dice.below(moves)] ^= 1;
        g.wrong = dice.unit() < chances.wrong;
        break;
      case Task::Kind::combine: {
        const Genome other = parent(1);
        for (std::size_t i = 0; i < moves; ++i) g.on[i] = g.on[i] | other.on[i];
        g.wrong = dice.unit() < chances.wrong;
        break;
      }
      case Task::Kind::ready: break;
    }
    return {Answer::Kind::draft, g.text()};
  };
}

Run::Run(Model m, Landscape l) : model(std::move(m)), landscape(l) {
  spec = *op::parse_spec(script::spec);
  request.spec = spec;
  population.request = &request;
}

std::string Run::judge(const std::string& text, const std::string& parent, const std::string& generator,
                       bool no_score) {
  const auto c = candidate::parse(text, candidate::Language::cuda);
  const std::optional<Genome> g = Genome::read(text);
  if (!c || !g || by_hash.count(c->hash)) return {};
  Feedback f;
  f.id = static_cast<std::int64_t>(feedback.size()) + 1;
  f.hash = c->hash;
  f.parent = parent;
  f.structure = c->structure;
  f.text = text;
  f.accepted = !g->wrong;
  f.ranked = f.accepted && !no_score;
  f.score = f.ranked ? landscape.of(*g) : 0;
  f.verdict = f.accepted ? "accepted" : "rejected";
  f.generator = generator;
  std::string genes = std::to_string(g->structure) + std::to_string(g->wrong) + " " + std::to_string(g->block) + " " +
                      std::to_string(g->stages) + " ";
  for (const int m : g->on) genes += m ? '1' : '0';
  const auto [first, fresh] = first_of.emplace(genes, f.hash);
  if (!fresh) f.duplicate_of = first->second;
  feedback.push_back(std::move(f));
  by_hash[feedback.back().hash] = &feedback.back();
  population.candidates.push_back(&feedback.back());
  return feedback.back().hash;
}

void Run::give(const Genome& genome) {
  Genome pinned = genome;
  pinned.open = false;
  judge(pinned.text(), "", "manual");
}

const Feedback* Run::find(const std::string& hash) const {
  const auto it = by_hash.find(hash);
  return it == by_hash.end() ? nullptr : it->second;
}

void Run::drive(strategy::Strategy& strategy, std::size_t candidates, std::size_t wanted, std::size_t tasks) {
  for (std::size_t given_out = 0; feedback.size() < candidates && given_out < tasks;) {
    const std::vector<Task> round = strategy.next(population, wanted);
    for (std::string& line : strategy.news()) news.push_back(std::move(line));
    population.failed.clear();
    if (round.empty()) {
      ended = true;
      return;
    }
    sizes.push_back(round.size());
    ++rounds;
    given_out += round.size();
    for (const Task& task : round) {
      Step step{task, rounds, {}, false, false, 0};
      if (feedback.size() >= candidates) return;
      Answer answer{Answer::Kind::draft, task.proposal.text};
      if (task.kind != Task::Kind::ready) answer = model(task, population);
      const std::string parent = task.kind == Task::Kind::ready ? task.proposal.parent
                                 : task.parents.empty()         ? ""
                                                                : task.parents.front();
      if (answer.kind == Answer::Kind::draft) {
        const auto open = candidate::parse(answer.text, candidate::Language::cuda);
        const auto pinned = candidate::pin(*open, candidate::first_tuning(*open));
        if (pinned->hash != open->hash) population.open.emplace_back(pinned->hash, answer.text);
        step.hash =
            judge(pinned->text, parent,
                  task.proposal.generator.empty() ? "model/" + strategy.name() : task.proposal.generator, unranked);
        if (step.hash.empty())
          answer = {Answer::Kind::failed, "the same candidate as one that is known"};
        else
          population.lineages.emplace_back(step.hash, task.lineage);
      }
      if (answer.kind == Answer::Kind::failed) population.failed.push_back({task, answer.text});
      if (const Feedback* f = find(step.hash)) {
        step.accepted = f->accepted;
        step.duplicate = !f->duplicate_of.empty();
        step.score = f->score;
      }
      steps.push_back(std::move(step));
    }
  }
}

double Run::best() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Feedback& f : feedback)
    if (f.ranked) best = std::min(best, f.score);
  return best;
}

Genome Run::best_genome() const {
  strategy::Ledger ledger;
  ledger.read(population);
  return *Genome::read(find(ledger.best()->hash)->text);
}

std::string Run::kinds() const {
  std::string s;
  for (const Step& step : steps) s += "FXICR"[static_cast<int>(step.task.kind)];
  return s;
}

const Step* Run::made(const std::string& hash) const {
  for (const Step& s : steps)
    if (!s.hash.empty() && s.hash == hash) return &s;
  return nullptr;
}

std::string Run::broken_rule(std::size_t wanted) const {
  using Kind = Task::Kind;
  std::uint64_t number = 0;
  for (const std::size_t size : sizes)
    if (size > wanted) return "more tasks than wanted";
  for (const Step& s : steps) {
    if (s.task.number <= number) return "the numbers do not ascend";
    number = s.task.number;
    const std::size_t parents = s.task.parents.size();
    for (const std::string& p : s.task.parents)
      if (!find(p)) return "a parent that is not in the population";
    const Feedback* parent = parents > 0 ? find(s.task.parents[0]) : nullptr;
    if (s.task.kind == Kind::fresh && parents != 0) return "a fresh one has a parent";
    if (s.task.kind == Kind::fix && (parents != 1 || parent->accepted)) return "a fix of what was not rejected";
    if (s.task.kind == Kind::improve && (parents != 1 || !parent->accepted))
      return "an improvement of what is not right";
    if (s.task.kind == Kind::improve && !parent->duplicate_of.empty()) return "an improvement of a duplicate";
    if (s.task.kind == Kind::combine && (parents != 2 || !parent->accepted || s.task.parents[0] == s.task.parents[1]))
      return "a combination of less than two";
    if (s.task.kind == Kind::ready && s.task.proposal.text.empty()) return "a ready one without a text";
    if (s.task.lineage.empty()) return "a task without a lineage";
  }
  return {};
}

std::string Run::script() const {
  std::string out;
  for (const Step& s : steps) {
    out += std::to_string(s.round) + " " + std::to_string(s.task.number) + " " +
           std::to_string(static_cast<int>(s.task.kind)) + " [" + s.task.lineage + "]";
    for (const std::string& p : s.task.parents) out += " " + p;
    out += " -> " + s.hash + " " + s.task.proposal.note + "\n";
  }
  for (const std::string& line : news) out += line + "\n";
  return out;
}

std::size_t Run::within(double share) const {
  const double goal = landscape.optimum() * (1 + share);
  for (std::size_t i = 0; i < feedback.size(); ++i)
    if (feedback[i].ranked && feedback[i].score <= goal) return i + 1;
  return 0;
}

namespace {

class FakeSearch final : public generator::Generator {
 public:
  std::string name() const override { return "search"; }
  Result<std::vector<generator::Proposal>> propose(const generator::GeneratorRequest& request,
                                                   std::stop_token) override {
    std::vector<generator::Proposal> out;
    for (; at_ < 5 && out.size() < request.wanted; ++at_) {
      Genome g;
      g.structure = at_ < 3 ? at_ : 0;
      g.block = at_ < 3 ? 32 : at_ == 3 ? 256 : 64;
      g.open = false;
      out.push_back({g.text(), candidate::Language::cuda, "", structure_names[static_cast<std::size_t>(g.structure)],
                     "seed", "", 0});
    }
    return out;
  }

 private:
  int at_ = 0;
};

}  // namespace

std::unique_ptr<strategy::Strategy> make(const std::string& name, strategy::StrategyOptions options) {
  options.make_generator = [](const std::string&) -> Result<std::unique_ptr<generator::Generator>> {
    return std::make_unique<FakeSearch>();
  };
  return std::move(*strategy::make_strategy(name, options));
}

std::unique_ptr<strategy::Strategy> make_without_search(const std::string& name) {
  return std::move(*strategy::make_strategy(name, {}));
}

Genome genome(int structure, std::initializer_list<int> on, bool wrong, std::uint64_t nonce) {
  Genome g;
  g.structure = structure;
  for (const int m : on) g.on[static_cast<std::size_t>(m)] = 1;
  g.wrong = wrong;
  g.nonce = nonce;
  g.open = false;
  return g;
}

Model scripted(std::function<std::optional<Genome>(const Task&)> script) {
  return [script = std::move(script)](const Task& task, const strategy::Population&) -> Answer {
    const std::optional<Genome> g = script(task);
    if (!g) return {Answer::Kind::failed, "no"};
    return {Answer::Kind::draft, g->text()};
  };
}

}  // namespace ww::world
