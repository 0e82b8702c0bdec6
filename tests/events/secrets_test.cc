// No secret is shown: a service that repeats all it was sent, be it in its refusals, and every place where text ends
// up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include "gcsflux/client.h"
#include "gcsflux/log.h"
#include "gcsflux/trace.h"
#include "gcsflux/upload.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using testing::RawServer;

constexpr std::string_view kToken = "ya29.the-token-of-the-test";
constexpr std::string_view kApiKey = "the-gateways-own-key";
constexpr std::string_view kUploadId = "the-sessions-upload-id";
constexpr std::string_view kKeyBytes = "0123456789abcdef0123456789ABCDEF";
constexpr std::string_view kKeyText = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlBQkNERUY=";  // the same in base64

std::size_t LengthOf(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

std::string Answer(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string AsItIs(const std::string& text) { return text; }

// As URLs have it: what is neither letter nor digit becomes %XX.
std::string PercentEncoded(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

// What is in quotes goes without them, so that it may stand in JSON.
std::string AsJsonError(const std::string& text) {
  std::string plain;
  for (const char c : text) plain += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return R"({"error":{"message":")" + plain + R"("}})";
}

class SecretsTest : public ::testing::Test {
 protected:
  SecretsTest() {
    std::string name = ::testing::TempDir() + "secrets-XXXXXX";
    close(mkstemp(name.data()));
    trace_file_ = name;
    trace_ = *TraceWriter::Open(trace_file_);
  }
  ~SecretsTest() override { std::filesystem::remove(trace_file_); }

  // Repeats what it was sent; sessions begin, and then go wrong.
  void Serve(RawServer::Connection& c) {
    while (true) {
      const std::string head = c.ReadHead();
      if (head.empty()) return;
      c.Read(LengthOf(head));
      ++served_;
      if (head.find("uploadType=resumable") != std::string::npos) {
        const std::string session = server_.endpoint() + "/session?upload_id=" + std::string(kUploadId);
        c.Send(Answer(200, "Location: " + session + "\r\n", ""));
        continue;
      }
      const std::string url =
          server_.endpoint() + head.substr(head.find(' ') + 1, head.find(" HTTP/") - head.find(' ') - 1);
      c.Send(Answer(status_, "", wording_.load()(url + " " + head)));
    }
  }

  Client MakeClient() {
    const auto keep = [this](LogLevel, std::string_view line) {
      const std::scoped_lock lock(mutex_);
      told_ += std::string(line) + "\n";
    };
    return *Client::Create(
        {.endpoint = server_.endpoint(),
         .credentials = Credentials::AccessToken(std::string(kToken)),
         .project = "test",
         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 2}),
         .extra_headers = {{"X-Api-Key", std::string(kApiKey)}},
         .event_listener = CombineListeners({MakeLogger(LogLevel::kDebug, keep), trace_})});
  }

  template <class T>
  void MustFail(const Result<T>& result) {
    ASSERT_FALSE(result.ok());
    told_ += result.error().message + "\n" + result.error().reason + "\n";
  }

  void CallAll(const Client& client) {
    const EncryptionKey key = *EncryptionKey::FromBytes(AsBytes(kKeyBytes));
    MustFail(client.GetBucket("bkt"));
    MustFail(client.ReadObject({"bkt", "o"}, ReadObjectOptions{.encryption_key = key}));
    MustFail(client.InsertObject({"bkt", "o"}, AsBytes("bytes"),
                                 {.preconditions = {.if_generation_match = 0}, .encryption_key = key}));
    ObjectWriter writer(client, {"bkt", "o"}, {.chunk_bytes = 256U << 10});
    static_cast<void>(writer.Write(AsBytes(std::string(300U << 10, 'x'))));
    MustFail(writer.Close());
  }

  std::string AllText() {
    EXPECT_TRUE(trace_->Close().ok());
    std::ostringstream trace;
    trace << std::ifstream(trace_file_).rdbuf();
    return told_ + trace.str();
  }

  std::string trace_file_;
  std::shared_ptr<TraceWriter> trace_;
  std::mutex mutex_;
  std::string told_;
  std::atomic<int> status_ = 400;
  std::atomic<std::string (*)(const std::string&)> wording_ = AsItIs;
  std::atomic<int> served_ = 0;
  RawServer server_{[this](RawServer::Connection& c) { Serve(c); }};  // last: its threads use the rest
};

TEST_F(SecretsTest, AreInNoMessageNoLogAndNoTrace) {
  {
    const Client client = MakeClient();
    for (const int status : {400, 401, 404, 429, 503}) {
      for (const auto wording : {AsItIs, AsJsonError, PercentEncoded}) {
        status_ = status;
        wording_ = wording;
        CallAll(client);
      }
    }
  }
  EXPECT_GE(served_, 5 * 3 * 5);
  const std::string text = AllText();
  EXPECT_GE(text.size(), 10'000U) << "too little was told to show anything";
  EXPECT_NE(text.find("[secret]"), std::string::npos) << "nothing was repeated";
  for (const std::string_view secret : {kToken, kApiKey, kUploadId, kKeyBytes, kKeyText}) {
    for (const std::string& written : {std::string(secret), PercentEncoded(std::string(secret))}) {
      const auto at = text.find(written);
      EXPECT_EQ(at, std::string::npos) << written << " in: " << text.substr(at < 200 ? 0 : at - 200, 400);
    }
  }
}

}  // namespace
}  // namespace gcsflux
