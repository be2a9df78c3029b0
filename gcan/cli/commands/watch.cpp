// gcan watch: a page that shows trainings at work, served to this machine alone.

#include <fmt/format.h>
#include <httplib.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/watched_runs.h"
#include "gcan/report/page_frame.h"

namespace gcan::cli {
namespace {

constexpr const char* kHost = "127.0.0.1";

struct Arguments {
  std::vector<std::string> folders;
  int port = 0;
};

// 128 bits from the system, so that other users of the machine cannot guess the page's address.
std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return token;
}

void add_pages(httplib::Server& server, const std::string& token, experiments::WatchedRuns& runs) {
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"}});
  const std::string base = "/" + token + "/";
  server.Get(base, [](const httplib::Request&, httplib::Response& response) {
    response.set_content(report::page_html({.title = "Trainings at work",
                                            .main = "<h1>Trainings at work</h1>\n<div data-watch></div>\n"
                                                    "<noscript><p>This page needs scripts.</p></noscript>\n",
                                            .served = true}),
                         "text/html; charset=utf-8");
  });
  const auto answer = [&](const std::string& name, auto make) {
    server.Get(base + name, [make](const httplib::Request& request, httplib::Response& response) {
      response.set_content(make(request), "application/json");
    });
  };
  answer("state", [&runs](const httplib::Request&) { return runs.state(); });
  answer("sheets", [&runs](const httplib::Request&) { return runs.sheets(); });
  answer("picture",
         [&runs](const httplib::Request& request) { return runs.picture(request.get_param_value("run")); });
}

void run(const Arguments& a, const Context& context) {
  if (a.folders.empty()) throw UsageError("what? as in 'gcan watch runs/gca-mlp'");
  experiments::WatchedRuns runs(a.folders);
  // Pictures are predicted beside the training, which is to keep the cores.
  set_threads(context.threads.value_or(1));
  const Interrupt interrupt;
  httplib::Server server;
  const std::string token = new_token();
  add_pages(server, token, runs);
  const int port = a.port == 0                          ? server.bind_to_any_port(kHost)
                   : server.bind_to_port(kHost, a.port) ? a.port
                                                        : -1;
  if (port < 0) {
    throw Error(fmt::format("port {} cannot be listened on; is it taken? leave --port out to get a free one",
                            a.port));
  }
  std::thread serving([&] { server.listen_after_bind(); });
  fmt::print("http://{}:{}/{}/\nOpen this address in a browser on this machine; Ctrl-C ends it.\n", kHost,
             port, token);
  std::fflush(stdout);
  while (Interrupt::signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server.stop();
  serving.join();
}

}  // namespace

void add_watch(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("watch", "Show trainings at work on a page that updates itself");
  command->add_option("FOLDER", arguments->folders,
                      "Run folders, and folders that hold some now or later, as of 'gcan reproduce'");
  command->add_option("--port", arguments->port, "Port on 127.0.0.1; default: a free one")
      ->check(CLI::Range(0, 65535))
      ->type_name("N");
  command->footer(
      "The page can be opened on this machine alone, and by those who know its address.\n\nExamples:\n"
      "  gcan watch runs/gca-mlp\n"
      "  gcan watch reproduce/tetris-mlp --port 8080");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context); }; });
}

}  // namespace gcan::cli
