// SPDX-License-Identifier: Apache-2.0
// Options that several commands share.
#include "commands.h"

namespace ww::cli {

CLI::Option* add_settings(CLI::App& app, std::vector<std::string>& set, const std::string& help) {
  return app.add_option("--set", set, help)->take_all()->allow_extra_args(false);
}

void add_judging(CLI::App& app, Judging& j) {
  app.add_option("--device", j.device, "where kernels run: simt (this machine's CPU), cuda:0 …")->capture_default_str();
  app.add_option("--arch", j.architecture, "architecture to compile for; default: the device's own, sm_80 for simt");
  app.add_option("--seeds", j.seeds, "input sets per case")->capture_default_str()->check(CLI::Range(1, 1000));
  add_settings(app, j.set, a_setting);
}

void add_measuring(CLI::App& app, MeasureArgs& m, MeasuredOp op) {
  if (op == MeasuredOp::option)
    app.add_option("--op", m.op, "FILE.op or the name of an op; default: the one the candidate names");
  app.add_option("--device", m.device, "the GPU: cuda:0, cuda:1 …")->capture_default_str();
  app.add_option("--arch", m.architecture, "architecture to compile for; default: the device's own");
  app.add_option("--rounds", m.rounds, "rounds; all subjects take turns in each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--samples", m.samples, "samples of each subject and cache regime in a round")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
}

void add_model(CLI::App& app, ModelArgs& m) {
  app.add_option(
      "--model", m.model,
      "the model to ask: PRESET:MODEL, e.g. anthropic:claude-sonnet-5-5, ollama:qwen3-coder:30b ('models' lists them)");
  app.add_option("--temperature", m.temperature, "sampling temperature; default: the service's own")
      ->check(CLI::Range(0.0, 2.0));
  app.add_option("--effort", m.effort, "reasoning effort; default: the service's own")
      ->check(CLI::IsMember({"none", "low", "medium", "high"}));
  app.add_option("--seed", m.seed, "random seed, where the service accepts one")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--tokens", m.tokens, "hard limit in tokens, prompts and answers together; 0: none")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--money", m.money, "hard limit in US dollars, for models with a known price; 0: none")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--prompt-tokens", m.prompt_tokens, "largest prompt, in tokens")
      ->capture_default_str()
      ->check(CLI::Range(1000, 1000000));
  app.add_option("--output-tokens", m.output_tokens, "largest answer, in tokens, reasoning included")
      ->capture_default_str()
      ->check(CLI::Range(256, 1000000));
}

void add_limits(CLI::App& app, ModelArgs& m, AllowHosts allow) {
  app.add_flag("--no-sources", m.no_sources, "send no code, only the op");
  app.add_flag("--no-device-name", m.no_device_name, "send only the architecture, not the device's name");
  if (allow == AllowHosts::yes)
    app.add_option("--allow-host", m.allow_hosts, "allow requests to this host, now and later (may be repeated)")
        ->take_all()
        ->allow_extra_args(false);
}

void add_exploring(CLI::App& app, ExploreArgs& e) {
  add_judging(app, e.judging);
  app.add_option("--generator", e.generator,
                 "what proposes candidates: search, model, manual or another plugin; --model alone implies model")
      ->capture_default_str()
      ->each([&e](const std::string&) { e.generator_given = true; });
  app.add_option("--budget", e.budget, "candidates to judge; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000))
      ->each([&e](const std::string&) { e.budget_given = true; });
  app.add_option("--minutes", e.minutes, "time limit; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->each([&e](const std::string&) { e.minutes_given = true; });
  app.add_option("--workers", e.workers, "worker processes; 0: one per two hardware threads")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  app.option_defaults()->group("Models");
  add_model(app, e.model);
  app.get_option("--tokens")->each([&e](const std::string&) { e.tokens_given = true; });
  app.get_option("--money")->each([&e](const std::string&) { e.money_given = true; });
  app.add_option("--analyst", e.analyst,
                 "the model that analyses measurements: PRESET:MODEL, or none; default: the same as --model");
  CLI::Option* strategy =
      app.add_option("--strategy", e.strategies,
                     "search strategy for models: refine, sample, beam, evolve, keep, mixed; help describes them");
  strategy->expected(1)->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--race", [&e](const std::vector<std::string>& names) { e.strategies = names; },
         "several strategies, each with an equal share of the budget: beam,evolve")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(strategy);
  app.add_option("--mode", e.mode, "what models write")
      ->capture_default_str()
      ->check(CLI::IsMember({"cuda", "cuda+ptx", "ptx"}));
  app.add_option("--parallel", e.parallel, "concurrent requests to models")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--width", e.width, "lineages (beam), islands (evolve) or samples per round (sample)")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--children", e.children, "children per lineage (beam)")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--patience", e.patience, "attempts without a gain before a lineage is abandoned")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--fixes", e.fixes, "attempts to fix a rejected candidate")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  add_limits(app, e.model, AllowHosts::yes);
  app.option_defaults()->group("Options");
}

}  // namespace ww::cli
