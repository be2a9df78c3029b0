#include "gcan/cli/commands/watch_pages.h"

#include <httplib.h>

#include "gcan/report/page_frame.h"

namespace gcan::cli {

void add_watch_pages(httplib::Server& server, const std::string& token, const WatchAnswers& answers) {
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"}});
  const std::string base = "/" + token + "/";
  server.Get(base, [](const httplib::Request&, httplib::Response& response) {
    response.set_content(report::page_html({.title = "Running trainings",
                                            .main = "<h1>Running trainings</h1>\n<div data-watch></div>\n"
                                                    "<noscript><p>This page needs scripts.</p></noscript>\n",
                                            .served = true}),
                         "text/html; charset=utf-8");
  });
  const auto answer = [&](const std::string& name, auto make) {
    server.Get(base + name, [make](const httplib::Request& request, httplib::Response& response) {
      response.set_content(make(request), "application/json");
    });
  };
  answer("state", [state = answers.state](const httplib::Request&) { return state(); });
  answer("sheets", [sheets = answers.sheets](const httplib::Request&) { return sheets(); });
  answer("picture", [picture = answers.picture](const httplib::Request& request) {
    return picture(request.get_param_value("run"));
  });
}

}  // namespace gcan::cli
