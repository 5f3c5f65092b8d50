// SPDX-License-Identifier: Apache-2.0
// The candidate file under construction: header lines, device helpers, kernels. Writes text only; emit.h turns
// expressions into it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>
#include "search/program.h"

namespace ww::search {

class Source;

// One __global__ function and its launch. Parameters are added on use: requesting a tensor's or symbol's identifier
// declares it.
class Kernel {
 public:
  Kernel(Source& source, std::string name);

  // Body text. `open` ends with "{" and indents, `close` writes "}".
  void line(const std::string& text = {});
  void comment(const std::string& text);  // wrapped at 110 columns
  void open(const std::string& text);
  void close(const std::string& after = {});
  void barrier() { line("__syncthreads();"); }

  void otherwise();                                     // "} else {"
  std::string fresh(const std::string& wanted);         // an identifier unused in this kernel
  std::string fresh_inside(const std::string& wanted);  // for the scope that the next open() begins
  void allow(const std::string& identifier) {
    allowed_.insert(identifier);
  }                                            // fresh() may give it, though it is a tensor's: one without memory
  std::string index(const std::string& name);  // the identifier of a spec index
  std::string tensor(const std::string& name, bool written);
  std::string symbol(const std::string& name);  // shape symbol
  std::string constant(const std::string& name);

  void about(const std::string& text);  // comment above the function, a paragraph per line of `text`
  void launch(std::string grid, std::string block, std::string shared = {});
  Source& source() { return source_; }
  const std::string& name() const { return name_; }

 private:
  friend class Source;
  void leave_scope();
  std::string signature() const;
  std::string arguments() const;
  Source& source_;
  std::string name_;
  std::vector<std::string> about_, body_;
  int depth_ = 1;
  std::set<std::string> allowed_;
  std::map<std::string, int> used_;      // identifiers of locals
  std::map<std::string, bool> tensors_;  // name -> written here
  std::set<std::string> symbols_, constants_;
  std::string grid_ = "1", block_ = "1", shared_;
};

class Source {
 public:
  Source(const Program& program, std::string structure, std::string title);

  const Program& program() const { return program_; }
  std::string real() const { return program_.f64 ? "double" : "float"; }
  std::string index_type() const { return program_.wide ? "long long" : "int"; }

  void about(const std::string& text) {
    about_.push_back(text);
  }  // what the structure does and why, at the top of the file
  // A tune axis; the first value is the default. Returns the macro's name, which avoids the spec's names. While tuning
  // is off (for kernels besides the main one of the structure), returns the first value itself.
  void tuning(bool on) { tuning_ = on; }
  std::string tune(const std::string& name, std::vector<std::int64_t> values);
  void temp(const std::string& name);  // a temporary of the program that is stored in memory
  // A scratch tensor added by the lowering. Shape expressions in the plan's language.
  std::string scratch(const std::string& wanted, DType dtype, const std::vector<std::string>& shape);
  void zero(const std::string& tensor) { zeroed_.insert(tensor); }
  void require(const std::string& condition);
  // A device function, written once. `key` identifies it; `text` is the whole function with its comment.
  void helper(const std::string& key, const std::string& text);
  // The name of a struct of `lanes` neighbouring elements that one instruction loads or stores; declared on first use.
  std::string pack(DType dtype, const std::string& lanes);
  void include(const std::string& header) { includes_.insert(header); }
  Kernel& kernel(const std::string& name);
  std::string identifier(const std::string& spec_name);  // of a tensor, symbol or constant
  bool taken(const std::string& identifier) const { return taken_.count(identifier) != 0; }

  std::string text() const;

 private:
  friend class Kernel;
  const Program& program_;
  bool tuning_ = true;
  std::string structure_, title_;
  std::vector<std::string> about_, tunes_, temps_, requires_, helpers_;
  std::set<std::string> zeroed_, includes_, helper_keys_, temp_names_, kernel_names_;
  std::string take(const std::string& wanted);  // as an identifier that is neither reserved nor taken
  std::set<std::string> taken_;                 // identifiers of tensors, symbols, constants, macros, helpers
  std::map<std::string, std::string> identifiers_;
  std::map<std::string, std::pair<DType, std::vector<std::string>>> scratch_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

bool reserved_identifier(const std::string& word);  // C++, CUDA and the lowering's own identifiers
// The word, prefixed with a letter if it starts like a reserved identifier, which no suffix can fix.
std::string free_beginning(const std::string& word);

}  // namespace ww::search
