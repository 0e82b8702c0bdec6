#include "emulator/faults/fault_test.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gcsflux::emulator {

int RawExchange::status() const {
  int status = 0;
  if (head.size() >= 12) std::from_chars(head.data() + 9, head.data() + 12, status);
  return status;
}

std::string Bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('A' + (i + i / 97) % 26);
  return bytes;
}

FaultTest::FaultTest() { EXPECT_EQ(Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }

void FaultTest::Inject(FaultAction action, FaultMatch match, FaultLimits limits) {
  emulator().faults().Add({.name = "fault", .match = std::move(match), .action = std::move(action), .limits = limits});
}

RawResponse FaultTest::Call(std::string_view method, std::string_view target, std::string_view headers,
                            std::string_view body) {
  RawConnection client(endpoint());
  return client.Call(method, target, headers, body);
}

RawExchange FaultTest::Exchange(std::string_view method, std::string_view target, std::string_view headers,
                                std::string_view body) {
  RawConnection client(endpoint());
  client.Send(std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: emulator.test\r\n" +
              "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(headers) +
              "\r\n" + std::string(body));
  const std::string all = client.ReceiveAll();
  const std::size_t end = all.find("\r\n\r\n");
  return {.head = all.substr(0, end),
          .body = end == std::string::npos ? std::string() : all.substr(end + 4),
          .was_reset = client.was_reset()};
}

RawResponse FaultTest::Insert(const std::string& name, std::string_view content) {
  return Call("POST", InsertTarget(name), "", content);
}

RawResponse FaultTest::InsertMultipart(const std::string& name, std::string_view content, std::string_view metadata) {
  const std::string body = "--b\r\nContent-Type: application/json\r\n\r\n" + std::string(metadata) +
                           "\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + std::string(content) + "\r\n--b--\r\n";
  return Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart&name=" + name,
              "Content-Type: multipart/related; boundary=b\r\n", body);
}

RawExchange FaultTest::Read(const std::string& name, std::string_view headers) {
  return Exchange("GET", MediaTarget(name), headers);
}

std::string FaultTest::StartSession(const std::string& name) {
  const std::string location =
      Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=" + name).Header("location");
  return location.substr(std::min(location.find("/upload/"), location.size()));
}

RawResponse FaultTest::PutChunk(const std::string& session, std::uint64_t first, std::string_view bytes,
                                std::optional<std::uint64_t> total) {
  const std::string range = "bytes " + std::to_string(first) + "-" + std::to_string(first + bytes.size() - 1) + "/" +
                            (total ? std::to_string(*total) : "*");
  return Call("PUT", session, "Content-Range: " + range + "\r\n", bytes);
}

std::string FaultTest::Persisted(const std::string& session) {
  return Call("PUT", session, "Content-Range: bytes */*\r\n").Header("range");
}

std::optional<std::string> FaultTest::Stored(const std::string& name) {
  emulator().faults().Clear();
  const RawResponse response = Call("GET", MediaTarget(name));
  return response.status == 200 ? std::optional(response.body) : std::nullopt;
}

std::size_t FaultTest::Commits(const std::string& name) {
  const std::vector<RequestRecord> journal = emulator().journal();
  return static_cast<std::size_t>(std::count_if(journal.begin(), journal.end(), [&](const RequestRecord& record) {
    return record.object == name && record.committed_generation != 0;
  }));
}

}  // namespace gcsflux::emulator
