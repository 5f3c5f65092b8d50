// SPDX-License-Identifier: Apache-2.0
// The subject that a person names on the command line: a sentence, FILE.op, the name of an op in the library, FILE.cu
// or FILE.ptx.
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

struct Subject {
  enum class Kind { sentence, op_file, library, candidate } kind = Kind::sentence;
  std::string given;  // as written
  std::string text;   // of the spec; empty when the sentence was not understood
  std::optional<op::Spec> spec;
  std::optional<op::Understanding> understanding;  // of a sentence
  std::optional<generator::Proposal> candidate;    // of FILE.cu, FILE.ptx
};

inline constexpr const char* stdin_name = "-";  // as a file: what comes in on stdin

Result<op::Library> op_library();
// Errors are of the command line and its files. A sentence that is not understood is no error: `spec` is empty,
// `understanding` says why.
Result<Subject> resolve_subject(const op::Library& library, const std::string& given);
// FILE.cu or FILE.ptx; `op`: a name in the library or FILE.op; empty: the file's "//@ spec FILE.op" line, which names a
// file beside it or below, else its "//@ candidate NAME".
Result<Subject> resolve_candidate(const op::Library& library, const std::filesystem::path& file, const std::string& op);
// The same of texts that are given themselves; no file is read for them, whatever they say. A candidate has a line "//@
// candidate NAME"; an op spec begins with "op"; anything else is the name of an op or a sentence.
Result<Subject> subject_from_text(const op::Library& library, const std::string& text);
// `op`: a name, a spec or a sentence; empty: the op that the candidate names. `note`: where it comes from.
Result<Subject> candidate_from_text(const op::Library& library, const std::string& text, const std::string& op,
                                    const std::string& note);
// The file that a "//@ spec FILE.op" line names, empty: none. The line is of the command line's making, not of the
// candidate language: in `text` it becomes a plain comment, so that line numbers stay.
std::string take_spec_line(std::string& text);
candidate::Language language_of(std::string_view text);  // of a candidate: PTX says its version
// "R=512", "eps=1e-6" by the spec's symbols and constants.
Result<op::Binding> binding_of(const op::Spec& spec, const std::vector<std::string>& settings);

// The architecture to compile for on this device where none was given.
Result<std::string> architecture_for(const std::string& given, const std::string& device);

// Why the sentence was not understood, as text: the words that are unclear, the questions, the nearest ops.
std::string unclear_text(const op::Understanding& understanding);

}  // namespace ww::cli
