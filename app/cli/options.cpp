// SPDX-License-Identifier: Apache-2.0
// Options that several commands share.
#include "commands.h"
#include <cmath>
#include "gate/secret.h"

namespace ww::cli {

CLI::Option* add_settings(CLI::App& app, std::vector<std::string>& set, const std::string& help) {
  return app.add_option("--set", set, help)->take_all()->allow_extra_args(false);
}

CLI::Option* add_output(CLI::App& app, const std::string& names, std::filesystem::path& file, const std::string& help) {
  return app.add_option(names, file, help)->check([](const std::string& given) -> std::string {
    std::error_code ec;
    const std::filesystem::path path = given, folder = path.parent_path();
    if (given.empty()) return "needs the name of a file";
    if (std::filesystem::is_directory(path, ec)) return "'" + given + "' is a folder; name a file";
    if (!folder.empty() && !std::filesystem::is_directory(folder, ec))
      return "the folder '" + folder.string() + "' does not exist; create it, or name another file";
    return {};
  });
}

CLI::Option* add_secret(CLI::App& app, std::string& secret, const std::string& help) {
  return app.add_option("--secret", secret, help)->check([](const std::string& given) -> std::string {
    return gate::Secret::read(given) ? "" : "needs the 16 hexadecimal digits that a verdict shows";
  });
}

const std::set<std::string, std::less<>> judging_flags = {
    "--device",        "--arch",         "--seeds",    "--require-sandbox", "--candidate-seconds",
    "--launch-budget", "--memory-limit", "--precision"};
const std::set<std::string, std::less<>> asking_flags = {
    "--model", "--temperature", "--effort", "--seed", "--tokens", "--money", "--prompt-tokens", "--output-tokens"};

namespace {

std::string refuse_nan(const std::string& value) {  // which every range lets through
  double number = 0;
  return CLI::detail::lexical_cast(value, number) && std::isnan(number) ? value + " is not a number" : "";
}

template <class T>
struct FlagAdder {  // visits a description
  CLI::App& app;
  T& into;
  RunArgs& run;
  const std::set<std::string, std::less<>>& only;

  template <class Owner, class M>
  void operator()(const char*, M Owner::*member, About about = {}) {
    M& value = into.*member;
    const Flag& flag = about.flag;
    if constexpr (std::is_same_v<M, generator::ModelOptions>) app.option_defaults()->group("Models");
    if constexpr (Described<M>) {
      M::fields(FlagAdder<M>{app, value, run, only});
    } else if constexpr (std::is_arithmetic_v<M> || std::is_same_v<M, std::string> ||
                         std::is_same_v<M, std::optional<double>>) {
      if (*flag.name == '\0' || (!only.empty() && !only.contains(flag.name))) return;
      if constexpr (std::is_same_v<M, bool>) {
        app.add_flag(flag.name, value, about.doc);
        return;
      } else {
        CLI::Option* option = app.add_option(flag.name, value, about.doc);
        option->each([&given = run.given, name = flag.name](const std::string&) { given.insert(name); });
        if constexpr (!std::is_same_v<M, std::optional<double>>) option->capture_default_str();
        if (*flag.one_of) option->check(CLI::IsMember(CLI::detail::split(flag.one_of, ' ')));
        if constexpr (!std::is_integral_v<M> && !std::is_same_v<M, std::string>) option->check(refuse_nan);
        if (!(flag.least < flag.most)) return;
        if constexpr (std::is_integral_v<M>)
          option->check(CLI::Range(static_cast<std::int64_t>(flag.least), static_cast<std::int64_t>(flag.most)));
        else
          option->check(CLI::Range(flag.least, flag.most));
      }
    }
    if constexpr (std::is_same_v<M, generator::ModelOptions>) app.option_defaults()->group("Options");
  }
};

}  // namespace

void add_run_flags(CLI::App& app, RunArgs& run, const std::set<std::string, std::less<>>& only) {
  generator::RunOptions::fields(FlagAdder<generator::RunOptions>{app, run.options, run, only});
  for (const char* of_models : {"--tokens", "--money"})  // limits of a run's budget that models alone use up
    if (CLI::Option* option = app.get_option_no_throw(of_models)) option->group("Models");
  CLI::Option* precision = app.get_option_no_throw("--precision");
  if (!precision || app.get_option_no_throw("--workspace")) return;
  const std::string about = precision->get_description();  // of a command without a workspace that has a say
  precision->description(about.substr(0, about.find("; default")) + "; default: usual");
}

void add_measuring(CLI::App& app, MeasureArgs& m, MeasuredOp op) {
  if (op == MeasuredOp::option)
    app.add_option("--op", m.op, "FILE.op or the name of an op; default: the one the candidate names");
  app.add_option("--device", m.device, "the GPU: cuda:0, cuda:1 …")->capture_default_str();
  app.add_option("--arch", m.architecture, "architecture to compile for; default: the device's own");
  app.add_option("--rounds", m.rounds, "rounds; subjects are interleaved within each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--samples", m.samples, "samples of each subject and cache regime in a round")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
}

void add_limits(CLI::App& app, RunArgs& run, AllowHosts allow) {
  llm::Limits& limits = run.options.model.limits;
  app.add_flag_callback(
      "--no-sources", [&limits] { limits.sources = false; }, "send no code, only the op");
  app.add_flag_callback(
      "--no-device-name", [&limits] { limits.device_name = false; },
      "send only the architecture, not the device's name");
  if (allow == AllowHosts::yes)
    app.add_option("--allow-host", run.allow_hosts, "allow requests to this host, now and later (repeatable)")
        ->take_all()
        ->allow_extra_args(false);
}

namespace {

CLI::Option* add_roles(CLI::App& app, RunArgs& run) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--role",
          [&run](const std::vector<std::string>& settings) {
            for (const std::string& s : settings)
              if (const Status set = llm::set_role(run.options.model.roles, s); !set)
                throw CLI::ValidationError("--role", set.error().message);
          },
          "a setting of one role's model: fixer:effort=low; roles: writer, fixer, analyst, formulator, reviewer; "
          "settings: model, fallback, effort, temperature, output-tokens, prompt-tokens (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace

void add_asking(CLI::App& app, RunArgs& run, const std::string& role, const char* without_sources) {
  add_run_flags(app, run, asking_flags);
  app.get_option("--model")->description(
      "the model to ask: PRESET:MODEL ('models' lists them); default: the one that models.json sets for the " + role);
  app.get_option("--seed")->description("random seed, where the service takes one");
  app.get_option("--temperature")->description("sampling temperature; default: the service's own");
  app.option_defaults()->group("Models");
  add_roles(app, run)->description("a setting of the " + role + ", as models.json has it: " + role +
                                   ":fallback=PRESET:MODEL is asked where the service does not answer; others: model, "
                                   "effort, temperature, output-tokens, prompt-tokens (repeatable)");
  add_limits(app, run, AllowHosts::yes);
  app.get_option("--no-sources")->description(without_sources);
  app.option_defaults()->group("Options");
}

void add_exploring(CLI::App& app, RunArgs& run) {
  add_run_flags(app, run);
  add_settings(app, run.set, a_setting);
  app.option_defaults()->group("Models");
  app.add_option("--fallback", run.options.model.fallbacks,
                 "a model that writes from when the one before does not answer: PRESET:MODEL (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  add_roles(app, run);
  std::vector<std::string>& strategies = run.options.model.strategies;
  CLI::Option* strategy =
      app.add_option("--strategy", strategies,
                     "search strategy for models: refine, sample, beam, evolve, keep, mixed; help describes them");
  strategy->expected(1)->allow_extra_args(false)->each([&run](const std::string&) { run.given.insert("--strategy"); });
  app.add_option_function<std::vector<std::string>>(
         "--race",
         [&run](const std::vector<std::string>& names) {
           run.options.model.strategies = names;
           run.given.insert("--strategy");
         },
         "several strategies, each with an equal share of the budget: beam,evolve")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(strategy);
  add_limits(app, run, AllowHosts::yes);
  app.option_defaults()->group("Options");
}

}  // namespace ww::cli
