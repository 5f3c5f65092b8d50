// SPDX-License-Identifier: GPL-3.0-or-later
// One background thread where the latest request wins: a request that has not started when the next one arrives is
// dropped, and the answer of a superseded one is not delivered.
#pragma once
#include <QObject>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ww::widgets {

class LatestJob : public QObject {
  Q_OBJECT
 public:
  using Deliver = std::function<void()>;  // runs on the GUI thread
  using Work = std::function<Deliver()>;  // runs on the background thread; must not throw
  explicit LatestJob(QObject* parent = nullptr);
  ~LatestJob() override;  // waits for the work in progress
  void submit(Work work);
  void forget();  // drops the answer of the last submitted request
  bool busy() const;

 private:
  void loop();
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Work next_;
  std::uint64_t latest_ = 0;
  bool working_ = false, stop_ = false;
  std::thread thread_;  // started by the first request
};

}  // namespace ww::widgets
