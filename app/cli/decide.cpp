// SPDX-License-Identifier: Apache-2.0
// Decisions on a candidate: accept, reject, note, request-changes, and the receipts of signed candidates.
#include "answer.h"
#include "base/lines.h"
#include "base/plural.h"
#include "commands.h"
#include "review/decision.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include "base/file_lock.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "diff/lines.h"
#include "console.h"
#include "keys.h"
#include "output.h"
#include "subject.h"
#include "stamps.h"
#include "review/fingerprint.h"
#include "review/known_keys.h"
#include "store/standing.h"
#include "store/paste.h"
#include "store/words.h"
#include "review/words.h"

namespace ww::cli {
namespace {

constexpr const char* program = "warpwright " WW_VERSION;

struct Place {
  std::unique_ptr<store::Workspace> workspace;
  store::CandidateRecord candidate;
};
Result<Place> place_of(const Common& common, const std::string& candidate, Access access = Access::write) {
  Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, access);
  if (!workspace) return fail(Code::unavailable, workspace.error().message, workspace.error().cause);
  store::CandidateRecord c = WW_TRY((*workspace)->find_candidate(candidate));
  return Place{std::move(*workspace), std::move(c)};
}

Json fact_json(const review::Fact& f) {
  return {{"topic", enum_name(f.topic)},
          {"text", f.text},
          {"line", f.line > 0 ? Json(f.line) : Json(nullptr)},
          {"concern", f.concern}};
}

Json checklist_json(const review::Checklist& list, const review::Answers& answers) {
  Json items = Json::array();
  for (const review::Question& q : list.questions) {
    Json facts = Json::array();
    for (const review::Fact& f : q.facts) facts.push_back(fact_json(f));
    const auto answer = answers.find(q.item.id);
    items.push_back({{"id", q.item.id},
                     {"sentence", q.item.sentence},
                     {"why", q.item.why},
                     {"required", q.item.required},
                     {"facts", facts},
                     {"answer", answer == answers.end() ? Json(nullptr) : Json(answer->second)}});
  }
  return items;
}

std::string checklist_text(const review::Checklist& list, const review::Answers& answers) {
  std::string out = list.policy.own ? "\nThe checklist is the workspace's own: review/policy.json\n" : "";
  for (const review::Question& q : list.questions) {
    const auto answer = answers.find(q.item.id);
    out += fmt::format("\n{}  {}{}\n  {}\n", coloured(Colour::bold, safe(q.item.id)), safe(q.item.sentence),
                       q.item.required ? "" : " (not required)", coloured(Colour::dim, safe(q.item.why)));
    for (const review::Fact& f : q.facts) {
      const std::string text = safe_lines(f.text, "      ");
      out += fmt::format("    {} {}\n", f.concern ? coloured(Colour::yellow, "!") : std::string("-"), text);
    }
    out += answer == answers.end() ? fmt::format("  answer: --answer {}=TEXT\n", safe(q.item.id))
                                   : fmt::format("  answer: {}\n", safe(answer->second));
  }
  return out;
}

Result<Answer> latest(store::Workspace& workspace, const store::CandidateRecord& c, const char* what) {
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(c.id));
  const review::ReviewState state = review::state_of(reviews, c.hash);
  return Answer{{{"candidate", {{"id", c.id}, {"hash", c.hash}}},
                 {"state", enum_name(state)},
                 {"decision", reviews_json(reviews).back()}},
                fmt::format("Candidate {}: {}. It is now: {}.", c.id, what, review::word_of(state))};
}

Result<int> added(const Common& common, const Place& place, const Result<std::int64_t>& row, const char* what) {
  if (!row) return failed(common, row.error());
  return print_answer(common, WW_TRY(latest(*place.workspace, place.candidate, what)));
}

// The text of a receipt: a file, or the latest of a candidate.
Result<std::string> receipt_text(const Common& common, const std::string& given) {
  std::error_code ec;
  if (std::filesystem::exists(given, ec)) return read_file(given);
  const Result<Place> place = place_of(common, given, Access::read);
  if (!place)
    return fail(place.error().code, "'" + given + "' is not a file, and " + place.error().message, place.error().cause);
  const std::vector<store::ReviewRecord> reviews = WW_TRY(place->workspace->reviews(place->candidate.id));
  std::string receipt = review::receipt_of(reviews, place->candidate.hash);
  if (receipt.empty())
    return fail(Code::not_found, fmt::format("candidate {} has no receipt (it is: {})", place->candidate.id,
                                             review_text(reviews, place->candidate.hash)));
  return receipt;
}

Json signatures_json(const review::Verification& v, const std::vector<review::SignatureStanding>& standing) {
  Json list = Json::array();
  for (std::size_t i = 0; i < v.signatures.size(); ++i) {
    const review::Signature& s = v.signatures[i];
    list.push_back({{"kind", enum_name(s.kind)},
                    {"reviewer", s.reviewer},
                    {"created", s.created},
                    {"public_key", s.public_key},
                    {"fingerprint", review::fingerprint(s.public_key)},
                    {"valid", s.valid},
                    {"standing", enum_name(standing[i].standing)},
                    {"own", standing[i].own},
                    {"until", standing[i].until.empty() ? Json(nullptr) : Json(standing[i].until)},
                    {"warnings", standing[i].warnings}});
  }
  return list;
}

std::string signatures_text(const review::Verification& v, const std::vector<review::SignatureStanding>& standing) {
  std::string out;
  for (std::size_t i = 0; i < v.signatures.size(); ++i) {
    const review::Signature& s = v.signatures[i];
    const bool known = standing[i].standing == review::KeyStanding::known;
    out += fmt::format("  {} by {}, {}, key {}, {}{}\n", store::word_of(s.kind), safe(s.reviewer), safe(s.created),
                       review::fingerprint(s.public_key),
                       coloured(known ? Colour::none : Colour::yellow, review::standing_text(standing[i])),
                       s.valid ? "" : " (invalid)");
    if (standing[i].standing == review::KeyStanding::unknown && s.valid)
      if (const Result<std::string> words = review::fingerprint_words(s.public_key))
        out += fmt::format(
            "    Is it theirs? Ask for its words by phone: {}\n"
            "    If they are the same: warpwright-cli keys trust {} --name NAME\n",
            *words, safe(s.public_key));
    for (const std::string& warning : standing[i].warnings)
      out += "    " + coloured(Colour::yellow, "! " + safe(warning)) + '\n';
  }
  return out;
}

// The part of a genuine receipt's summary after "is unchanged since it was signed, ".
std::string signers_text(const std::vector<review::SignatureStanding>& standing) {
  switch (review::worst_of(standing)) {
    case review::KeyStanding::known: break;
    case review::KeyStanding::other_name: return "but a key that you know by another name signed it";
    case review::KeyStanding::repeated: return "but one key made two of its signatures";
    case review::KeyStanding::revoked: return "but a key that signed it is revoked";
    case review::KeyStanding::unknown:
      return std::ranges::any_of(standing, [](const auto& s) { return s.standing == review::KeyStanding::known; })
                 ? "but you do not know everyone who signed it"
                 : "but you know none of its signers";
  }
  return "by keys that you know";
}

std::string verdict_line(const std::filesystem::path& file, const review::Verification& v,
                         const std::vector<review::SignatureStanding>& standing) {
  if (v.printout != review::Printout::no)
    return fmt::format("{}: this file is a {} of a receipt: {}\n", file.string(), coloured(Colour::red, "printout"),
                       "verify the JSON file beside it");
  if (!v.genuine())
    return fmt::format("{}: this {} is {}\n", file.string(), v.is_receipt ? "receipt" : "file",
                       coloured(Colour::red, v.is_receipt ? "NOT genuine" : "not a receipt"));
  const std::string of = fmt::format("{} ({})", safe(v.op), safe(v.candidate.substr(0, 12)));
  if (review::worst_of(standing) == review::KeyStanding::known)
    return fmt::format("{}: the receipt is genuine, of {}\n", file.string(), of);
  return fmt::format("{}: the receipt of {} is unchanged since it was signed, {}\n", file.string(), of,
                     coloured(Colour::yellow, signers_text(standing)));
}

int exit_of(review::KeyStanding worst) {
  switch (worst) {
    case review::KeyStanding::known: return Exit::done;
    case review::KeyStanding::revoked: return Exit::revoked_key;
    case review::KeyStanding::other_name:
    case review::KeyStanding::repeated:
    case review::KeyStanding::unknown: break;
  }
  return Exit::unknown_key;
}

// What a kernel's file has changed against the receipt's text, as a unified diff; empty: nothing.
Result<std::string> changed_kernel(const std::string& receipt, const std::filesystem::path& file) {
  const std::string was = WW_TRY(review::kernel_of(receipt));
  std::string is = WW_TRY(read_file(file));
  if (is != was) take_spec_line(is);  // as it is taken from a file that is checked or explored
  if (is == was) return std::string();
  std::string out;
  for (const diff::DiffLine& l : diff::diff_lines(was, is))
    out += (l.mark == '@' ? "" : std::string(1, l.mark)) + l.text + '\n';
  return out.empty() ? std::string("only the line endings differ\n") : out;
}

Result<int> withdraw_review(const Common& common, const std::string& candidate, std::int64_t row,
                            const std::string& reviewer) {
  const Place place = WW_TRY(place_of(common, candidate));
  if (row == 0) {
    const std::vector<store::ReviewRecord> reviews = WW_TRY(place.workspace->reviews(place.candidate.id));
    const std::vector<store::ReviewRecord> standing = store::standing_reviews(reviews);
    if (standing.empty())
      return failed(
          common,
          {Code::not_found, fmt::format("candidate {} has no note or decision to withdraw", place.candidate.id), {}});
    row = standing.back().id;
  }
  return added(common, place, review::withdraw(*place.workspace, place.candidate.id, row, reviewer),
               fmt::format("review {} is withdrawn", row).c_str());
}

Result<int> accept_candidate(const Common& common, const std::string& candidate, const std::string& reviewer,
                             const std::vector<std::string>& answers, const review::Consent& consent,
                             const std::filesystem::path& file) {
  review::Answers given;
  for (const std::string& a : answers) {
    const std::size_t at = a.find('=');
    if (at == std::string::npos || at == 0)
      return failed(common, {Code::invalid_argument, "'" + a + "' is not ITEM=TEXT", {}});
    given[a.substr(0, at)] = a.substr(at + 1);
  }
  const Place place = WW_TRY(place_of(common, candidate));
  const review::Policy policy = WW_TRY(review::Policy::load(place.workspace->folder()));
  for (const auto& [id, text] : given)
    if (!policy.item(id))
      return failed(common, {Code::invalid_argument, review::refusal({policy, {}, {}, {}, {}, {}}, given), {}});
  const review::Dossier subject = WW_TRY(review::dossier_of(*place.workspace, place.candidate.id));
  const review::Checklist list = review::checklist_of(policy, subject);
  const Json who = {{"id", place.candidate.id}, {"hash", place.candidate.hash}};
  if (std::string why = review::refusal(list, given, consent); !why.empty()) {
    const bool holes = !list.holes.empty() && !consent.holes, kept = !list.kept.empty() && !consent.kept;
    const bool untried = !list.untried.empty() && !consent.untried;
    if ((holes || kept || untried) && list.refusal.empty())
      why += holes  ? " (--agree-to-holes does)"
             : kept ? " (--agree-to-kept-variables does)"
                    : " (--agree-to-untried does)";
    if (common.json) {
      print_json(common, {{"accepted", false},
                          {"why", why},
                          {"candidate", who},
                          {"items", checklist_json(list, given)},
                          {"receipt", nullptr},
                          {"file", nullptr}});
    } else {
      print_text(fmt::format("Candidate {} ({}), {}\n{}", place.candidate.id, place.candidate.hash.substr(0, 12),
                             safe(place.candidate.summary), checklist_text(list, given)));
      put(Stream::error, "warpwright-cli: not signed: " + why + "\n");
    }
    return Exit::negative;
  }
  const Result<review::Signer> signer = open_signer();
  if (!signer) return failed(common, signer.error(), Exit::environment);
  const Result<review::Accepted> made = review::accept(*place.workspace, place.candidate.id, reviewer, given, program,
                                                       *signer, review::judge_again, consent);
  if (!made && made.error().code == Code::crashed) return failed(common, made.error(), Exit::not_judged);
  if (!made) {
    const Result<store::CandidateRecord> now = place.workspace->candidate(place.candidate.id);
    const bool rejected = now && now->state == store::CandidateState::rejected;  // by its new judgement
    return rejected ? failed(common, made.error(), Exit::negative) : failed(common, made.error());
  }
  const review::Accepted& accepted = *made;
  const std::string show_receipt =
      store::pasted(place.workspace->folder(), fmt::format("receipt show {}", place.candidate.id));
  if (!file.empty())
    if (Status s = write_file_atomic(file, accepted.receipt); !s)
      return failed(common,
                    {s.error().code,
                     s.error().message + "; the candidate is signed, and '" + show_receipt + "' has the receipt",
                     s.error().cause});
  if (common.json) {
    print_json(common, {{"accepted", true},
                        {"why", ""},
                        {"candidate", who},
                        {"items", checklist_json(list, given)},
                        {"receipt", json::json_or_null(accepted.receipt)},
                        {"file", file.empty() ? Json(nullptr) : Json(file.string())}});
  } else {
    print_text(fmt::format("Candidate {} ({}) is signed by {} with the key {}.\n{}", place.candidate.id,
                           place.candidate.hash.substr(0, 12), safe(reviewer),
                           review::fingerprint(signer->public_key()),
                           file.empty() ? fmt::format("'{}' shows the receipt.\n", show_receipt)
                                        : "The receipt is in " + file.string() + ".\n"));
  }
  return Exit::done;
}

Result<int> reject_candidate(const Common& common, const std::string& candidate, const std::string& reason,
                             const std::string& reviewer) {
  const Place place = WW_TRY(place_of(common, candidate));
  return added(common, place, review::reject(*place.workspace, place.candidate.id, reason, reviewer), "rejected");
}

Result<int> note_candidate(const Common& common, const std::string& candidate, int line, const std::string& text,
                           const std::string& reviewer) {
  const Place place = WW_TRY(place_of(common, candidate));
  return print_answer(common, WW_TRY(noted(*place.workspace, place.candidate, line, text, reviewer)));
}

Result<int> request_changes(const Common& common, const std::string& candidate, const std::string& text,
                            const std::string& reviewer) {
  const Place place = WW_TRY(place_of(common, candidate));
  return added(common, place, review::request_changes(*place.workspace, place.candidate.id, text, reviewer),
               "the request is recorded");
}

// Markdown without what keeps a name from being taken for marks, outside of code.
std::string read_in_terminal(const std::string& markdown) {
  std::string out;
  bool fenced = false;
  for (const std::string_view line : split_lines(markdown)) {
    if (line.starts_with("```")) fenced = !fenced;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (fenced || line[i] != '\\' || i + 1 == line.size() || std::isalnum(static_cast<unsigned char>(line[i + 1])))
        out += line[i];
      else
        out += line[++i];
    out += '\n';
  }
  return out;
}

Result<int> receipt_show(const Common& common, const std::string& given) {
  const std::string receipt = WW_TRY(receipt_text(common, given));
  const Result<std::string> text = review::receipt_markdown(receipt);
  if (!text) return failed(common, text.error(), Exit::negative);
  return print_answer(
      common, {{{"receipt", json::json_or_null(receipt)}, {"markdown", *text}}, safe_lines(read_in_terminal(*text))});
}

Result<int> receipt_verify(const Common& common, const std::filesystem::path& file, const std::filesystem::path& kernel,
                           const std::filesystem::path& authorities) {
  const Result<std::string> receipt = read_file(file);
  if (!receipt) return failed(common, {Code::invalid_argument, receipt.error().message, receipt.error().cause});
  const review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  Result<review::Verification> v = review::verify(*receipt);
  if (!common.workspace.empty()) {
    const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
    if (!workspace) return failed(common, workspace.error(), Exit::environment);
    v = review::verify_against(*receipt, **workspace);
    if (!v) return failed(common, v.error());
  }
  const std::vector<review::SignatureStanding> standing = known.standing(*v);
  Result<std::string> compared = std::string();  // with the kernel's file
  if (!kernel.empty() && v->genuine()) compared = changed_kernel(*receipt, kernel);
  const std::string changed = compared ? *compared : std::string();
  const std::optional<review::Stamp> stamp = stamp_beside(file, *receipt, authorities);
  const bool stamp_differs = stamp && !stamp->created.empty() && !stamp->fits;
  bool holds = v->genuine() && compared && changed.empty() && !stamp_differs;
  Json changes = Json::array();
  for (const review::Change& c : v->changes) {
    holds = holds && !c.against;
    changes.push_back({{"text", c.text}, {"against", c.against}});
  }
  const int exit_code = !compared ? static_cast<int>(Exit::usage)  // it could not be read
                        : holds   ? exit_of(review::worst_of(standing))
                                  : static_cast<int>(Exit::negative);
  if (common.json) {
    const bool shown = compared && !kernel.empty() && v->genuine();
    Json answer = {{"file", file.string()},
                   {"genuine", v->genuine()},
                   {"holds", holds},
                   {"keys", enum_name(review::worst_of(standing))},
                   {"problems", v->problems},
                   {"candidate", v->candidate},
                   {"op", v->op},
                   {"signatures", signatures_json(*v, standing)},
                   {"stamp", stamp ? stamp_json(*stamp) : Json(nullptr)},
                   {"kernel_diff", shown ? Json(changed) : Json(nullptr)},
                   {"changes", common.workspace.empty() ? Json(nullptr) : changes}};
    if (!compared) answer["error"] = error_json(compared.error());
    print_json(common, std::move(answer));
    return exit_code;
  }
  std::string out = verdict_line(file, *v, standing);
  for (const std::string& p : v->problems) out += "  " + safe(p) + "\n";
  if (!v->genuine() && !v->signatures.empty()) out += "Its signatures are void:\n";
  out += signatures_text(*v, standing);
  if (stamp) out += stamp_text(*stamp);
  if (stamp && stamp->fits && std::ranges::any_of(v->signatures, [&](const review::Signature& s) {
        return s.created.substr(0, 16) > stamp->created.substr(0, 16);
      }))
    out += "  one of its signatures is dated after the stamp\n";
  if (compared && !kernel.empty() && v->genuine())
    out += changed.empty() ? kernel.string() + " is the kernel of this receipt, byte for byte.\n"
                           : kernel.string() + coloured(Colour::red, " is NOT the kernel of this receipt:") + '\n' +
                                 safe_lines(changed, "  ");
  if (!common.workspace.empty() && v->genuine()) {
    if (v->changes.empty()) out += "Nothing has changed in the workspace since.\n";
    for (const review::Change& c : v->changes)
      out +=
          fmt::format("  {} {}\n", c.against ? coloured(Colour::red, "changed:") : std::string("since:"), safe(c.text));
  }
  print_text(out);
  return compared ? exit_code : failed(common, compared.error(), exit_code);
}

// The workspace that records a countersignature: the one that was named, else the default one if the receipt was signed
// in it, else none.
Result<std::unique_ptr<store::Workspace>> countersigned_in(const Common& common, const std::string& receipt) {
  if (!common.workspace.empty()) return open_workspace(common, Access::write);
  const Result<std::unique_ptr<store::Workspace>> found = open_workspace(common, Access::read);
  if (!found || !WW_TRY(review::signed_in(**found, receipt))) return nullptr;
  return open_workspace(common, Access::write);
}

Result<int> receipt_countersign(const Common& common, const std::filesystem::path& file, const std::string& reviewer,
                                const std::filesystem::path& to) {
  Result<std::string> receipt = read_file(file);
  if (!receipt) return failed(common, {Code::invalid_argument, receipt.error().message, receipt.error().cause});
  FileLock lock;  // a concurrent countersignature of the same file waits
  if (to.empty()) {
    lock = WW_TRY(FileLock::wait(file));
    receipt = WW_TRY(read_file(file));
  }
  const Result<std::unique_ptr<store::Workspace>> workspace = countersigned_in(common, *receipt);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const Result<review::Signer> signer = open_signer();
  if (!signer) return failed(common, signer.error(), Exit::environment);
  const Result<std::string> text = review::countersign(workspace->get(), *receipt, reviewer, *signer);
  if (!text) return failed(common, text.error(), text.error().code == Code::corrupt ? Exit::negative : Exit::usage);
  const std::filesystem::path target = to.empty() ? file : to;
  WW_TRY(write_file_atomic(target, *text));
  const review::Verification v = review::verify(*text);
  const review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  return print_answer(
      common, {{{"file", target.string()},
                {"candidate", v.candidate},
                {"op", v.op},
                {"signatures", signatures_json(v, known.standing(v))}},
               fmt::format("{} is countersigned by {} with the key {}: {}.", target.string(), safe(reviewer),
                           review::fingerprint(signer->public_key()), plural(v.signatures.size(), "signature"))});
}

}  // namespace

std::string review_text(const std::vector<store::ReviewRecord>& reviews, const std::string& hash) {
  const review::ReviewState imported = review::imported_state_of(reviews, hash);
  return review::word_of(review::state_of(reviews, hash)) +
         (imported == review::ReviewState::open ? "" : "; imported, not decided here: " + review::word_of(imported));
}

Result<Answer> noted(store::Workspace& workspace, const store::CandidateRecord& candidate, int line,
                     const std::string& text, const std::string& reviewer) {
  WW_TRY(review::note(workspace, candidate.id, line, text, reviewer));
  return latest(workspace, candidate, "noted");
}

Json reviews_json(const std::vector<store::ReviewRecord>& reviews) {
  const std::vector<store::Standing> standing = store::standing_of(reviews);
  Json list = Json::array();
  for (std::size_t i = 0; i < reviews.size(); ++i) {
    const store::ReviewRecord& r = reviews[i];
    const bool withdraws = r.kind == store::ReviewKind::withdrawn;
    const Result<review::Answers> answers =
        r.answers.empty() ? Result<review::Answers>() : review::answers_from_json(r.answers);
    list.push_back({{"id", r.id},
                    {"kind", enum_name(r.kind)},
                    {"reviewer", r.reviewer},
                    {"line", r.line > 0 ? Json(r.line) : Json(nullptr)},
                    {"text", withdraws ? std::string() : r.text},
                    {"answers", r.answers.empty() || !answers ? Json(nullptr) : Json(*answers)},
                    {"imported", r.imported},
                    {"stands", standing[i].stands},
                    {"withdraws", withdraws && standing[i].withdraws != store::Standing::npos
                                      ? Json(reviews[standing[i].withdraws].id)
                                      : Json(nullptr)},
                    {"created", r.created}});
  }
  return list;
}

std::string reviews_text(const std::vector<store::ReviewRecord>& reviews) {
  const std::vector<store::Standing> standing = store::standing_of(reviews);
  std::string out;
  for (std::size_t i = 0; i < reviews.size(); ++i) {
    const store::ReviewRecord& r = reviews[i];
    std::string what = r.text.empty() ? std::string() : ": " + safe_lines(r.text, std::string(6, ' '));
    if (r.kind == store::ReviewKind::withdrawn)
      what = standing[i].withdraws == store::Standing::npos ? std::string(": an entry that is not in this workspace")
                                                            : fmt::format(": {}", reviews[standing[i].withdraws].id);
    out += fmt::format("  {:>4}  {}  {}{}{}{}{}{}\n", r.id, r.created.substr(0, 16), store::word_of(r.kind),
                       r.reviewer.empty() ? "" : " by " + safe(r.reviewer),
                       r.line > 0 ? fmt::format(", line {}", r.line) : std::string(), what,
                       standing[i].stands ? "" : " (withdrawn)", r.imported ? " (imported)" : "");
  }
  return out;
}

void add_decisions(Commands& commands) {
  struct Args {
    std::string candidate, reviewer, text;
    std::vector<std::string> answers;
    std::filesystem::path file;
    int line = 0;
    bool agree_to_holes = false, agree_to_kept = false, agree_to_untried = false;
    std::int64_t review = 0;
  };
  const auto args = std::make_shared<Args>();
  const auto command = [&](const char* name, const char* help, const Commands::Run& run) -> CLI::App& {
    CLI::App& app = commands.add(name, help, run);
    app.add_option("CANDIDATE", args->candidate, a_stored)->required();
    return app;
  };
  CLI::App& accept = command("accept",
                             "signs a candidate: records the answers to the checklist and signs a receipt; without "
                             "answers, shows the checklist and its facts",
                             [args](const Common& c) {
                               return accept_candidate(
                                   c, args->candidate, args->reviewer, args->answers,
                                   {args->agree_to_holes, args->agree_to_kept, args->agree_to_untried}, args->file);
                             });
  accept.add_option("--answer", args->answers, "ITEM=TEXT, once for each item of the checklist")
      ->take_all()
      ->allow_extra_args(false);
  accept.add_flag("--agree-to-holes", args->agree_to_holes,
                  "agree that it claims nothing for the holes in its 'require' lines (neither limits nor multiples)");
  accept.add_flag("--agree-to-kept-variables", args->agree_to_kept,
                  "agree that its module keeps variables from call to call");
  accept.add_flag("--agree-to-untried", args->agree_to_untried,
                  "agree to what was not tried: conditions on sizes, mutants of the spec, this machine's GPU");
  add_output(accept, "-o,--output", args->file, "also write the receipt to this file");
  CLI::App& reject = command("reject", "refuses a candidate", [args](const Common& c) {
    return reject_candidate(c, args->candidate, args->text, args->reviewer);
  });
  reject.add_option("--reason", args->text, "why")->required();
  CLI::App& note = command("note", "adds a note to a candidate, or to one of its lines", [args](const Common& c) {
    return note_candidate(c, args->candidate, args->line, args->text, args->reviewer);
  });
  note.add_option("TEXT", args->text, "the note")->required();
  note.add_option("--line", args->line, "line of its text; default: the whole candidate")
      ->check(CLI::Range(1, 1 << 20));
  CLI::App& changes =
      command("request-changes", "requests another version; the next prompt includes the request",
              [args](const Common& c) { return request_changes(c, args->candidate, args->text, args->reviewer); });
  changes.add_option("TEXT", args->text, "the change to make")->required();
  CLI::App& withdraw =
      command("withdraw", "withdraws a note or a decision; it remains in the record",
              [args](const Common& c) { return withdraw_review(c, args->candidate, args->review, args->reviewer); });
  withdraw.add_option("--review", args->review, "its number, as printed by 'show'; default: the latest one in force")
      ->check(CLI::PositiveNumber);
  for (CLI::App* app : {&accept, &reject}) app->add_option("--reviewer", args->reviewer, "your name")->required();
  for (CLI::App* app : {&note, &changes, &withdraw}) app->add_option("--reviewer", args->reviewer, "your name");
}

void add_receipt(Commands& commands) {
  struct Args {
    std::string receipt, reviewer;
    std::filesystem::path file, to, kernel, authorities;
    std::string service;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& receipt = commands.add_group("receipt", "shows and verifies signed receipts of candidates");
  commands
      .add_to(receipt, "show", "prints a receipt as readable text",
              [args](const Common& common) { return receipt_show(common, args->receipt); })
      .add_option("FILE|CANDIDATE", args->receipt, "a receipt file, or a signed candidate")
      ->required();
  CLI::App& verify = commands.add_to(
      receipt, "verify",
      "checks for tampering, and shows the signing keys and what has changed since; exits with 0 if genuine and all "
      "keys known, "
      "1 if not genuine, 4 if a key is not known under its signer's name, 5 if one is revoked",
      [args](const Common& common) { return receipt_verify(common, args->file, args->kernel, args->authorities); });
  verify.get_option("--workspace")->description("compares the receipt with this workspace");
  verify.add_option("FILE", args->file, "the receipt")->required();
  verify.add_option("KERNEL", args->kernel, "a kernel file to compare with the signed one");
  verify.add_option("--authorities", args->authorities,
                    "certificates to trust for the time stamp in FILE.tsr, PEM; default: the system's");
  CLI::App& stamp = commands.add_to(
      receipt, "stamp", "asks a time stamping service (RFC 3161) to stamp it: sends its SHA-256, writes FILE.tsr",
      [args](const Common& common) { return receipt_stamp(common, args->file, args->service); });
  stamp.add_option("FILE", args->file, "the receipt")->required();
  stamp.add_option("--service", args->service, "the service's address")
      ->envname("WARPWRIGHT_STAMP_SERVICE")
      ->required();
  CLI::App& countersign =
      commands.add_to(receipt, "countersign", "adds a second reviewer's signature", [args](const Common& common) {
        return receipt_countersign(common, args->file, args->reviewer, args->to);
      });
  countersign.add_option("FILE", args->file, "the receipt")->required();
  countersign.add_option("--reviewer", args->reviewer, "your name")->required();
  add_output(countersign, "-o,--output", args->to, "file to write; default: the same file");
}

}  // namespace ww::cli
