// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace ww::widgets {

class Searchable {  // what the search bar searches; letter case does not count
 public:
  static constexpr int most_marked = 10000;
  virtual ~Searchable() = default;
  virtual bool find(const QString& needle, bool forward,
                    bool from_start) = 0;  // selects the match, round the end; false: there is none
  virtual int mark_all(
      const QString& needle) = 0;      // number of matches, at most most_marked; empty: takes the marks away
  virtual QString picked() const = 0;  // selected text of one line, or empty
  virtual QWidget* widget() = 0;       // to give the focus back
};

}  // namespace ww::widgets
