// Requests to 'gcan watch': whatever is sent, only clients that know the address get an answer.

#include <httplib.h>

#include "fuzz/fuzz.h"
#include "gcan/cli/commands/watch_pages.h"

using namespace gcan;

namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";
constexpr const char* kSecret = "SECRET-OF-THE-RUNS";

// A browser's requests and responses, without a network.
class MemoryStream : public httplib::Stream {
 public:
  explicit MemoryStream(std::string bytes) : in_(std::move(bytes)) {}
  bool is_readable() const override { return at_ < in_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t got = std::min(size, in_.size() - at_);
    in_.copy(to, got, at_);
    at_ += got;
    return static_cast<ssize_t>(got);
  }
  ssize_t write(const char* from, std::size_t size) override {
    out.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 1; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 2; }
  socket_t socket() const override { return 0; }

  std::string out;

 private:
  std::string in_;
  std::size_t at_ = 0;
};

class Server : public httplib::Server {
 public:
  Server() {
    const auto secret = [] { return std::string(kSecret); };
    cli::add_watch_pages(*this, kToken, {secret, secret, [](const std::string& run) {
                                           return "\"" + std::to_string(run.size()) + kSecret + "\"";
                                         }});
  }
  std::string answer(const std::string& bytes) {
    MemoryStream stream(bytes);
    bool closed = false;
    process_request(stream, true, closed, nullptr);
    return stream.out;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server;
  const std::string request = fuzz::text_of(data, size);
  const std::string out = server.answer(request);
  const bool told = out.find(kSecret) != std::string::npos || out.find("data-watch") != std::string::npos;
  // The token may be written with %XX escapes, which cannot be guessed either.
  if (request.find('%') == std::string::npos)
    fuzz::require(!told || request.find(kToken) != std::string::npos,
                  "without the address there is no answer");
  return 0;
}
