// SPDX-License-Identifier: Apache-2.0
#include "model_loop/tools.h"
#include <fmt/format.h>
#include <algorithm>
#include <mutex>
#include "base/ascii.h"
#include "base/described_json.h"
#include "base/device_name.h"
#include "candidate/candidate.h"
#include "generator/run_options.h"
#include "model_loop/prompt_facts.h"
#include "profile/advice.h"
#include "ptx/help.h"
#include "rpc/supervisor.h"

namespace ww::model_loop {
namespace {

constexpr double longest_seconds = 60;    // of one call
constexpr std::size_t least_of_hash = 4;  // characters that name a candidate

struct CodeArguments {
  std::string candidate;
  WW_FIELDS(CodeArguments, candidate)
};
struct AdviceArguments {
  std::string page;
  WW_FIELDS(AdviceArguments, page)
};
struct ProfileArguments {
  std::string candidate;
  WW_FIELDS(ProfileArguments, candidate)
};
struct InstructionArguments {
  std::string opcode;
  WW_FIELDS(InstructionArguments, opcode)
};
struct KernelArguments {
  std::int64_t candidate = 0;
  WW_FIELDS(KernelArguments, (candidate, defaulted))
};

std::string object_schema(const std::string& member, const std::string& type, const std::string& about) {
  return fmt::format(
      "{{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"{0}\"],\"properties\":{{"
      "\"{0}\":{{\"type\":\"{1}\",\"description\":\"{2}\"}}}}}}",
      member, type, about);
}

std::string failed_text(const Error& e) { return "It failed: " + e.message + (e.cause.empty() ? "" : "\n" + e.cause); }

class RunTools final : public llm::Toolbox {
 public:
  RunTools(const generator::Host& host, const Survey& survey, candidate::Language language,
           std::vector<Remembered> remembered)
      : host_(host),
        survey_(survey),
        language_(language),
        remembered_(std::move(remembered)),
        pages_(survey.context.advice ? survey.context.advice->ids() : std::vector<std::string>()) {
    std::erase_if(pages_, [](const std::string& id) { return !profile::advice_page(id); });
  }

  std::vector<llm::Tool> list() const override {
    const std::string code = object_schema("candidate", "string", "The complete candidate file.");
    std::vector<llm::Tool> tools = {
        {"compile", "Compiles a candidate: errors, or registers and spills of each kernel.", code},
        {"check",
         "Judges a candidate quickly, on one set of inputs per case: passed, or the failing case and elements. The "
         "judgement of what you hand in is stricter.",
         code},
        {"count", "Runs the measured case of a candidate on an interpreter and counts: its cost, and where it arises.",
         code}};
    if (is_gpu(survey_.context.device))
      tools.push_back({"time", "Checks a candidate quickly on the GPU and times its measured case there.", code});
    tools.push_back(
        {"profile",
         "The numbers of a candidate of this run: counters, occupancy, the lines where its cost arises, "
         "what the rules say.",
         object_schema("candidate", "string", "The beginning of its hash, as the list of attempts has it.")});
    if (!ptx::instruction_helps().list.empty())
      tools.push_back({"instruction", "What a PTX instruction does, and its section of the PTX ISA.",
                       object_schema("opcode", "string", "Its name, such as ld.global.nc or mma.sync.")});
    if (!pages_.empty()) {
      tools.push_back(
          {"advice", "A page on one problem of kernels: how to see it, what to do, an example.",
           object_schema("page", "string", "Its name, as the rules have it: narrow-loads, bank-conflicts …")});
    }
    if (!remembered_.empty())
      tools.push_back({"kernel", "The code of one of the listed kernels for a similar op, by its number.",
                       object_schema("candidate", "integer", "Its number; of an imported one it is negative.")});
    return tools;
  }

  std::string call(const std::string& tool, const std::string& arguments, std::stop_token stop) override {
    try {
      if (tool == "compile" || tool == "check" || tool == "count" || tool == "time") {
        const auto given = json::read_text<CodeArguments>(arguments, wrong_arguments);
        if (!given) return failed_text(given.error());
        return of_code(tool, given->candidate, stop);
      }
      if (tool == "profile") {
        const auto given = json::read_text<ProfileArguments>(arguments, wrong_arguments);
        return given ? profile_text(given->candidate) : failed_text(given.error());
      }
      if (tool == "instruction") {
        const auto given = json::read_text<InstructionArguments>(arguments, wrong_arguments);
        return given ? instruction_text(given->opcode) : failed_text(given.error());
      }
      if (tool == "advice" && !pages_.empty()) {
        const auto given = json::read_text<AdviceArguments>(arguments, wrong_arguments);
        return given ? page_text(given->page) : failed_text(given.error());
      }
      if (tool == "kernel" && !remembered_.empty()) {
        const auto given = json::read_text<KernelArguments>(arguments, wrong_arguments);
        return given ? kernel_text(given->candidate) : failed_text(given.error());
      }
      return "There is no tool '" + tool + "'.";
    } catch (const std::exception& e) { return std::string("It failed: ") + e.what(); }
  }

 private:
  static constexpr const char* wrong_arguments = "the arguments of the call cannot be read";

  std::string of_code(const std::string& tool, const std::string& code, const std::stop_token& stop) {
    if (candidate::language_of(code) != language_)
      return language_ == candidate::Language::ptx ? "It is CUDA C++; PTX is asked for."
                                                   : "It is PTX; CUDA C++ is asked for.";
    Result<candidate::Candidate> c = candidate::parse(code.ends_with('\n') ? code : code + '\n', language_);
    if (c) c = candidate::pin(*c, candidate::first_tuning(*c));
    if (!c) return "It is no candidate: " + c.error().message + (c.error().cause.empty() ? "" : "\n" + c.error().cause);
    if (c->op != survey_.context.spec.name)
      return fmt::format("It is a candidate for '{}'; the op is '{}'.", c->op, survey_.context.spec.name);
    if (tool == "time" && !is_gpu(survey_.context.device))
      return "This run has no GPU, so nothing can be timed; 'count' says the simulated cost.";
    return tool == "compile" ? compiled(*c, stop) : judged(*c, tool, stop);
  }

  std::string compiled(const candidate::Candidate& c, const std::stop_token& stop) {
    rpc::CompileRequest request;
    request.candidate = c.text;
    request.language = language_;
    request.architecture = survey_.context.architecture;
    request.deadline = deadline();
    const std::lock_guard lock(mutex_);
    const Result<compile::Output> out = worker().compile(request, stop);
    if (!out) return failed_text({out.error().code, out.error().message, trimmed_log(out.error().cause, 60)});
    std::string text = "It compiles.\n";
    for (const compile::KernelResources& k : out->resources)
      text += fmt::format(
          "{}: {} registers a thread, {} bytes of static shared memory, spills {} bytes of stores and {} "
          "of loads (modelled by ptxas for {})\n",
          k.kernel, k.registers, k.static_shared, k.spill_stores, k.spill_loads, request.architecture);
    return text + trimmed_log(out->log, 20);
  }

  std::string judged(const candidate::Candidate& c, const std::string& tool, const std::stop_token& stop) {
    const bool times = tool == "time", numbers = times || tool == "count";
    const generator::RunOptions& o = host_.options;
    rpc::GateRequest request;
    request.spec = o.spec;
    request.candidate = c.text;
    request.language = language_;
    request.architecture = survey_.context.architecture;
    request.binding = o.binding;
    request.seeds = 1;
    request.measure = numbers;
    if (times) request.device = survey_.context.device;
    request.launch_budget = o.launch_budget;
    request.precision = generator::precision_of(o);
    request.deadline = deadline();
    store::CandidateRecord record;
    record.text = c.text;
    record.language = language_;
    {
      const std::lock_guard lock(mutex_);
      Result<evidence::Verdict> verdict = (times ? gpu_worker() : worker()).gate(request, stop);
      if (!verdict) return failed_text(verdict.error());
      record.resources = verdict->resources;
      record.verdict = std::move(*verdict);
    }
    switch (record.verdict->ruling()) {
      case evidence::Ruling::accepted: break;
      case evidence::Ruling::rejected: return "Rejected: " + rejection_text(record);
      case evidence::Ruling::not_judged: return "It could not be judged: " + record.verdict->summary();
    }
    if (!numbers) return "It passes the quick check: " + record.verdict->summary();
    return numbers_text(survey_.context, record).whole + lines_text(record);
  }

  std::string page_text(const std::string& id) const {
    if (std::find(pages_.begin(), pages_.end(), id) == pages_.end())
      return fmt::format("There is no page '{}'. There are: {}.", id, fmt::join(pages_, ", "));
    const Result<std::string> page = profile::advice_page(id);
    return page ? *page : failed_text(page.error());
  }

  // Of this run, by the beginning of its hash.
  std::string profile_text(const std::string& given) const {
    const std::string start(trimmed(given));
    if (start.size() < least_of_hash)
      return fmt::format("Name a candidate of this run by at least {} characters of its hash.", least_of_hash);
    const Result<std::vector<store::CandidateRecord>> all = host_.workspace.candidates(host_.run);
    if (!all) return failed_text(all.error());
    const auto known = std::find_if(all->begin(), all->end(),
                                    [&](const store::CandidateRecord& c) { return c.hash.starts_with(start); });
    if (known == all->end()) return "This run has no candidate whose hash begins with '" + start + "'.";
    const Result<store::CandidateRecord> c = host_.workspace.candidate(known->id);
    if (!c) return failed_text(c.error());
    if (!c->verdict) return "It has no verdict yet.";
    if (!c->verdict->accepted) return "It has no numbers. " + rejection_text(*c);
    return numbers_text(survey_.context, *c).whole + lines_text(*c) + advice_facts(survey_.context, *c).whole;
  }

  static std::string instruction_text(const std::string& opcode) {
    const ptx::InstructionHelps& helps = ptx::instruction_helps();
    const ptx::InstructionHelp* help = helps.find(trimmed(opcode));
    if (!help) return "No explanation of '" + opcode + "' is at hand.";
    return fmt::format("{}: {} (PTX ISA {}, section {})", help->opcode, help->sentence, helps.version, help->section);
  }

  std::string kernel_text(std::int64_t number) const {
    const auto known = std::find_if(remembered_.begin(), remembered_.end(),
                                    [&](const Remembered& r) { return r.candidate == number; });
    if (known == remembered_.end())
      return fmt::format("Candidate {} is not one of these:\n{}", number, remembered_lines(remembered_, Notes::with));
    const Result<std::string> code = remembered_code(host_.workspace, *known);
    return code ? remembered_lines({*known}, Notes::with) + *code : failed_text(code.error());
  }

  std::chrono::milliseconds deadline() const {
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(1000 * std::min(host_.options.candidate_seconds, longest_seconds)));
  }

  rpc::Supervisor& worker() { return started(worker_, rpc::WorkerProfile::simt); }  // both with the mutex
  rpc::Supervisor& gpu_worker() { return started(gpu_worker_, rpc::WorkerProfile::cuda); }
  rpc::Supervisor& started(std::unique_ptr<rpc::Supervisor>& worker, rpc::WorkerProfile profile) const {
    if (!worker) {
      rpc::WorkerOptions how = host_.options.worker;
      how.profile = profile;
      worker = std::make_unique<rpc::Supervisor>(how);
    }
    return *worker;
  }

  const generator::Host& host_;
  const Survey& survey_;
  const candidate::Language language_;
  const std::vector<Remembered> remembered_;
  std::vector<std::string> pages_;  // ids
  std::mutex mutex_;                // of the workers: one call at a time
  std::unique_ptr<rpc::Supervisor> worker_, gpu_worker_;
};

}  // namespace

std::unique_ptr<llm::Toolbox> make_tools(const generator::Host& host, const Survey& survey,
                                         candidate::Language language, std::vector<Remembered> remembered) {
  return std::make_unique<RunTools>(host, survey, language, std::move(remembered));
}

}  // namespace ww::model_loop
