// SPDX-License-Identifier: Apache-2.0
// The subject of a command: a sentence, FILE.op, the name of an op in the library, FILE.cu or FILE.ptx.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/generator.h"
#include "op/sentence/phrasebook.h"
#include "op/spec.h"

namespace ww::cli {

struct CommandSubject {
  enum class Kind { sentence, op_file, library, candidate } kind = Kind::sentence;
  std::string given;  // as written
  std::string text;   // of the spec; empty if the sentence was not understood
  std::optional<op::Spec> spec;
  std::optional<op::Understanding> understanding;  // of a sentence
  std::optional<generator::Proposal> candidate;    // of FILE.cu, FILE.ptx
};

inline constexpr const char* stdin_name = "-";  // as a file name: stdin

Result<op::Library> op_library();
// Errors concern the command line and its files. A sentence that is not understood is not an error: `spec` is empty,
// and `understanding` has the reason.
Result<CommandSubject> resolve_subject(const op::Library& library, const std::string& given);
// FILE.cu or FILE.ptx; `op`: a name in the library or FILE.op; empty: from the file's "//@ spec FILE.op" line, which
// names a file beside it or below, else from its "//@ candidate NAME".
Result<CommandSubject> resolve_candidate(const op::Library& library, const std::filesystem::path& file,
                                         const std::string& op);
// The same for texts; no file is read, whatever they contain. A candidate has a line "//@ candidate NAME"; an op spec
// begins with "op"; anything else is the name of an op or a sentence.
Result<CommandSubject> subject_from_text(const op::Library& library, const std::string& text);
// `op`: a name, a spec or a sentence; empty: the op that the candidate names. `note`: its origin.
Result<CommandSubject> candidate_from_text(const op::Library& library, const std::string& text, const std::string& op,
                                           const std::string& note);
// The file named by a "//@ spec FILE.op" line; empty: none. The line belongs to the command line, not the candidate
// language: in `text` it becomes a plain comment, so that line numbers do not change.
std::string take_spec_line(std::string& text);
// "R=512", "eps=1e-6", checked against the spec's symbols and constants.
Result<op::Binding> binding_of(const op::Spec& spec, const std::vector<std::string>& settings);

// The default target architecture for this device.
Result<std::string> architecture_for(const std::string& given, const std::string& device);

// Why the sentence was not understood, as text: the unclear words, the questions, the nearest ops.
std::string unclear_text(const op::Understanding& understanding);

}  // namespace ww::cli
