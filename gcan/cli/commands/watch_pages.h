#pragma once

#include <functional>
#include <string>

namespace httplib {
class Server;
}

namespace gcan::cli {

// What the page of 'gcan watch' asks for, as JSON.
struct WatchAnswers {
  std::function<std::string()> state, sheets;
  std::function<std::string(const std::string& run)> picture;
};

// The page and its answers, below /TOKEN/; nothing is answered to requests elsewhere.
void add_watch_pages(httplib::Server& server, const std::string& token, const WatchAnswers& answers);

}  // namespace gcan::cli
