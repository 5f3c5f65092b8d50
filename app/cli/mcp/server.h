// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol (modelcontextprotocol.io) over two descriptors. A request of revision 2026-07-28 names its
// revision in _meta; earlier revisions begin with "initialize". Both are served, request by request. Each tool call and
// each resource read has its own thread, so that others are answered meanwhile and can be cancelled.
#pragma once
#include <list>
#include <stop_token>
#include <thread>
#include "mcp/resources.h"
#include "mcp/tools.h"
#include "mcp/wire.h"

namespace ww::cli::mcp {

class Server {
 public:
  Server(const Options& options, const op::Library& library, int in, int out);
  void run();  // until the input ends; then stops the requests in progress and waits for them

 private:
  struct Asked {  // one request
    Json id;
    std::string method;
    Json params;
    bool modern = false;  // from 2026-07-28
    std::string client;   // the name the client gives; may be empty
  };
  struct Job {
    Json id;
    std::stop_source stop;
    bool done = false;
    std::jthread thread;  // last member, since it uses the others
  };

  void take(const std::string& line);
  void notified(const std::string& method, const Json& params);
  void request(Asked asked);
  Reply<bool> modern(const Asked& asked) const;  // true: modern; or the error why it cannot be served
  // The reply to a request that can be answered at once; empty: it needs a thread.
  std::optional<Reply<Json>> at_once(const Asked& asked);
  Reply<Json> initialized(const Json& params);
  void start(Asked asked);
  Reply<Json> work(const Asked& asked, const Watch& watch) const;
  Reply<Json> call_tool(const Asked& asked, const Watch& watch) const;
  Watch watch_of(const Asked& asked, const std::stop_token& stop);
  void send(const Asked& asked, const Reply<Json>& reply);
  void forget_done();

  const Options& options_;
  const op::Library& library_;
  const std::vector<Tool> tools_;
  Lines in_;
  Output out_;
  bool initialized_ = false;  // by a client of an older revision
  std::string client_;        // the name it gave then
  std::mutex mutex_;          // guards the jobs
  std::list<Job> jobs_;
};

}  // namespace ww::cli::mcp
