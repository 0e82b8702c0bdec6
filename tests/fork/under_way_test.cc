// Operations of the parent: they fail in a child at once with a message about fork, and continue in the parent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include "fork/fork_fixture.h"
#include "gcsflux/download_file.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::Failure;
using ::testing::HasSubstr;
using testing::InChild;
using ::testing::StartsWith;

class UnderWayTest : public testing::ForkTest {
 protected:
  void SetUp() override {
    Start(/*is_tls=*/false);
    Put(16, 100'000);
    client_.emplace(*Client::Create(Options()));
  }

  static auto SaysFork() { return AllOf(StartsWith("FORKED: "), HasSubstr("fork()")); }

  [[nodiscard]] std::string Stored(const std::string& name) const {
    const auto read = client_->ReadObject({kBucket, name});
    return read ? *read : Failure(read);
  }

  std::optional<Client> client_;
};

TEST_F(UnderWayTest, StreamFailsInAChild) {
  const Downloader downloader(*client_, {.max_concurrency = 4});
  std::optional<DownloadStream> stream = downloader.Stream(Sources());
  const auto first = stream->Next();
  ASSERT_TRUE(first.ok());
  EXPECT_THAT(InChild([&] {
                std::string failure = Failure(stream->Next());
                stream.reset();
                const std::string later = DownloadAll(downloader);
                return later.empty() ? failure : later;
              }),
              SaysFork());
  std::size_t objects = 1;
  while (true) {
    const auto next = stream->Next();
    ASSERT_TRUE(next.ok()) << next.error().message;
    if (!*next) break;
    ++objects;
  }
  EXPECT_EQ(objects, count_);
}

TEST_F(UnderWayTest, StreamIsReplaceableInAChild) {
  const Downloader downloader(*client_, {.max_concurrency = 4});
  DownloadStream stream = downloader.Stream(Sources());
  ASSERT_TRUE(stream.Next().ok());
  EXPECT_EQ(InChild([&] {
              stream = downloader.Stream(Sources());
              return Failure(stream.Next());
            }),
            "");
}

TEST_F(UnderWayTest, WriterWithASessionFailsInAChild) {
  const std::string chunk = Content(77, 256 << 10);
  std::optional<ObjectWriter> writer(std::in_place, *client_, ObjectName{kBucket, "w"},
                                     UploadOptions{.chunk_bytes = 256 << 10, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer->Write(AsBytes(chunk + "and more")).ok());
  EXPECT_THAT(InChild([&] { return Failure(writer->Write(AsBytes("x"))); }), SaysFork());
  EXPECT_THAT(InChild([&] { return Failure(writer->Close()); }), SaysFork());
  EXPECT_THAT(InChild([&] { return Failure(writer->Suspend()); }), SaysFork());
  EXPECT_EQ(InChild([&] {
              writer.reset();  // Nothing is cancelled.
              return std::string();
            }),
            "");
  ASSERT_TRUE(writer->Write(AsBytes(" of it")).ok());
  const auto stored = writer->Close();
  EXPECT_EQ(Failure(stored), "");
  EXPECT_TRUE(Stored("w") == chunk + "and more of it");
}

TEST_F(UnderWayTest, UnstartedWriterFailsInAChild) {
  ObjectWriter writer(*client_, {kBucket, "w"}, {.path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes("parent")).ok());
  EXPECT_THAT(InChild([&] { return Failure(writer.Close()); }), SaysFork());
  EXPECT_EQ(Failure(writer.Close()), "");
  EXPECT_EQ(Stored("w"), "parent");
}

TEST_F(UnderWayTest, SuspendedWriterResumesInAChild) {
  const std::string chunk = Content(78, 256 << 10);
  ObjectWriter writer(*client_, {kBucket, "w"}, {.chunk_bytes = 256 << 10, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes(chunk + "and more")).ok());
  const auto state = writer.Suspend();
  ASSERT_EQ(Failure(state), "");
  EXPECT_EQ(InChild([&] {
              auto resumed = ObjectWriter::Resume(*client_, *state);
              if (!resumed) return Failure(resumed);
              if (auto written = resumed->Write(AsBytes("from the child")); !written) return Failure(written);
              return Failure(resumed->Close());
            }),
            "");
  EXPECT_TRUE(Stored("w") == chunk + "from the child");
}

TEST_F(UnderWayTest, MultipartUploadFailsInAChild) {
  auto upload = MultipartUpload::Start(*client_, {kBucket, "m"});
  ASSERT_EQ(Failure(upload), "");
  std::optional<MultipartUpload> of_parent(*std::move(upload));
  ASSERT_EQ(Failure(of_parent->UploadPart(1, AsBytes("first and only"))), "");
  EXPECT_THAT(InChild([&] { return Failure(of_parent->UploadPart(2, AsBytes("x"))); }), SaysFork());
  EXPECT_THAT(InChild([&] { return Failure(of_parent->Complete()); }), SaysFork());
  EXPECT_THAT(InChild([&] { return Failure(of_parent->ListParts()); }), SaysFork());
  EXPECT_THAT(InChild([&] { return Failure(of_parent->Abort()); }), SaysFork());
  EXPECT_EQ(InChild([&] {
              of_parent.reset();  // Nothing is aborted.
              return std::string();
            }),
            "");
  EXPECT_EQ(Failure(of_parent->Complete()), "");
  EXPECT_EQ(Stored("m"), "first and only");
}

TEST_F(UnderWayTest, ListingSurvivesAForkInItsSink) {
  testing::ForkInCallback forking;
  std::size_t listed = 0;
  const ListingSink sink = [&](std::vector<ListedObject> objects) -> Result<void> {
    forking.Fork();
    listed += objects.size();
    return {};
  };
  const auto report = ListInParallel(*client_, {kBucket, ""}, DeliveryOrder::kInOrder, sink, {.max_concurrency = 4});
  if (forking.is_child()) forking.End(Failure(report));
  EXPECT_EQ(Failure(report), "");
  EXPECT_EQ(listed, count_);
  EXPECT_THAT(forking.Wait(), SaysFork());
}

TEST_F(UnderWayTest, UploadSurvivesAForkInItsCallback) {
  const std::string content = Content(98, 1 << 20);
  for (const std::size_t chunk_bytes : {256 << 10, 8 << 20}) {  // a session, and one request
    testing::ForkInCallback forking;
    const auto stored =
        UploadObject(*client_, {kBucket, "u" + std::to_string(chunk_bytes)}, AsBytes(content),
                     {.chunk_bytes = chunk_bytes, .on_progress = [&](const Progress&) { forking.Fork(); }});
    if (forking.is_child()) forking.End(Failure(stored));
    EXPECT_EQ(Failure(stored), "");
    EXPECT_THAT(forking.Wait(), SaysFork());
    EXPECT_TRUE(Stored("u" + std::to_string(chunk_bytes)) == content);
  }
}

TEST_F(UnderWayTest, FileDownloadSurvivesAForkInItsCallback) {
  const std::string path = directory_.path() / "file";
  testing::ForkInCallback forking;
  const auto file = DownloadFile(*client_, Name(3), path, {.on_progress = [&](const Progress&) { forking.Fork(); }});
  if (forking.is_child()) forking.End(Failure(file));
  EXPECT_THAT(forking.Wait(), SaysFork());
  EXPECT_EQ(Failure(file), "");
  std::ifstream content(path, std::ios::binary);
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(content), {}) == Content(3, bytes_));
}

// The child keeps a copy of the parent's descriptors: the parent can start again after it has stopped.
TEST_F(UnderWayTest, FileDownloadIsNotLockedByAChild) {
  const std::string path = directory_.path() / "file";
  const std::string large = Content(99, 16 << 20);  // More than arrives in one piece: it can be stopped in the middle.
  ASSERT_EQ(Failure(client_->InsertObject({kBucket, "large"}, AsBytes(large))), "");
  std::optional<testing::Child> child;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::stop_source stop;
  std::promise<void> in_callback;
  std::promise<void> forked;
  std::thread forking([&] {
    in_callback.get_future().wait();
    child.emplace([&] {
      close(ends[1]);
      char byte = 0;
      return read(ends[0], &byte, 1) == 0 ? std::string() : std::string("?");  // until the parent is done
    });
    forked.set_value();
  });
  bool is_first = true;
  const auto fork_and_stop = [&](const Progress&) {
    if (!std::exchange(is_first, false)) return;
    in_callback.set_value();
    forked.get_future().wait();
    stop.request_stop();
  };
  const auto first =
      DownloadFile(*client_, {kBucket, "large"}, path, {.on_progress = fork_and_stop, .stop = stop.get_token()});
  forking.join();
  EXPECT_THAT(Failure(first), StartsWith("CANCELLED"));
  EXPECT_EQ(Failure(DownloadFile(*client_, {kBucket, "large"}, path)), "");
  close(ends[1]);
  EXPECT_EQ(child->Wait(), "");
  close(ends[0]);
}

}  // namespace
}  // namespace gcsflux
