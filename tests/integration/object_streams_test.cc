// std::ostream and std::istream over an object.
#include "gcsflux/object_streams.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>

#include "gcsflux/emulator/emulator.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using testing::kObject;

class ObjectStreamsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt")); }
  std::string Stored() const {
    auto read = client_.ReadObject(kObject);
    return read ? *std::move(read) : "";
  }

  emulator::Emulator emulator_;
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(ObjectStreamsTest, WriteAndReadText) {
  ObjectOutputStream out(client_, kObject);
  for (int i = 0; i < 100'000; ++i) out << i << '\n';
  const auto written = out.tellp();
  ASSERT_TRUE(out.good());
  const auto stored = out.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->size, static_cast<std::uint64_t>(written));
  ObjectInputStream in(*ObjectReader::Open(client_, kObject));
  int number = -1;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(in >> number);
    ASSERT_EQ(number, i);
  }
  EXPECT_FALSE(in >> number);
  EXPECT_TRUE(in.eof());
  EXPECT_FALSE(in.bad());
  EXPECT_TRUE(in.reader().VerifyWhole().ok());
}

TEST_F(ObjectStreamsTest, Seek) {
  std::string content(300'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 251);
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(content)).ok());
  ObjectInputStream in(*ObjectReader::Open(client_, kObject));
  std::string room(1'000, '\0');
  for (const int offset : {0, 200'000, 200'500, 10, 299'000, 199'900, 150'000}) {
    ASSERT_TRUE(in.seekg(offset));
    ASSERT_TRUE(in.read(room.data(), 1'000));
    EXPECT_EQ(room, content.substr(static_cast<std::size_t>(offset), 1'000)) << offset;
    EXPECT_EQ(in.tellg(), offset + 1'000);
  }
  in.seekg(-5, std::ios_base::end);
  EXPECT_FALSE(in.read(room.data(), 10));
  EXPECT_EQ(in.gcount(), 5);
  in.clear();
  EXPECT_FALSE(in.seekg(300'001));
  in.clear();
  std::string all(300'000, '\0');
  in.seekg(0);
  ASSERT_TRUE(in.read(all.data(), 300'000));
  EXPECT_TRUE(all == content);
}

TEST_F(ObjectStreamsTest, DoNotCommitAfterAnException) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  const auto write = [&] {
    ObjectOutputStream out(client_, kObject, {.part_bytes = 5U << 20});
    out << std::string(11U << 20, 'x');
    throw std::runtime_error("of the caller");
  };
  EXPECT_THROW(write(), std::runtime_error);
  EXPECT_EQ(Stored(), "old");
}

// After a failure, a stream discards insertions.
TEST_F(ObjectStreamsTest, DoNotCommitAfterAFailure) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  for (const auto state : {std::ios_base::failbit, std::ios_base::badbit}) {
    ObjectOutputStream out(client_, kObject);
    out << "first";
    out.setstate(state);
    out << "left out";
    const Error error = testing::ErrorOf(out.Close());
    EXPECT_EQ(error.code, ErrorCode::kLocalIo);
    EXPECT_EQ(out.error()->message, error.message);
    EXPECT_TRUE(out.bad());
  }
  {
    ObjectOutputStream out(client_, kObject);
    out << "first";
    EXPECT_TRUE(out.seekp(0).fail());
    EXPECT_FALSE(out.Close().ok());
  }
  EXPECT_EQ(Stored(), "old");
  ObjectOutputStream out(client_, kObject);
  out << "first";
  out.seekp(0);
  out.clear();
  out << ", second";
  EXPECT_TRUE(out.Close().ok());
  EXPECT_EQ(Stored(), "first, second");
  out.seekp(0);
  const Error twice = testing::ErrorOf(out.Close());
  EXPECT_EQ(twice.code, ErrorCode::kInvalidArgument) << twice.message;
}

TEST_F(ObjectStreamsTest, FailInAChildOfFork) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  auto reader = ObjectReader::Open(client_, kObject);
  std::array<std::byte, 3> room = {};
  ASSERT_TRUE(reader->ReadAt(0, room).ok());
  ObjectWriter writer(client_, kObject, {.part_bytes = 5U << 20, .path = WritePath::kParallel});
  const std::string part(5U << 20, 'x');
  ASSERT_TRUE(writer.Write(AsBytes(part)).ok());
  ASSERT_TRUE(writer.Write(AsBytes("y")).ok());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto code_of = [](const auto& result) { return testing::ErrorOf(result).code; };
    const bool is_refused = code_of(reader->ReadAt(0, room)) == ErrorCode::kForked &&
                            code_of(reader->ReadNext(room)) == ErrorCode::kForked &&
                            code_of(writer.Write(AsBytes("z"))) == ErrorCode::kForked &&
                            code_of(writer.Close()) == ErrorCode::kForked;
    writer.Cancel();
    { const ObjectWriter gone(std::move(writer)); }
    ::_exit(is_refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_EQ(Stored(), part + "y");
}

TEST_F(ObjectStreamsTest, SetBadbitAndKeepTheError) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  ObjectInputStream in(*ObjectReader::Open(client_, kObject));
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("new")).ok());
  std::string word;
  EXPECT_FALSE(in >> word);
  EXPECT_TRUE(in.bad());
  EXPECT_EQ(in.error()->code, ErrorCode::kAborted);

  ObjectOutputStream out(client_, kObject, {.mode = WriteMode::kCreate});
  out << "x";
  EXPECT_EQ(testing::ErrorOf(out.Close()).code, ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(out.bad());
  EXPECT_EQ(out.error()->code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(Stored(), "new");
}

}  // namespace
}  // namespace gcsflux
