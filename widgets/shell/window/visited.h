// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates that were shown, and the lines that were gone to, as a browser remembers pages. GUI thread.
#pragma once
#include <QObject>
#include <cstdint>
#include <vector>
#include "session/context.h"

namespace ww::widgets {

class Navigator;

class Visited : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t most = 200;  // places
  Visited(const Context& context, Navigator* navigator, QObject* parent);
  bool can_go(int step) const;  // -1: back, 1: forward
  void go(int step);

 signals:
  void changed();

 private:
  struct Place {
    std::int64_t run = 0, candidate = 0;
    int line = 0;  // 0: none
    bool operator==(const Place&) const = default;
  };
  void visit(const Place& place);
  Context context_;
  Navigator* navigator_;
  std::vector<Place> places_;
  std::size_t at_ = 0;  // the present one, where there is any
  bool going_ = false;
};

}  // namespace ww::widgets
