// SPDX-License-Identifier: Apache-2.0
// The scripted model as a server of its own, to try the programs by hand: writes models.json (preset "scripted") into
// the folder given and answers for ten minutes.
//   build/release/bin/model_server FOLDER &  WARPWRIGHT_CONFIG=FOLDER warpwright-cli explore relu --model
//                                            scripted:writer --analyst scripted:analyst
#include <cstdio>
#include <string>
#include <unistd.h>
#include "base/files.h"
#include "model/scripted_model.h"

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: model_server FOLDER\n", stderr), 2;
  constexpr int seconds = 600;
  const ww::support::LoopbackServer server(ww::model_tests::answer);
  if (const auto written =
          ww::write_file_atomic(std::string(arguments[1]) + "/models.json", ww::model_tests::catalogue(server.url()));
      !written)
    return std::fprintf(stderr, "%s\n", written.error().text().c_str()), 1;
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  ::sleep(seconds);
}
