#include "fork/fork_fixture.h"

#include <random>

#include "emulator/support/crypto_fixtures.h"
#include "http/curl_transport.h"

namespace gcsflux::testing {

void ForkTest::Start(bool is_tls, std::vector<std::string> flags) {
  if (is_tls) {
    const auto pem = emulator::MakeCertificate();
    ca_file_ = directory_.Write("ca.pem", pem.certificate);
    flags.push_back("--tls_cert=" + ca_file_);
    flags.push_back("--tls_key=" + directory_.Write("key.pem", pem.private_key));
  }
  emulator_ = std::make_unique<EmulatorProcess>(std::move(flags));
}

ClientOptions ForkTest::Options() const {
  return {.endpoint = emulator_->endpoint(),
          .credentials = Credentials::Anonymous(),
          .project = "test",
          .ca_file = ca_file_};
}

std::string ForkTest::Content(std::size_t index, std::size_t bytes) {
  std::mt19937_64 random(index + 1);
  std::string content(bytes, '\0');
  for (char& c : content) c = static_cast<char>(random() & 0xFF);
  return content;
}

void ForkTest::Put(std::size_t count, std::size_t bytes) {
  const Client client = *Client::Create(Options());
  ASSERT_TRUE(client.InsertBucket(kBucket).ok());
  count_ = count;
  bytes_ = bytes;
  for (std::size_t i = 0; i < count; ++i) {
    auto stored = client.InsertObject(Name(i), AsBytes(Content(i, bytes)));
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    stored_.push_back(*std::move(stored));
  }
}

std::vector<DownloadSource> ForkTest::Sources() const { return DownloadSources(stored_); }

std::string ForkTest::Read(const Client& client, std::size_t index) const {
  const auto read = client.ReadObject(Name(index));
  if (!read) return Failure(read);
  if (*read == Content(index, bytes_)) return "";
  return "wrong bytes of object " + std::to_string(index);
}

std::string ForkTest::DownloadAll(const Downloader& downloader) const {
  const auto sources = Sources();
  const auto batch = downloader.Download(sources);
  if (!batch) return Failure(batch);
  const auto is = [this](std::span<const std::byte> bytes, std::size_t index) {
    const std::string content = Content(index, bytes_);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == content;
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!is((*batch)[i].bytes, i)) return "wrong bytes of object " + std::to_string(i) + " in a batch";
  }
  DownloadStream stream = downloader.Stream(sources);
  std::size_t objects = 0;
  while (true) {
    const auto next = stream.Next();
    if (!next) return Failure(next);
    if (!*next) break;
    if (!is((*next)->bytes, (*next)->index)) return "wrong bytes in a stream";
    ++objects;
  }
  return objects == sources.size() ? "" : "a stream of " + std::to_string(objects);
}

std::string ForkTest::Ask(const std::string& what) const {
  const auto transport = internal::MakeCurlTransport({.user_agent = "test", .ca_file = ca_file_});
  const auto answer = transport->Perform({.url = emulator_->endpoint() + "/_emulator/" + what}, nullptr, {});
  return answer ? answer->body : answer.error().message;
}

std::size_t ForkTest::CountIn(const std::string& what, const std::string& part) const {
  const std::string text = Ask(what);
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

}  // namespace gcsflux::testing
