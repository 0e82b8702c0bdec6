#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "support/raw_server.h"
#include "support/spellings.h"

namespace gcsflux::testing {

/// Repeats each request in its answer, wherever an answer has text. Upload sessions start at a URI of the test's
/// choice, and continue in the same way.
class EchoServer {
 public:
  enum class Place { kBody, kJson, kXml, kHeaders };
  static constexpr Place kPlaces[] = {Place::kBody, Place::kJson, Place::kXml, Place::kHeaders};

  /// Of the next answers. Change them between calls.
  std::atomic<int> status = 400;
  std::atomic<Place> place = Place::kBody;
  std::atomic<std::string (*)(std::string_view)> spelling = AsItIs;

  /// `session_target` is where uploads are sent: "/path?query".
  explicit EchoServer(std::string session_target) : session_target_(std::move(session_target)) {}

  [[nodiscard]] std::string endpoint() const { return server_.endpoint(); }
  [[nodiscard]] int served() const { return served_; }

 private:
  static std::size_t LengthOf(const std::string& head) {
    const auto at = head.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
  }

  // Control characters would end a header, and quotes a text in JSON.
  static std::string WithoutSome(std::string text, std::string_view others) {
    for (char& c : text) {
      const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7F';
      if (is_control || others.find(c) != std::string_view::npos) c = ' ';
    }
    return text;
  }

  static std::string Answer(const std::string& start, const std::string& headers, const std::string& body) {
    return start + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  [[nodiscard]] std::string Echo(const std::string& heard) const {
    const std::string start = "HTTP/1.1 " + std::to_string(status) + " ";
    const std::string said = spelling.load()(heard);
    switch (place) {
      case Place::kBody: return Answer(start + "Said", "", said);
      case Place::kJson:
        return Answer(start + "Said", "Content-Type: application/json\r\n",
                      R"({"error":{"message":")" + WithoutSome(said, "\"\\") + R"(","errors":[{"reason":")" +
                          WithoutSome(said, "\"\\").substr(0, 200) + R"("}]}})");
      case Place::kXml:
        return Answer(start + "Said", "",
                      "<Error><Code>Said</Code><Message>" + WithoutSome(said, "<&") + "</Message></Error>");
      case Place::kHeaders: break;
    }
    const std::string line = WithoutSome(said, "").substr(0, 6000);
    std::string headers;
    for (const char* name :
         {"Location", "x-goog-hash", "x-goog-generation", "ETag", "Range", "Content-Range", "Content-Type",
          "Retry-After", "WWW-Authenticate", "x-goog-stored-content-length", "x-goog-stored-content-encoding"}) {
      headers += std::string(name) + ": " + line + "\r\n";
    }
    return Answer(start + line, headers, "");
  }

  void Serve(RawServer::Connection& c) {
    while (true) {
      const std::string head = c.ReadHead();
      if (head.empty()) return;
      const std::string body = c.Read(LengthOf(head));
      ++served_;
      if (head.find("uploadType=resumable") != std::string::npos) {
        c.Send(Answer("HTTP/1.1 200 OK", "Location: " + endpoint() + session_target_ + "\r\n", ""));
        continue;
      }
      const auto blank = head.find(' ');
      const std::string target = head.substr(blank + 1, head.find(" HTTP/") - blank - 1);
      c.Send(Echo(endpoint() + target + " " + head + body.substr(0, 2000)));
    }
  }

  const std::string session_target_;
  std::atomic<int> served_ = 0;
  RawServer server_{[this](RawServer::Connection& c) { Serve(c); }};  // last: its threads use the rest
};

}  // namespace gcsflux::testing
