#pragma once

#include <functional>
#include <string>

namespace httplib {
class Server;
}

namespace gcan::cli {

// The JSON data for the page of 'gcan watch'.
struct WatchAnswers {
  std::function<std::string()> state, sheets;
  std::function<std::string(const std::string& run)> picture;
};

// Serves the page and its data below /TOKEN/; other requests get 404.
void add_watch_pages(httplib::Server& server, const std::string& token, const WatchAnswers& answers);

}  // namespace gcan::cli
