// SPDX-License-Identifier: Apache-2.0
// How fast a recorded run is replayed: client, replay provider, reading of the reply, store and events, as in a run but
// for the judging of the candidates. The prompts have a shared system part of 8 KB and 6 KB of their own, the replies 4
// KB with a candidate each. Also what the same costs where each request and reply is flushed to the disk, as in a run
// with a service. Usage: bench_replay [EXCHANGES [FOLDER]].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <unistd.h>
#include "base/hash.h"
#include "llm/client.h"
#include "llm/message_json.h"
#include "llm/replay.h"
#include "llm/reply_text.h"
#include "store/workspace.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  long all = 0, resident = 0;
  in >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// Words that look like a prompt's, another sequence for each seed.
std::string words(std::size_t bytes, std::uint64_t seed) {
  static const char* const list[] = {"warp",        "shared",    "memory",    "the",    "row",       "of",
                                     "threadIdx.x", "coalesced", "load",      "0.0f",   "registers", "measured",
                                     "simulated",   "float4",    "tile",      "bank",   "conflict",  "for",
                                     "each",        "block",     "reduction", "128",    "max_error", "__syncthreads()",
                                     "sector",      "occupancy", "of this",   "kernel", "a[i]",      "is"};
  std::string text;
  while (text.size() < bytes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    text += list[(seed >> 33) % (sizeof list / sizeof *list)];
    text += (seed >> 40) % 12 == 0 ? '\n' : ' ';
  }
  text.resize(bytes);
  return text;
}

const std::string& system_prompt() {
  static const std::string text = words(8 * 1024, 1);
  return text;
}

llm::Request request_of(int i) {
  llm::Request r;
  r.model = "recorded-1";
  r.messages = {llm::message(llm::Role::system, system_prompt(), true),
                llm::message(llm::Role::user, words(6 * 1024, 1000u + static_cast<unsigned>(i)))};
  r.max_output_tokens = 16384;
  r.seed = i;
  return r;
}

llm::Reply reply_of(int i) {
  std::string code = R"(//@ candidate softmax
//@ title one warp per row, attempt )" +
                     std::to_string(i) + R"(
//@ structure row-warp
//@ launch softmax grid(ceildiv(R, 4)) block(128) args(x, y, R, C)
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int R, int C) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= R) return;
)";
  for (int line = 0; code.size() < 3600; ++line)
    code += "  float v" + std::to_string(line) + " = x[(long long)row * C + lane] * " + std::to_string(i % 97 + line) +
            ".0f;  // step " + std::to_string(line) + "\n";
  code += "  y[(long long)row * C + lane] = v0;\n}\n";
  llm::Reply r;
  r.model = "recorded-1-2026";
  r.id = "id-" + std::to_string(i);
  r.blocks.push_back({llm::Block::Kind::text,
                      "The row's maximum is found by shuffles, so that shared memory is not needed.\n\n```cuda\n" +
                          code + "```\n\nNote: " + words(200, 7u + static_cast<unsigned>(i)) + "\n",
                      {}});
  r.usage = {5200, 2900, 0, 1400, 0, true};
  r.first_token_seconds = 0.4;
  r.seconds = 9.5;
  return r;
}

class Instant : public llm::Provider {  // a service on this machine that answers at once
 public:
  Result<llm::Reply> complete(const llm::Request& request, llm::Observer& observer, std::stop_token) override {
    if (Status s = observer.sending({"POST", "http://127.0.0.1:9/v1", "127.0.0.1:9", "", 1}); !s)
      return fail(s.error());
    llm::Reply reply = reply_of(static_cast<int>(request.seed.value_or(0)));
    observer.delta({llm::Delta::Kind::text, reply.text()});
    return reply;
  }
  Result<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
};

template <class T>
T must(Result<T> r, const char* what) {
  if (r) return std::move(*r);
  std::fprintf(stderr, "%s: %s\n", what, r.error().text().c_str());
  std::exit(1);
}
void must(const Status& s, const char* what) {
  if (s) return;
  std::fprintf(stderr, "%s: %s\n", what, s.error().text().c_str());
  std::exit(1);
}

std::int64_t new_run(store::Workspace& w) {
  store::RunRecord r;
  r.op = must(w.add_op("softmax", "op softmax", ""), "op");
  r.generator = "model";
  r.device = "simt";
  r.architecture = "sm_80";
  r.options = "{}";
  return must(w.add_run(r), "run");
}

// A run with `n` exchanges, as a client stores them.
std::int64_t recorded(store::Workspace& w, int n) {
  const std::int64_t run = new_run(w);
  for (int i = 0; i < n; ++i) {
    store::ExchangeRecord e;
    e.run = run;
    e.role = store::AgentRole::writer;
    e.model = "work:recorded-1";
    e.provider = "replay";  // not flushed one by one: making the transcript is not what is timed
    e.request = llm::request_to_json(request_of(i));
    e.request_hash = hash_hex(e.request);
    e.id = must(w.add_exchange(e), "record");
    const llm::Reply reply = reply_of(i);
    e.state = store::ExchangeState::replied;
    e.reply = llm::reply_to_json(reply);
    e.prompt_tokens = reply.usage.prompt;
    e.completion_tokens = reply.usage.completion;
    e.tokens_reported = true;
    must(w.end_exchange(e), "record");
  }
  return run;
}

struct Tally {
  std::int64_t events = 0, bytes = 0;
};

// `n` attempts of a run: ask, read the reply, store the candidate, note the outcome.
void attempts(store::Workspace& w, std::shared_ptr<llm::Provider> provider, int n,
              const std::function<void(int, const Tally&)>& after) {
  Tally tally;
  const std::int64_t run = new_run(w);
  auto client = must(llm::Client::make(w, run, {}, {},
                                       [&](const llm::ModelEvent& e) {
                                         ++tally.events;
                                         if (const auto* s = std::get_if<llm::Streaming>(&e))
                                           tally.bytes += static_cast<std::int64_t>(s->delta.text.size());
                                       }),
                     "client");
  llm::Model model;
  model.endpoint.preset = "work";
  model.endpoint.provider = "bench";
  model.endpoint.base_url = "http://127.0.0.1:9/v1";
  model.facts.name = "recorded-1";
  model.provider = std::move(provider);
  for (int i = 0; i < n; ++i) {
    const llm::Exchange x =
        must(client->ask(model, request_of(i), {store::AgentRole::writer, "attempt " + std::to_string(i)}, {}), "ask");
    const candidate::Candidate c =
        must(llm::candidate_in(x.reply.text(), "softmax", candidate::Language::cuda), "parse");
    store::CandidateRecord record;
    record.run = run;
    record.hash = c.hash;
    record.text = c.text;
    record.title = c.title;
    record.structure = c.structure;
    record.generator = "model/sample";
    record.note = llm::note_in(x.reply.text());
    record.language = candidate::Language::cuda;
    record.exchange = x.id;
    must(w.add_candidate(record), "candidate");
    must(client->outcome(x.id, store::ExchangeOutcome::candidate, c.hash), "outcome");
    after(i + 1, tally);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::max(10, std::atoi(argv[1])) : 10000;
  const fs::path folder =
      argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path() / ("bench_replay." + std::to_string(::getpid()));
  fs::remove_all(folder);
  {
    const auto w = must(store::Workspace::open(folder), "workspace");
    const auto before = Clock::now();
    const std::int64_t run = recorded(*w, n);
    const double made = since(before);
    std::uintmax_t bytes = 0;
    for (const auto& f : fs::recursive_directory_iterator(folder))
      if (f.is_regular_file()) bytes += f.file_size();
    std::printf("transcript of %d exchanges: %.1f MiB on disk (made in %.1f s)\n", n,
                static_cast<double>(bytes) / (1024.0 * 1024.0), made);

    std::printf("replay           exchanges  exchanges/s  of the last part  resident MiB\n");
    const auto start = Clock::now();
    auto part = start;
    int done = 0;
    attempts(*w, must(llm::make_replay(*w, run), "replay"), n, [&](int i, const Tally& tally) {
      if (i != n / 10 && i != n / 2 && i != n) return;
      std::printf("                 %9d  %11.0f  %16.0f  %12.1f\n", i, i / since(start), (i - done) / since(part),
                  resident_mib());
      std::fflush(stdout);
      done = i;
      part = Clock::now();
      if (i == n)
        std::printf("events           %9lld  with %lld bytes of text\n", static_cast<long long>(tally.events),
                    static_cast<long long>(tally.bytes));
    });
    const int live = std::min(n, 300);
    const auto flushed = Clock::now();
    attempts(*w, std::make_shared<Instant>(), live, [](int, const Tally&) {});
    std::printf(
        "flushed to disk  %9d  %11.0f  (a service that answers at once; request, reply, candidate and outcome in a "
        "flushed transaction each)\n",
        live, live / since(flushed));
  }
  if (argc <= 2) fs::remove_all(folder);
  return 0;
}
