// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace ww::widgets {

struct SearchText {  // letter case does not count
  QString words;
  bool expression = false;  // a Perl-compatible regular expression; ^ and $ match at each line
};

class Searchable {  // what the search bar searches
 public:
  static constexpr int most_marked = 10000;
  virtual ~Searchable() = default;
  virtual bool find(const SearchText& what, bool forward,
                    bool from_start) = 0;  // selects the match and wraps around; false: none
  virtual int mark_all(
      const SearchText& what) = 0;     // number of matches, at most most_marked; empty text clears the marks
  virtual QString picked() const = 0;  // selected text of one line, or empty
  virtual QWidget* widget() = 0;       // to give the focus back
  virtual bool takes_expressions() const { return false; }
  virtual bool replaces() const { return false; }
  // Replaces the match that is selected, else selects the next one. \1 to \9 stand for an expression's groups.
  virtual void replace(const SearchText&, const QString&) {}
  virtual int replace_all(const SearchText&, const QString&) { return 0; }  // how many; one step for undo
};

class SearchHost {  // a panel with a search bar for what it shows
 public:
  virtual ~SearchHost() = default;
  virtual void open_search() = 0;
};
SearchHost* search_host_of(QWidget* focused);  // the innermost panel around it; null: none

}  // namespace ww::widgets
