// `gcsflux shards pack|unpack|index|ls`, by the program against the emulator.
#include <gmock/gmock.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_fixture.h"
#include "support/load_fault.h"

namespace gcsflux::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ShardsCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    for (int i = 0; i < kSamples; ++i) {
      const std::string key = "from/d" + std::to_string(i % 3) + "/" + std::to_string(100 + i);
      Put(key + ".jpg", std::string(static_cast<std::size_t>(2000 + i), static_cast<char>('a' + i % 26)));
      Put(key + ".cls", std::to_string(i));
    }
  }
  void Put(const std::string& name, const std::string& bytes) {
    Store(name, bytes);
    sources_[name] = bytes;
  }
  // All objects under a prefix, without it.
  [[nodiscard]] std::map<std::string, std::string> Under(const std::string& prefix) {
    std::map<std::string, std::string> objects;
    for (const std::string& name : Objects()) {
      if (name.starts_with(prefix)) objects[name.substr(prefix.size())] = Stored(name);
    }
    return objects;
  }
  // Indexes hold generations.
  [[nodiscard]] std::map<std::string, std::string> ShardsUnder(const std::string& prefix) {
    auto objects = Under(prefix);
    std::erase_if(objects, [](const auto& object) { return !object.first.ends_with(".tar"); });
    return objects;
  }

  static constexpr int kSamples = 20;
  std::map<std::string, std::string> sources_ = {};
};

TEST_F(ShardsCommandTest, PacksAndUnpacksAllObjects) {
  const Outcome packed =
      Run({"shards", "pack", "--max_samples=6", "--shuffle_seed=3", "gs://bkt/from/", "gs://bkt/to/%03d.tar"});
  ASSERT_EQ(packed.status, 0) << packed.err;
  EXPECT_THAT(packed.err, HasSubstr("packed 4 shards: 20 samples, 40 members"));
  EXPECT_EQ(Under("to/").size(), 8U);
  const Outcome again =
      Run({"shards", "pack", "--max_samples=6", "--shuffle_seed=3", "gs://bkt/from/", "gs://bkt/to/%03d.tar"});
  EXPECT_THAT(again.err, HasSubstr("packed 0 shards, 4 shards kept: 20 samples"));
  const Outcome indexed = Run({"shards", "index", "gs://bkt/to/{000..003}.tar"});
  EXPECT_THAT(indexed.err, HasSubstr("indexed 0 shards, 4 shards kept"));
  const Outcome unpacked = Run({"shards", "unpack", "gs://bkt/to/", "gs://bkt/back"});
  ASSERT_EQ(unpacked.status, 0) << unpacked.err;
  EXPECT_EQ(Under("back/"), Under("from/"));
}

TEST_F(ShardsCommandTest, ADryRunStoresNothing) {
  const std::vector<std::string> pack = {"shards", "pack", "--max_samples=6", "gs://bkt/from/", "gs://bkt/to/%d.tar"};
  const auto with = [](std::vector<std::string> line, const std::string& flag) { return line.push_back(flag), line; };
  EXPECT_THAT(Run(with(pack, "-n")).err, HasSubstr("would pack 4 shards: 20 samples, 40 members"));
  EXPECT_EQ(Under("to/").size(), 0U);
  EXPECT_THAT(Run(with(pack, "--json")).out,
              HasSubstr("{\"done\":\"packed\",\"uri\":\"gs://bkt/to/%d.tar\",\"shards\":4,\"kept\":0,\"samples\":20"));
  ASSERT_TRUE(client_.DeleteObject({"bkt", "to/0.tar.index"}).ok());
  EXPECT_THAT(Run({"shards", "index", "-n", "gs://bkt/to/"}).err, HasSubstr("would index 1 shard, 3 shards kept"));
  EXPECT_THAT(Run({"shards", "unpack", "-n", "gs://bkt/to/", "gs://bkt/back"}).err, HasSubstr("would unpack 4 shards"));
  EXPECT_EQ(Under("to/").size(), 7U);
  EXPECT_EQ(Under("back/").size(), 0U);
}

TEST_F(ShardsCommandTest, ListsMembersWithAndWithoutAnIndex) {
  ASSERT_EQ(Run({"shards", "pack", "gs://bkt/from/", "gs://bkt/to/%d.tar"}).status, 0);
  const Outcome listed = Run({"shards", "ls", "--json", "gs://bkt/to/0.tar"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  ASSERT_TRUE(client_.DeleteObject({"bkt", "to/0.tar.index"}).ok());
  EXPECT_EQ(Run({"shards", "ls", "--json", "gs://bkt/to/0.tar"}).out, listed.out);
  std::istringstream lines(listed.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["name"], "gs://bkt/to/0.tar/d0/100.cls");
  EXPECT_EQ(first["size"], 1);
  EXPECT_EQ(Run({"shards", "index", "gs://bkt/to/"}).status, 0);
  EXPECT_EQ(Under("to/").size(), 2U);
}

TEST_F(ShardsCommandTest, PacksTheSameShardsAfterItWasKilledAnywhere) {
  const std::vector<std::string> pack = {"shards", "pack", "--max_samples=5", "gs://bkt/from/", "gs://bkt/to/%03d.tar"};
  ASSERT_EQ(Run({"shards", "pack", "--max_samples=5", "gs://bkt/from/", "gs://bkt/whole/%03d.tar"}).status, 0);
  const auto whole = ShardsUnder("whole/");
  ASSERT_EQ(whole.size(), 4U);
  int killed = 0;
  for (std::uint64_t point = 0; point < 20; ++point) {
    const std::uint64_t nth = 1 + point * 5 / 2;  // Of about 50 requests.
    for (const auto& [name, bytes] : Under("to/")) ASSERT_TRUE(client_.DeleteObject({"bkt", "to/" + name}).ok());
    emulator_.faults().Clear();
    testing::LoadFault(emulator_, "fault", {.nth = nth}, {.type = "stall", .duration = std::chrono::hours(1)}, 1);
    auto program = Start(pack);
    while (emulator_.faults().Fired("fault") == 0 && !program.has_ended()) std::this_thread::yield();
    if (emulator_.faults().Fired("fault") > 0) ++killed;
    program.Signal(SIGKILL);
    program.Wait();
    emulator_.faults().Clear();
    const Outcome again = Run(pack);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(ShardsUnder("to/"), whole) << "killed at request " << nth;
    EXPECT_THAT(Run(pack).err, HasSubstr("4 shards kept")) << nth;
  }
  EXPECT_EQ(killed, 20);
}

TEST_F(ShardsCommandTest, RefusesWhatCannotBePacked) {
  const auto error_of = [&](const std::string& from, const std::string& to) {
    const Outcome outcome = Run({"shards", "pack", "--max_samples=6", from, to});
    EXPECT_NE(outcome.status, 0);
    return outcome.err;
  };
  EXPECT_THAT(error_of("gs://bkt/from/", "gs://bkt/to/x.tar"), HasSubstr("no pattern for the number"));
  EXPECT_THAT(error_of("gs://bkt/from/", "gs://bkt/from/%d.tar"), HasSubstr("would be packed too"));
  EXPECT_THAT(error_of("gs://bkt/none/", "gs://bkt/to/%d.tar"), HasSubstr("no objects to pack"));
  Store("to/009.tar", "another packing's");
  EXPECT_THAT(error_of("gs://bkt/from/", "gs://bkt/to/%03d.tar"),
              HasSubstr("to/009.tar: a shard of this name is there"));
  Store("from/README", "no extension");
  EXPECT_THAT(error_of("gs://bkt/from/", "gs://bkt/new/%03d.tar"),
              HasSubstr("'from/README': its name has no extension"));
  EXPECT_TRUE(Under("new/").empty());
  EXPECT_THAT(Run({"shards", "ls", "gs://bkt/to/{000000000..999999999}.tar"}).err,
              HasSubstr("more than 1000000 shards"));
  EXPECT_THAT(Run({"shards", "ls", "gs://bkt/to/{0..1}.tar"}).err, HasSubstr("there is no shard gs://bkt/to/0.tar"));
}

TEST_F(ShardsCommandTest, TellsWhenTheBucketIsFull) {
  Load({.operation = "storage.objects.insert"}, {.type = "status", .status = 403});
  const Outcome outcome = Run({"shards", "pack", "gs://bkt/from/", "gs://bkt/to/%d.tar"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("gs://bkt/to/0.tar"), HasSubstr("403")));
  EXPECT_TRUE(Under("to/").empty());
  EXPECT_EQ(Run({"shards", "pack", "gs://bkt/from/", "gs://bkt/to/%d.tar"}).status, 0);
}

}  // namespace
}  // namespace gcsflux::cli
