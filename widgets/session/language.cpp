// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/language.h"
#include "base/files.h"
#include "op/parse.h"

namespace ww::widgets {

Result<std::vector<OpSummary>> Language::ops() {
  const op::Library* library = WW_TRY(this->library());
  std::vector<OpSummary> list;
  for (const op::LibraryOp& op : library->ops()) {
    OpSummary summary{op.spec.name, op.summary, {}, op.phrases, {}};
    if (const auto torch = op.spec.directives.find("torch"); torch != op.spec.directives.end())
      summary.torch = torch->second;
    if (!op.phrases.empty()) summary.phrase = op.phrases.front();  // its usual name
    list.push_back(std::move(summary));
  }
  return list;
}

Result<op::Understanding> Language::understand(const std::string& sentence) {
  const op::Library* library = WW_TRY(this->library());
  return op::understand(*library, sentence);
}

Result<std::string> Language::op_text(const std::string& name) {
  const op::Library* library = WW_TRY(this->library());
  const op::LibraryOp* found = library->find(name);
  if (!found) return fail(Code::not_found, "there is no op named " + name + " in the library");
  return op::print(op::plain(found->spec));
}

// A failed attempt is repeated at the next call: the user may have fixed the file.
Result<const op::Library*> Language::library() {
  std::lock_guard lock(mutex_);
  if (!library_) library_ = WW_TRY(op::Library::load(resources_dir() / "ops"));
  return &*library_;
}

}  // namespace ww::widgets
