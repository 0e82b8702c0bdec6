// No secret is shown: a server repeats each request in every place of every answer and in every spelling, and all
// output of a client is searched.
#include <gtest/gtest.h>

#include "events/echo_server.h"
#include "events/heard.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using testing::EchoServer;
using testing::Heard;
using testing::PieceFinder;

// Each has as many reserved characters of URLs, JSON, HTML and forms as possible.
constexpr std::string_view kToken = R"(ya29.Zk3!Q"v#W$9%R&t'U(7)x*L+p,M-n.O/2:q;J<s=B>4?v@w[H\y]8^A_F`6{D|E}G~K)";
constexpr std::string_view kApiKey = R"(gw-Key 5!T"h#N$1%c&X'i(0)j*V+k,P-l.Y/3:m;I<o=S>7?r@u[C\z]9^b_a`2{d|e}f~g)";
constexpr std::string_view kUploadId = "ADPy-c_Vq9!$'()*,;:@/?xT8.~%26Rk%23Wm%2BZp%25Lh%22=";
constexpr std::string_view kSessionPath = "/s/ADPx:Jv3@Qw!Nn$Hh'Gg(Yy)Cc*Xx,Vv;Ee=Tt&Kk%2FOo%3FPp+Mm";
const std::string kGoogles = "/upload/storage/v1/b/bkt/o?uploadType=resumed&name=o&upload_id=" + std::string(kUploadId);
constexpr std::string_view kKeyBytes = "\x01k9/Jq\xFFW+z?7&Lm%3Xc\"Vb=Tn<Yh>Ps\\";  // 32 bytes

std::string KeyHash() { return std::string(EncryptionKey::FromBytes(AsBytes(kKeyBytes))->sha256()); }

class SecretsTest : public ::testing::TestWithParam<bool> {
 protected:
  static std::vector<std::string> Secrets() {
    std::vector<std::string> secrets;
    for (const std::string_view secret : {kToken, kApiKey, kUploadId, kSessionPath, kKeyBytes}) {
      secrets.emplace_back(secret);
      secrets.push_back(testing::PercentDecoded(secret));
    }
    secrets.push_back(testing::Base64(kKeyBytes));
    secrets.push_back(KeyHash());
    return secrets;
  }

  Client MakeClient() {
    return *Client::Create(
        {.endpoint = server_.endpoint(),
         .credentials = Credentials::AccessToken(std::string(kToken)),
         .project = "test",
         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 2, .budget = 1}),
         .pace_throttled = false,
         .extra_headers = {{"X-Api-Key", std::string(kApiKey)}},
         .event_listener = heard_.listener()});
  }

  void Read(const Client& client, const EncryptionKey& key) {
    heard_.MayFail(client.ReadObject({"bkt", "o"}, ReadObjectOptions{.encryption_key = key}));
    heard_.MayFail(client.ReadObject({"bkt", "o"}, ReadObjectOptions{.range = ByteRange{2, 5}, .generation = 7}));
    heard_.MayFail(client.GetBucket("bkt"));
    heard_.MayFail(client.GetObject({"bkt", "o"}, {.encryption_key = key}));
    heard_.MayFail(client.ListBuckets());
    heard_.MayFail(client.ListObjects({"bkt"}));
    heard_.MayFail(ListInParallel(client, {"bkt", ""}));
    heard_.MayFail(client.TestBucketPermissions("bkt", {"storage.objects.get"}));
  }

  void Write(const Client& client, const EncryptionKey& key) {
    heard_.MayFail(client.InsertBucket("bkt"));
    heard_.MayFail(client.DeleteBucket("bkt"));
    heard_.MayFail(client.InsertObject({"bkt", "o"}, AsBytes("bytes"), {.encryption_key = key}));
    heard_.MayFail(client.PatchObject({"bkt", "o"}, {.content_type = "text/plain"}));
    heard_.MayFail(client.ComposeObjects({{"a"}, {"b"}}, {"bkt", "o"}, {.encryption_key = key}));
    heard_.MayFail(client.CopyObject({"bkt", "o"}, {"bkt", "p"}));
    heard_.MayFail(client.RewriteObject({"bkt", "o"}, {"bkt", "p"}, {.source_encryption_key = key}));
    heard_.MayFail(client.DeleteObject({"bkt", "o"}));
  }

  void Upload(const Client& client, const EncryptionKey& key) {
    heard_.MayFail(UploadObject(client, {"bkt", "o"}, AsBytes("bytes"), {.encryption_key = key}));
    heard_.MayFail(MultipartUpload::Start(client, {"bkt", "o"}, {.encryption_key = key}));
    ObjectWriter writer(client, {"bkt", "o"}, {.chunk_bytes = 256U << 10, .path = WritePath::kOneStream});
    static_cast<void>(writer.Write(AsBytes(std::string(300U << 10, 'x'))));
    heard_.MayFail(writer.Close());
  }

  // Every operation, against answers of one kind.
  void CallAll(const Client& client, int status, EchoServer::Place place, const testing::Spelling& spelling) {
    const EncryptionKey key = *EncryptionKey::FromBytes(AsBytes(kKeyBytes));
    server_.status = status;
    server_.place = place;
    server_.spelling = spelling.write;
    Read(client, key);
    Write(client, key);
    Upload(client, key);
    const std::string text = heard_.Take();
    for (auto at = text.find("[secret]"); at != std::string::npos; at = text.find("[secret]", at + 1)) ++hidden_;
    EXPECT_EQ(finder_.Find(text), "") << status << ", " << spelling.name << ", place " << static_cast<int>(place);
  }

  const PieceFinder finder_{Secrets()};
  std::size_t hidden_ = 0;
  Heard heard_;
  EchoServer server_{GetParam() ? std::string(kSessionPath) : kGoogles};
};

TEST_P(SecretsTest, NeverAppearInMessagesLogsOrTraces) {
  {
    const Client client = MakeClient();
    // Each status with each place; each spelling if the whole body is shown.
    std::size_t next = 0;
    for (const int status : {200, 206, 302, 308, 400, 401, 403, 404, 409, 412, 416, 429, 503}) {
      for (const EchoServer::Place place : EchoServer::kPlaces) {
        CallAll(client, status, place, testing::kSpellings.at(next++ % testing::kSpellings.size()));
      }
    }
    for (const testing::Spelling& spelling : testing::kSpellings) {
      CallAll(client, 400, EchoServer::Place::kBody, spelling);
      CallAll(client, 200, EchoServer::Place::kBody, spelling);
      CallAll(client, 400, EchoServer::Place::kJson, spelling);
    }
  }
  EXPECT_GE(hidden_, 2'000U) << "too little was repeated to show anything";
  EXPECT_GE(server_.served(), (13 * 4 + 14 * 3) * 19);
  const std::string trace = heard_.Trace();
  EXPECT_GE(trace.size(), 500'000U);
  EXPECT_EQ(finder_.Find(trace), "");
}

INSTANTIATE_TEST_SUITE_P(Session, SecretsTest, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "OfPath" : "OfId"; });

}  // namespace
}  // namespace gcsflux
