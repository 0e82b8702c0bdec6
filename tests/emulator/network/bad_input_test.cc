// Clients that disconnect, send too much, or are slow. They get an answer if possible, hold nothing for ever, and leave
// nothing half-committed.

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{500};  // more than a busy machine delays one of our clients
constexpr std::chrono::seconds kGiveUp{30};          // a test that would wait for ever fails instead

const std::string kObjects = "/storage/v1/b/bucket/o";
const std::string kUploads = "/upload/storage/v1/b/bucket/o";

std::string Head(const std::string& request, const std::string& headers) {
  return request + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}

class SlowConnection final : public RawConnection {
 public:
  using RawConnection::RawConnection;

  /// Sends the bytes one by one, repeatedly, until the server closes or answers; false if it never does.
  bool DripUntilItEnds(std::string_view bytes) {
    const auto give_up = steady_clock::now() + kGiveUp;
    for (std::size_t i = 0; steady_clock::now() < give_up; i = (i + 1) % bytes.size()) {
      Send(bytes.substr(i, 1));
      pollfd answer{.fd = socket(), .events = POLLIN, .revents = 0};
      if (::poll(&answer, 1, /*timeout=*/10) > 0) return true;
    }
    return false;
  }

  /// Whether an answer begins to arrive; nothing of it is read.
  bool AwaitAnswer() {
    pollfd answer{.fd = socket(), .events = POLLIN, .revents = 0};
    return ::poll(&answer, 1, static_cast<int>(std::chrono::milliseconds(kGiveUp).count())) > 0;
  }
};

class BadInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(client_.Call("POST", kUploads + "?uploadType=media&name=old", "", "old bytes").status, 200);
  }

  std::string Read(const std::string& name) { return client_.Call("GET", kObjects + "/" + name + "?alt=media").body; }

  /// Of all objects.
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto listing = nlohmann::json::parse(client_.Call("GET", kObjects).body);
    for (const auto& item : listing.at("items")) names.push_back(item.at("name"));
    return names;
  }

  /// Whether the emulator gets to the state where it has only this test's own connection.
  bool OthersAreGone() {
    const auto give_up = steady_clock::now() + kGiveUp;
    while (steady_clock::now() < give_up) {
      if (client_.Call("GET", "/_emulator/metrics").body.find("connections 1\n") != std::string::npos) return true;
    }
    return false;
  }

  std::string StartSession(const std::string& name) {
    return client_.Call("POST", kUploads + "?uploadType=resumable&name=" + name).Header("location");
  }

  std::string StartXmlUpload(const std::string& name) {
    const std::string body = client_.Call("POST", "/bucket/" + name + "?uploads").body;
    const std::string begin = "<UploadId>";
    const std::size_t id = body.find(begin) + begin.size();
    return body.substr(id, body.find('<', id) - id);
  }

  Emulator emulator_{{.client_patience = kPatience}};
  RawConnection client_{emulator_.endpoint()};
};

const std::vector<std::string> kOnlyOld = {"old"};

TEST_F(BadInputTest, BrokenBodyCommitsNothing) {
  const std::string session = StartSession("new");
  const std::string upload = StartXmlUpload("new");
  const std::vector<std::string> requests = {
      "POST " + kUploads + "?uploadType=media&name=new",
      "POST " + kUploads + "?uploadType=media&name=old",
      "POST " + kUploads + "?uploadType=multipart&name=new",
      "POST " + kUploads + "?uploadType=resumable&name=new",
      "POST /storage/v1/b",
      "POST " + kObjects + "/new/compose",
      "PATCH " + kObjects + "/old",
      "PUT " + session.substr(session.find("/upload")),
      "PUT /bucket/new",
      "PUT /bucket/old",
      "PUT /bucket/new?partNumber=1&uploadId=" + upload,
      "POST /bucket/new?uploadId=" + upload,
  };
  for (const std::string& request : requests) {
    for (const char* framing : {"Content-Length: 1000\r\n", "Transfer-Encoding: chunked\r\n"}) {
      RawConnection connection(emulator_.endpoint());
      connection.Send(Head(request, framing) + "3e8\r\n{\"name\": \"new\", ");
      connection.FinishSending();
      const std::optional<RawResponse> response = connection.Receive();
      ASSERT_TRUE(response) << request;
      EXPECT_TRUE(response->status == 400 || response->status == 308) << request << response->status;
      EXPECT_TRUE(connection.IsClosedByServer()) << request;
    }
  }
  EXPECT_EQ(Names(), kOnlyOld);
  EXPECT_EQ(Read("old"), "old bytes");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/new").status, 404);
  const RawResponse parts = client_.Call("GET", "/bucket/new?uploadId=" + upload);
  EXPECT_EQ(parts.status, 200);
  EXPECT_EQ(parts.body.find("<Part>"), std::string::npos) << parts.body;
  EXPECT_TRUE(OthersAreGone());
}

TEST_F(BadInputTest, SessionContinuesAfterABrokenChunk) {
  const std::string session = StartSession("new");
  std::string bytes(300'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i / 1000 % 26);
  RawConnection connection(emulator_.endpoint());
  connection.Send(Head("PUT " + session.substr(session.find("/upload")),
                       "Content-Range: bytes 0-299999/300000\r\nContent-Length: 300000\r\n"));
  connection.Send(std::string_view(bytes).substr(0, 280'000));
  connection.FinishSending();
  static_cast<void>(connection.Receive());

  const RawResponse status = client_.Call("PUT", session, "Content-Range: bytes */300000\r\n");
  ASSERT_EQ(status.status, 308);
  const std::string range = status.Header("range");
  const std::size_t persisted = range.empty() ? 0 : std::stoul(range.substr(range.find('-') + 1)) + 1;
  ASSERT_LE(persisted, 280'000U);
  EXPECT_EQ(Names(), kOnlyOld);
  const std::string rest = "Content-Range: bytes " + std::to_string(persisted) + "-299999/300000\r\n";
  EXPECT_EQ(client_.Call("PUT", session, rest, std::string_view(bytes).substr(persisted)).status, 200);
  EXPECT_EQ(Read("new"), bytes);
}

TEST_F(BadInputTest, BodyEndsAtItsAnnouncedLength) {
  RawConnection connection(emulator_.endpoint());
  connection.Send(Head("POST " + kUploads + "?uploadType=media&name=new", "Content-Length: 5\r\n") +
                  "hello world\r\n\r\n");
  EXPECT_EQ(connection.Receive()->status, 200);
  EXPECT_EQ(connection.Receive()->status, 400);  // " world" is not a request
  EXPECT_TRUE(connection.IsClosedByServer());
  EXPECT_EQ(Read("new"), "hello");
}

TEST_F(BadInputTest, AnnouncedLengthAllocatesNothing) {
  for (const std::string size : {"1000000000000000", "18446744073709551615", "18446744073709551616"}) {
    for (const std::string& request :
         {"POST " + kUploads + "?uploadType=media&name=new", std::string("PUT /bucket/new")}) {
      RawConnection connection(emulator_.endpoint());
      connection.Send(Head(request, "Content-Length: " + size + "\r\n") + "hello");
      connection.FinishSending();
      const int status = connection.Receive()->status;
      EXPECT_TRUE(status == 400 || status == 413) << request << size << " " << status;
    }
  }
  EXPECT_EQ(Names(), kOnlyOld);
}

TEST_F(BadInputTest, FloodsAreRefused) {
  const std::string chunked = Head("POST " + kUploads + "?uploadType=media&name=new", "Transfer-Encoding: chunked\r\n");
  const std::vector<std::string> beginnings = {
      "GET / HTTP/1.1\r\nX: ",         // a header without an end
      "GET /",                         // a target without one
      chunked + "5;",                  // a chunk's extension
      chunked + "0\r\n",               // lines after the last chunk
      chunked + "0000000000000000000"  // a chunk's size
  };
  for (const std::string& beginning : beginnings) {
    RawConnection connection(emulator_.endpoint());
    connection.Send(beginning);
    std::string flood;
    while (flood.size() < 200'000) flood += beginning.ends_with("0\r\n") ? "Trailer: x\r\n" : "00000000";
    connection.Send(flood);
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << beginning;
    EXPECT_TRUE(response->status == 400 || response->status == 431) << beginning << response->status;
  }
  EXPECT_EQ(Names(), kOnlyOld);
  EXPECT_TRUE(OthersAreGone());
}

// The connection whose request has started and makes no progress.
std::unique_ptr<RawConnection> Begin(const Emulator& emulator, const std::string& begun) {
  auto connection = std::make_unique<RawConnection>(emulator.endpoint());
  connection->Send(begun);
  return connection;
}

TEST_F(BadInputTest, StoppedRequestIs408) {
  const std::string media = "POST " + kUploads + "?uploadType=media&name=";
  const std::string session = StartSession("new");
  std::vector<std::unique_ptr<RawConnection>> stopped;
  for (const std::string& begun :
       {std::string("G"), std::string("GET / HTTP/1.1\r\nHost: h\r\n"),
        Head(media + "new", "Content-Length: 1000\r\n") + "hello",
        Head(media + "old", "Transfer-Encoding: chunked\r\n") + "5\r\nhel",
        Head(media + "new", "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r",
        Head("POST " + kUploads + "?uploadType=multipart", "Content-Length: 1000\r\n") + "--zz\r\n",
        Head("POST /storage/v1/b", "Content-Length: 17\r\n") + R"({"name":"other")",
        Head("PUT " + session.substr(session.find("/upload")), "Content-Length: 5\r\n") + "hell"}) {
    stopped.push_back(Begin(emulator_, begun));
  }
  for (const auto& connection : stopped) {
    const std::optional<RawResponse> response = connection->Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status_line, "HTTP/1.1 408 Request Timeout");
    EXPECT_EQ(response->Header("connection"), "close");
    const auto error = nlohmann::json::parse(response->body).at("error");
    EXPECT_EQ(error.at("code"), 408);
    EXPECT_EQ(error.at("errors").at(0).at("reason"), "uploadBrokenConnection");
    EXPECT_TRUE(connection->IsClosedByServer());
  }
  EXPECT_EQ(Names(), kOnlyOld);
  EXPECT_EQ(Read("old"), "old bytes");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/other").status, 404);
  EXPECT_EQ(client_.Call("PUT", session, "Content-Range: bytes */*\r\n").status, 308);
  EXPECT_TRUE(OthersAreGone());
}

TEST_F(BadInputTest, StoppedXmlRequestIs408) {
  const std::string upload = StartXmlUpload("new");
  std::vector<std::unique_ptr<RawConnection>> stopped;
  for (const std::string& request :
       {std::string("PUT /bucket/new"), std::string("PUT /bucket/old"),
        "PUT /bucket/new?partNumber=1&uploadId=" + upload, "POST /bucket/new?uploadId=" + upload}) {
    stopped.push_back(Begin(emulator_, Head(request, "Content-Length: 1000\r\n") + "hello"));
  }
  for (const auto& connection : stopped) {
    const std::optional<RawResponse> response = connection->Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 408);
    EXPECT_EQ(response->Header("content-type"), "application/xml; charset=UTF-8");
    EXPECT_NE(response->body.find("<Code>RequestTimeout</Code>"), std::string::npos) << response->body;
    EXPECT_TRUE(connection->IsClosedByServer());
  }
  EXPECT_EQ(Names(), kOnlyOld);
  EXPECT_EQ(Read("old"), "old bytes");
  EXPECT_EQ(client_.Call("GET", "/bucket/new?uploadId=" + upload).body.find("<Part>"), std::string::npos);
  EXPECT_TRUE(OthersAreGone());
}

TEST_F(BadInputTest, DrippingRequestIs408) {
  struct Case {
    std::string begun;
    std::string drip;
  };
  const std::string upload = "POST " + kUploads + "?uploadType=media&name=new";
  for (const auto& [begun, drip] :
       {Case{"GET / HTTP/1.1\r\n", "x"}, Case{Head(upload, "Content-Length: 1000000\r\n"), "x"},
        Case{Head(upload, "Transfer-Encoding: chunked\r\n"), "1\r\nx\r\n"}}) {
    SlowConnection connection(emulator_.endpoint());
    connection.Send(begun);
    EXPECT_TRUE(connection.DripUntilItEnds(drip)) << begun;
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << begun;
    EXPECT_EQ(response->status, 408) << begun;
  }
  EXPECT_EQ(Names(), kOnlyOld);
  EXPECT_TRUE(OthersAreGone());
}

TEST_F(BadInputTest, NonReadingClientIsDisconnected) {
  ASSERT_EQ(client_.Call("POST", kUploads + "?uploadType=media&name=big", "", std::string(64 << 20, 'x')).status, 200);
  SlowConnection connection(emulator_.endpoint());
  connection.Send(Head("GET " + kObjects + "/big?alt=media", ""));
  ASSERT_TRUE(connection.AwaitAnswer());  // Before that, the emulator may not have seen the connection.
  EXPECT_TRUE(OthersAreGone());
  EXPECT_FALSE(connection.Receive());  // not whole
}

TEST_F(BadInputTest, IdleClientIsNotDisconnected) {
  RawConnection idle(emulator_.endpoint());
  ASSERT_EQ(idle.Call("GET", "/storage/v1/b/bucket").status, 200);
  RawConnection silent(emulator_.endpoint());
  for (int i = 0; i < 3; ++i) {  // each takes as long as the emulator's time limit
    RawConnection stuck(emulator_.endpoint());
    stuck.Send("GET");
    EXPECT_EQ(stuck.Receive()->status, 408);
  }
  EXPECT_EQ(idle.Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_EQ(silent.Call("GET", "/storage/v1/b/bucket").status, 200);
}

}  // namespace
}  // namespace gcsflux::emulator
