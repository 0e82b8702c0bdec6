// Loads in which the ranks of a host read each byte once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>

#include "sharding/load_sharded.h"
#include "sharding/random_parts.h"
#include "sharding/ranks/host_memory.h"
#include "sharding/sharded_fixture.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::OnRanks;
using testing::OwnedParts;
using testing::PartBytes;
using testing::RandomParts;
using testing::RankParts;
using testing::ValueOf;

class SharedLoadTest : public testing::ShardedFixture {
 protected:
  static ShardedOptions OncePerHost() { return {.reads_once_per_host = true}; }

  void Save(const RankParts& ranks) {
    for (const auto& saved : SaveOnRanks(ranks)) ASSERT_TRUE(saved.ok()) << saved.error().message;
  }

  // Of shards, since the last call.
  std::uint64_t BytesRead() {
    std::uint64_t bytes = 0;
    for (const emulator::RequestRecord& request : emulator_.journal()) {
      const bool is_shard = request.object.find("-shard-") != std::string::npos;
      if (is_shard && request.target.find("alt=media") != std::string::npos) bytes += request.bytes_out;
    }
    const std::uint64_t since = bytes - bytes_before_;
    bytes_before_ = bytes;
    return since;
  }

  void ExpectLoadsOnHosts(const RankParts& ranks, const std::vector<std::string>& hosts) const {
    const CheckpointManifest manifest = Stored(1).manifest;
    const auto loaded =
        OnRanks<Result<std::vector<PartBytes>>>(static_cast<int>(ranks.size()), [&](internal::MessageGroup& group) {
          const auto rank = static_cast<std::size_t>(group.rank());
          OwnedParts own = OwnedParts::Empty(ranks[rank]);
          const auto read = internal::LoadOnAllRanks(*Store(), group, OncePerHost(), manifest, own.ToLoad(), {},
                                                     internal::ThisHost() + hosts[rank]);
          return read.ok() ? Result<std::vector<PartBytes>>(own.bytes) : read.error();
        });
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_EQ(ValueOf(loaded[rank]), OwnedParts::Filled(ranks[rank]).bytes) << "rank " << rank;
    }
  }

 private:
  std::uint64_t bytes_before_ = 0;
};

const RankParts kCopies(4, {{.name = "copied", .shape = {50'000}}});

TEST_F(SharedLoadTest, ReadsCopiesOncePerHost) {
  Save(kCopies);
  BytesRead();
  ExpectLoadsOnHosts(kCopies, {"a", "a", "a", "a"});
  EXPECT_EQ(BytesRead(), 200'000U);
  ExpectLoadsOnHosts(kCopies, {"a", "b", "a", "b"});
  EXPECT_EQ(BytesRead(), 400'000U);
  ExpectLoads(kCopies);
  EXPECT_EQ(BytesRead(), 800'000U) << "without the option, each rank reads all";
}

TEST_F(SharedLoadTest, ReadsOtherSlicesOncePerHost) {
  constexpr int kRanks = 4;
  RankParts rows(kRanks);
  RankParts columns(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    rows[static_cast<std::size_t>(rank)] = {
        *Sharded("w", DType::kFloat32, {256, 256}, {.rank = rank, .world_size = kRanks})};
    columns[static_cast<std::size_t>(rank)] = {
        *Sharded("w", DType::kFloat32, {256, 256}, {.rank = rank, .world_size = kRanks}, 1)};
  }
  Save(rows);
  BytesRead();
  ExpectLoadsOnHosts(columns, {"a", "a", "a", "a"});
  EXPECT_EQ(BytesRead(), 256U * 256 * 4);
}

TEST_F(SharedLoadTest, LoadsRandomSlices) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomParts random(seed);
    const auto tensors = random.Tensors(10);
    const auto saving = 1 + static_cast<int>(random.Below(5));
    const auto loading = 1 + static_cast<int>(random.Below(5));
    const auto step = static_cast<std::int64_t>(seed);
    for (const auto& saved : SaveOnRanks(random.Of(tensors, saving), step, {.take_over = true})) {
      ASSERT_TRUE(saved.ok()) << saved.error().message;
    }
    const RankParts wanted = random.Of(tensors, loading);
    const auto loaded = LoadOnRanks(wanted, OncePerHost());
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      EXPECT_EQ(ValueOf(loaded[rank]), OwnedParts::Filled(wanted[rank]).bytes) << "seed " << seed << ", rank " << rank;
    }
  }
}

TEST_F(SharedLoadTest, FindsAChangedByteOnAllRanks) {
  Save(kCopies);
  Fail({.operation = "storage.objects.get", .object_glob = "**-shard-**"},
       {.type = "corrupt", .matching_hashes = true});
  std::vector<std::string> messages;
  for (const auto& loaded : LoadOnRanks(kCopies, OncePerHost())) messages.push_back(ErrorOf(loaded).message);
  ExpectFired();
  for (const std::string& message : messages) {
    EXPECT_THAT(message, AllOf(HasSubstr("tensor 'copied'"), HasSubstr("do not have the CRC32C")));
    EXPECT_EQ(message, messages.front());
  }
}

TEST_F(SharedLoadTest, FailsOnAllRanksIfOneMayNotRead) {
  Save(kCopies);
  const CheckpointManifest manifest = Stored(1).manifest;
  Fail({.operation = "storage.objects.get", .object_glob = "**-shard-00002-**"}, {.type = "status", .status = 403});
  const auto messages = OnRanks<std::string>(4, [&](internal::MessageGroup& group) {
    OwnedParts own = OwnedParts::Empty(kCopies.front());
    return ErrorOf(On(group, OncePerHost()).Load(manifest, own.ToLoad())).message;
  });
  ExpectFired();
  for (const std::string& message : messages) {
    EXPECT_THAT(message, AllOf(HasSubstr(": rank "), HasSubstr("403")));
    EXPECT_EQ(message, messages.front());
  }
}

TEST_F(SharedLoadTest, RefusesRanksThatDisagreeOnSharing) {
  Save(kCopies);
  const CheckpointManifest manifest = Stored(1).manifest;
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    OwnedParts own = OwnedParts::Empty(kCopies.front());
    const ShardedOptions options = group.rank() == 1 ? OncePerHost() : ShardedOptions();
    return ErrorOf(On(group, options).Load(manifest, own.ToLoad())).message;
  });
  for (const std::string& message : messages)
    EXPECT_THAT(message, HasSubstr("rank 1 has another CheckpointRunOptions::reads_once_per_host"));
}

TEST_F(SharedLoadTest, LoadsWithoutSharingIfTheHostIsUnknown) {
  Save(kCopies);
  BytesRead();
  std::vector<std::string> hosts;
  hosts.reserve(4);
  for (int rank = 0; rank < 4; ++rank) hosts.push_back(internal::ThisHost("/nothing-is-here"));
  ExpectLoadsOnHosts(kCopies, hosts);
  EXPECT_EQ(BytesRead(), 800'000U);
}

internal::HostMemoryPlace AtDescriptor(internal::HostMemoryPlace place, int descriptor) {
  place.descriptor = descriptor;
  return place;
}

TEST(HostMemoryTest, FailsAboveTheLimitOfFileSizes) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 1 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  auto memory = *internal::HostMemory::Create();
  const Error error = ErrorOf(memory.Resize(2 << 20));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kLocalIo, HasSubstr("ulimit -f")));
}

TEST(HostMemoryTest, RefusesShorterAndMissingMemory) {
  auto memory = *internal::HostMemory::Create();
  ASSERT_TRUE(memory.Resize(10).ok());
  const auto place = memory.place();
  EXPECT_EQ(internal::HostMemory::Open(place, 10)->bytes().size(), 10U);
  EXPECT_THAT(ErrorOf(internal::HostMemory::Open(place, 11)).message, HasSubstr("has fewer than 11 bytes"));
  EXPECT_THAT(ErrorOf(internal::HostMemory::Open(AtDescriptor(place, 1'000'000), 1)).message, HasSubstr("/fd/1000000"));
}

// As if a rank of another container, or of a copy of this virtual machine, had announced it.
TEST(HostMemoryTest, RefusesAForeignFile) {
  auto memory = *internal::HostMemory::Create();
  auto other = *internal::HostMemory::Create();
  ASSERT_TRUE(memory.Resize(10).ok());
  ASSERT_TRUE(other.Resize(10).ok());
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  for (const int descriptor : {other.place().descriptor, pipe[0]}) {
    const auto opened = internal::HostMemory::Open(AtDescriptor(memory.place(), descriptor), 10);
    EXPECT_THAT(ErrorOf(opened).message, HasSubstr("is not the memory of another rank"));
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace gcsflux
