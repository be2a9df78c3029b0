// gcan watch: serves a page about running trainings, to this machine only.

#include "gcan/cli/options/watch.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gcan/cli/commands/watch_pages.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/watched_runs.h"

namespace gcan::cli {
namespace {

constexpr const char* kHost = "127.0.0.1";

// 128 random bits, so that other users of the machine cannot guess the page's address.
std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return token;
}

}  // namespace

void run_watch(const WatchArguments& a, const Context& context) {
  if (a.folders.empty()) throw UsageError("missing argument FOLDER, as in 'gcan watch runs/gca-mlp'");
  experiments::WatchedRuns runs(a.folders);
  // Pictures are predicted while the training runs, which should keep its cores.
  set_threads(context.threads.value_or(1));
  const Interrupt interrupt;
  httplib::Server server;
  const std::string token = new_token();
  add_watch_pages(server, token,
                  {[&] { return runs.state(); }, [&] { return runs.sheets(); },
                   [&](const std::string& run) { return runs.picture(run); }});
  const int port = a.port == 0                          ? server.bind_to_any_port(kHost)
                   : server.bind_to_port(kHost, a.port) ? a.port
                                                        : -1;
  if (port < 0) {
    throw Error(fmt::format("cannot listen on port {}; is it in use? omit --port to use a free one", a.port));
  }
  std::thread serving([&] { server.listen_after_bind(); });
  fmt::print("http://{}:{}/{}/\nOpen this address in a browser on this machine; Ctrl-C ends it.\n", kHost,
             port, token);
  std::fflush(stdout);
  while (Interrupt::signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server.stop();
  serving.join();
}

}  // namespace gcan::cli
