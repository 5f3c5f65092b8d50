// SPDX-License-Identifier: Apache-2.0
#include "subject.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include "base/architecture.h"
#include "base/files.h"
#include "generator/run_options.h"
#include "op/names.h"
#include "op/parse.h"
#include "rpc/supervisor.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_file = std::size_t{4} << 20;

Result<Subject> from_file(const fs::path& file) {
  const Result<std::string> text = read_file(file, max_file);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  op::Spec spec = WW_TRY(op::parse_spec(*text, file.string()));
  Subject s;
  s.kind = Subject::Kind::op_file;
  s.given = file.string();
  s.text = *text;
  s.spec = std::move(spec);
  return s;
}

Subject from_library(const op::LibraryOp& op, const std::string& given) {
  Subject s;
  s.kind = Subject::Kind::library;
  s.given = given;
  s.spec = op::plain(op.spec);
  s.text = op::print(*s.spec);
  return s;
}

// The file that a "//@ spec FILE" line names. The line is of the command line's making, not of the candidate language:
// in `text` it becomes a plain comment, so that line numbers stay.
std::string take_spec_line(std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    if (line.starts_with("//@")) {
      line.remove_prefix(3);
      const std::size_t word = line.find_first_not_of(" \t");
      if (word != std::string_view::npos && line.substr(word).starts_with("spec ")) {
        std::string_view name = line.substr(word + 5);
        name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
        while (!name.empty() && (name.back() == ' ' || name.back() == '\r' || name.back() == '\t'))
          name.remove_suffix(1);
        std::string result(name);
        text[begin + 2] = ' ';
        return result;
      }
    }
    begin = end + 1;
  }
  return {};
}

std::string candidate_op(const std::string& text) {  // of the "//@ candidate NAME" line; empty: none
  const std::string key = "//@ candidate ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = std::min(text.find_first_not_of(" \t", at + key.size()), text.size());
  return text.substr(begin, std::min(text.find_first_of(" \t\r\n", begin), text.size()) - begin);
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

Result<Subject> resolve_subject(const op::Library& library, const std::string& given) {
  if (given.find_first_not_of(" \t\n") == std::string::npos)
    return fail(Code::invalid_argument, "nothing given; name a sentence, FILE.op, FILE.cu or the name of an op");
  const fs::path path(given);
  std::error_code ec;  // a sentence may be longer than any name of a file
  if (given.find_first_of(" \t\n") == std::string::npos || fs::exists(path, ec)) {
    if (path.extension() == ".op") return from_file(path);
    if (path.extension() == ".cu" || path.extension() == ".ptx") return resolve_candidate(library, path, {});
    if (given.find('/') != std::string::npos && fs::exists(path, ec))
      return fail(Code::invalid_argument, "'" + given + "' is neither an op file (.op) nor a candidate (.cu, .ptx)");
  }
  if (const op::LibraryOp* op = library.find(given)) return from_library(*op, given);
  Subject s;
  s.given = given;
  s.understanding = op::understand(library, given);
  if (s.understanding->spec) {
    s.spec = s.understanding->spec;
    s.text = op::print(*s.spec);
  }
  return s;
}

Result<Subject> resolve_candidate(const op::Library& library, const fs::path& file, const std::string& op) {
  Result<std::string> text = read_file(file, max_file);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  explore::Proposal proposal;
  if (file.extension() == ".ptx")
    proposal.language = candidate::Language::ptx;
  else if (file.extension() != ".cu")
    return fail(Code::invalid_argument, "'" + file.string() + "' is not a candidate: its name must end in .cu or .ptx");
  const std::string spec_file = take_spec_line(*text);
  proposal.text = *text;
  proposal.note = "given by the person: " + file.filename().string();

  Result<Subject> subject = fail(Code::internal, "");
  const std::string named = !op.empty() ? op : candidate_op(*text);
  if (op.empty() && !spec_file.empty()) {
    subject = from_file(fs::path(spec_file).is_absolute() ? fs::path(spec_file) : file.parent_path() / spec_file);
  } else if (named.ends_with(".op")) {
    subject = from_file(named);
  } else if (named.empty()) {
    return fail(
        Code::invalid_argument,
        "'" + file.string() +
            "' does not say what it computes; begin it with a line \"//@ candidate OP\", or name the op with --op");
  } else if (const op::LibraryOp* found = library.find(named)) {
    subject = from_library(*found, named);
  } else {
    std::string near;
    for (const op::LibraryOp* n : library.nearest(named, 3)) near += (near.empty() ? "" : ", ") + n->spec.name;
    return fail(Code::invalid_argument, "the op library has no '" + named + "'" +
                                            (near.empty() ? "" : "; similar names: " + near) +
                                            "; add a line \"//@ spec FILE.op\" to the candidate for an op of your own");
  }
  WW_CHECK(subject);
  subject->kind = Subject::Kind::candidate;
  subject->candidate = std::move(proposal);
  return subject;
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

Result<std::string> architecture_for(const std::string& given, const std::string& device) {
  if (given.empty()) return std::string(device == "simt" ? "sm_80" : rpc::native_architecture);
  if (given == rpc::native_architecture || read_architecture(given)) return given;
  return fail(Code::invalid_argument, "--arch: '" + given + "' is not an architecture such as sm_80");
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
  }
  return text;
}

}  // namespace ww::cli
