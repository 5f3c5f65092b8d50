// SPDX-License-Identifier: Apache-2.0
#include "subject.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include "base/architecture.h"
#include "base/device_name.h"
#include "base/files.h"
#include "base/source.h"
#include "candidate/directives.h"
#include "console.h"
#include "generator/run_options.h"
#include "op/names.h"
#include "op/parse.h"
#include "rpc/supervisor.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_file = std::size_t{4} << 20;

auto too_large() { return fail(Code::invalid_argument, "the text is larger than 4 MiB"); }

// Of a file, or of stdin.
Result<std::string> given_text(const fs::path& file) {
  Result<std::string> text = file == stdin_name ? read_stdin(max_file) : read_file(file, max_file);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  return text;
}

Result<CommandSubject> from_file(const fs::path& file) {
  const Result<std::string> text = given_text(file);
  WW_CHECK(text);
  op::Spec spec = WW_TRY(op::parse_spec(*text, file.string()));
  CommandSubject s;
  s.kind = CommandSubject::Kind::op_file;
  s.given = file.string();
  s.text = *text;
  s.spec = std::move(spec);
  return s;
}

// A spec that a candidate's own text names lies beside the candidate or in a folder below, links followed: a stranger's
// kernel has no other file opened, nor its lines shown in a message.
Result<CommandSubject> from_file_beside(const fs::path& candidate, const std::string& name) {
  const auto refuse = [&](const char* why) {
    return fail(Code::invalid_argument, "the candidate names '" + name + "' as its spec, but " + why,
                "to use that file, give it with --op FILE.op");
  };
  const fs::path path(name);
  if (path.extension() != ".op") return refuse("the name of a spec ends in .op");
  if (path.is_absolute()) return refuse("a candidate may only name a file in its own folder");
  std::error_code no_folder, no_file;
  const fs::path folder = fs::canonical(candidate == stdin_name ? "." : candidate.parent_path() / ".", no_folder);
  const fs::path file = fs::canonical(folder / path, no_file);
  if (no_folder || no_file) return refuse("that file cannot be found");
  if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end() ||
      file.extension() != ".op")
    return refuse("a candidate may only name a file in its own folder");
  return from_file(file);
}

CommandSubject from_library(const op::LibraryOp& op, const std::string& given) {
  CommandSubject s;
  s.kind = CommandSubject::Kind::library;
  s.given = given;
  s.spec = op::plain(op.spec);
  s.text = op::print(*s.spec);
  return s;
}

bool has_line(std::string_view text, const auto& is) {  // is(line, without blanks in front)
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (is(line)) return true;
    begin = end + 1;
  }
  return false;
}

bool is_spec(std::string_view text) {
  return text.find('{') != std::string_view::npos &&
         has_line(text, [](std::string_view line) { return line.starts_with("op ") || line.starts_with("op\t"); });
}

CommandSubject with_candidate(CommandSubject subject, std::string text, candidate::Language language,
                              const std::string& note) {
  subject.kind = CommandSubject::Kind::candidate;
  subject.candidate.emplace();
  subject.candidate->text = std::move(text);
  subject.candidate->language = language;
  subject.candidate->note = note;
  return subject;
}

// In the library. `own`: advice on using a user-defined op.
Result<CommandSubject> op_named(const op::Library& library, const std::string& named, const std::string& own) {
  if (const op::LibraryOp* found = library.find(named)) return from_library(*found, named);
  std::string near;
  for (const op::LibraryOp* n : library.nearest(named, 3)) near += (near.empty() ? "" : ", ") + n->spec.name;
  return fail(Code::invalid_argument,
              "the op library has no '" + named + "'" + (near.empty() ? "" : "; similar names: " + near) + "; " + own);
}

tl::unexpected<Error> not_a_subject(const std::string& path) {
  std::error_code none;
  return fail(Code::invalid_argument, "'" + path + "' is a " + (fs::is_directory(path, none) ? "folder" : "file") +
                                          ", but neither an op spec (.op) nor a candidate (.cu, .ptx)");
}

Status without_mark(std::string_view text, std::string_view name) {
  if (const std::optional<Diagnostic> mark = byte_order_mark(text)) return fail(parse_error({*mark}, text, name));
  return {};
}

}  // namespace

Result<op::Library> op_library() {
  Result<op::Library> library = op::Library::load(resources_dir() / "ops");
  if (!library)
    return fail(Code::unavailable,
                "the op library cannot be read from '" + (resources_dir() / "ops").string() +
                    "'; set WARPWRIGHT_RESOURCES or install again",
                library.error().text());
  return library;
}

std::string take_spec_line(std::string& text) {
  const auto directive = candidate::first_directive(text, "spec");
  if (!directive) return {};
  const std::string name(directive->rest);
  text[directive->span.begin + 2] = ' ';  // "//  spec FILE.op": a comment
  return name;
}

Result<CommandSubject> resolve_subject(const op::Library& library, const std::string& given) {
  if (given.find_first_not_of(" \t\n") == std::string::npos)
    return fail(Code::invalid_argument, "nothing given; give a sentence, FILE.op, FILE.cu or the name of an op");
  if (given == stdin_name) return subject_from_text(library, WW_TRY(given_text(given)));
  const fs::path path(given);
  std::error_code ec;  // a sentence may be longer than any name of a file
  if (given.find_first_of(" \t\n") == std::string::npos || fs::exists(path, ec)) {
    if (path.extension() == ".op") return from_file(path);
    if (path.extension() == ".cu" || path.extension() == ".ptx") return resolve_candidate(library, path, {});
    if (given.find('/') != std::string::npos && fs::exists(path, ec)) return not_a_subject(given);
  }
  CommandSubject subject = WW_TRY(subject_from_text(library, given));
  if (!subject.spec && fs::exists(path, ec)) return not_a_subject(given);
  return subject;
}

Result<CommandSubject> resolve_candidate(const op::Library& library, const fs::path& file, const std::string& op) {
  Result<std::string> text = given_text(file);
  WW_CHECK(text);
  const bool ptx = file.extension() == ".ptx";
  if (file != stdin_name && file.extension() != ".cu" && !ptx)
    return fail(Code::invalid_argument, "'" + file.string() + "' is not a candidate: its name must end in .cu or .ptx");
  WW_TRY(without_mark(*text, file.string()));
  const std::string spec_file = take_spec_line(*text);
  const std::string named = op.empty() ? candidate::named_op(*text) : op;
  Result<CommandSubject> subject = fail(Code::internal, "");
  if (op.empty() && !spec_file.empty())
    subject = from_file_beside(file, spec_file);
  else if (named.ends_with(".op"))
    subject = op.empty() ? from_file_beside(file, named) : from_file(named);
  else if (named.empty())
    return fail(Code::invalid_argument,
                "'" + file.string() +
                    "' does not name its op; begin it with a line \"//@ candidate OP\", and give each kernel a "
                    "line \"//@ launch KERNEL grid(…) block(…) args(…)\"; --op OP suggests lines that fit its kernels");
  else
    subject = op_named(library, named, "add a line \"//@ spec FILE.op\" to the candidate for an op of your own");
  WW_CHECK(subject);
  const candidate::Language language = file == stdin_name ? candidate::language_of(*text)
                                       : ptx              ? candidate::Language::ptx
                                                          : candidate::Language::cuda;
  return with_candidate(std::move(*subject), std::move(*text), language,
                        "given by the person: " + file.filename().string());
}

Result<CommandSubject> candidate_from_text(const op::Library& library, const std::string& text, const std::string& op,
                                           const std::string& note) {
  if (text.size() > max_file) return too_large();
  WW_TRY(without_mark(text, "the candidate"));
  CommandSubject subject;
  if (op.empty()) {
    const std::string named = candidate::named_op(text);
    if (named.empty())
      return fail(Code::invalid_argument,
                  "the candidate does not name its op; begin it with a line \"//@ candidate OP\"");
    subject = WW_TRY(op_named(library, named, "give the spec of an op of your own with the candidate"));
  } else {
    subject = WW_TRY(subject_from_text(library, op));
    if (!subject.spec)
      return fail(Code::invalid_argument, "the op of the candidate was not understood",
                  unclear_text(*subject.understanding));
  }
  return with_candidate(std::move(subject), text, candidate::language_of(text), note);
}

Result<CommandSubject> subject_from_text(const op::Library& library, const std::string& text) {
  if (text.size() > max_file) return too_large();
  WW_TRY(without_mark(text, "the text"));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(Code::invalid_argument, "nothing given; name an op, or describe one in a sentence or an op spec");
  if (candidate::first_directive(text, "candidate")) return candidate_from_text(library, text, {}, "given as text");
  if (is_spec(text)) {
    CommandSubject s;
    s.kind = CommandSubject::Kind::op_file;
    s.spec = WW_TRY(op::parse_spec(text, "the op spec"));
    s.given = s.spec->name;
    s.text = text;
    return s;
  }
  const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  const std::string given = text.substr(begin, end + 1 - begin);
  if (const op::LibraryOp* op = library.find(given)) return from_library(*op, given);
  CommandSubject s;
  s.given = given;
  s.understanding = op::understand(library, given);
  if (s.understanding->spec) {
    s.spec = s.understanding->spec;
    s.text = op::print(*s.spec);
  }
  return s;
}

Result<op::Binding> binding_of(const op::Spec& spec, const std::vector<std::string>& settings) {
  op::Binding binding;
  for (const std::string& setting : settings) {
    const std::size_t equal = setting.find('=');
    const std::string name = setting.substr(0, equal);
    const std::string value = equal == std::string::npos ? std::string() : setting.substr(equal + 1);
    const char* const end = value.data() + value.size();
    if (std::find(spec.symbols.begin(), spec.symbols.end(), name) != spec.symbols.end()) {
      std::int64_t n = 0;
      const auto r = std::from_chars(value.data(), end, n);
      if (value.empty() || r.ec != std::errc() || r.ptr != end || n < 1)
        return fail(Code::invalid_argument, "'" + setting + "' does not set the shape symbol " + name +
                                                "; write --set " + name + "=512 with a whole number from 1");
      binding.symbols[name] = n;
    } else if (std::any_of(spec.constants.begin(), spec.constants.end(),
                           [&](const op::Constant& c) { return c.name == name; })) {
      double x = 0;
      const auto r = std::from_chars(value.data(), end, x);
      if (value.empty() || r.ec != std::errc() || r.ptr != end)
        return fail(Code::invalid_argument, "'" + setting + "' does not set the constant " + name + "; write --set " +
                                                name + "=0.5 with a number");
      binding.constants[name] = x;
    } else {
      std::string names;
      for (const std::string& s : spec.symbols) names += (names.empty() ? "" : ", ") + s;
      for (const op::Constant& c : spec.constants) names += (names.empty() ? "" : ", ") + c.name;
      return fail(Code::invalid_argument, "the op " + spec.name + " has no shape symbol or constant '" + name +
                                              "'; it has: " + (names.empty() ? "none" : names));
    }
  }
  if (const Result<op::Resolved> r = op::resolve(spec, binding); !r)
    return fail(Code::invalid_argument, r.error().message, r.error().cause);
  return binding;
}

constexpr int oldest_architecture = 75;  // that NVRTC 13 compiles for

Result<std::string> architecture_for(const std::string& given, const std::string& device) {
  if (given.empty()) return std::string(is_simt(device) ? default_architecture : rpc::native_architecture);
  const std::optional<Architecture> named = read_architecture(given);
  if (named && named->capability < oldest_architecture)
    return fail(Code::invalid_argument, "--arch: NVRTC does not compile for '" + given + "'; the oldest is sm_" +
                                            std::to_string(oldest_architecture));
  if (named || given == rpc::native_architecture) return given;
  return fail(Code::invalid_argument, "--arch: " + no_architecture(given));
}

std::string unclear_text(const op::Understanding& u) {
  std::string text;
  for (const std::string& q : u.questions) text += q + '\n';
  for (std::size_t i = 0; i < u.choices.size(); ++i)
    text += fmt::format("  {}. {}    ({})\n", i + 1, u.choices[i].sentence, u.choices[i].difference);
  if (!u.nearest.empty()) {
    text += "Similar ops:";
    for (const std::string& n : u.nearest) text += " " + n;
    text += '\n';
  } else if (u.choices.empty() &&
             std::ranges::find(u.words, op::Meaning::unknown, &op::Word::meaning) != u.words.end()) {
    text +=
        "No op has a similar name: 'warpwright-cli list ops' lists all of them, and 'list ops WORD' those with it.\n";
  }
  return text;
}

}  // namespace ww::cli
