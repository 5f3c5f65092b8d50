// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol (modelcontextprotocol.io) over two descriptors. A request of the revision 2026-07-28 says
// in its _meta which one it follows; the revisions before begin with "initialize". Both are served, request by request.
// Each call of a tool and each reading of a resource has a thread of its own, so that others are answered meanwhile and
// a cancellation reaches it.
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
  void run();  // until the input ends; then it stops what is under way, and waits for it

 private:
  struct Asked {  // one request
    Json id;
    std::string method;
    Json params;
    bool modern = false;  // from 2026-07-28
    std::string client;   // as it calls itself; empty: it does not
  };
  struct Job {
    Json id;
    std::stop_source stop;
    bool done = false;
    std::jthread thread;  // last: it uses the others
  };

  void take(const std::string& line);
  void notified(const std::string& method, const Json& params);
  void request(Asked asked);
  Reply<bool> modern(const Asked& asked) const;  // whether it is; or why it cannot be served
  // The reply to a request that is answered at once; empty: it needs a thread.
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
  std::string client_;        // that it named then
  std::mutex mutex_;          // of the jobs
  std::list<Job> jobs_;
};

}  // namespace ww::cli::mcp
