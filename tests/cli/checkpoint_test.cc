// `gcsflux checkpoint`, by the program against the emulator and on local files.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_fixture.h"
#include "formats/made_tensors.h"
#include "support/load_fault.h"

namespace gcsflux::cli {
namespace {

using nlohmann::json;
using namespace formats_tests;  // NOLINT(google-build-using-namespace): what makes the files.
using ::testing::AllOf;
using ::testing::HasSubstr;

class CheckpointCommandTest : public CommandTest {
 protected:
  static std::vector<json> Lines(const std::string& text) {
    std::vector<json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }
  // As an object and as a file: "gs://bkt/NAME" and "NAME".
  std::vector<std::string> PutBoth(const std::string& name, const std::string& bytes) {
    Store(name, bytes);
    WriteFile(name, bytes);
    return {"gs://bkt/" + name, name};
  }
  [[nodiscard]] std::uint64_t BytesOut() const {
    std::uint64_t bytes = 0;
    for (const auto& count : emulator_.counters().operations) bytes += count.bytes_out;
    return bytes;
  }
  static std::string Damaged(std::string file, const std::string& bytes) {
    const std::size_t at = file.find(bytes);
    EXPECT_NE(at, file.npos);
    file[at] = static_cast<char>(file[at] ^ 1);
    return file;
  }
};

TEST_F(CheckpointCommandTest, InspectsWithoutReadingTheTensors) {
  for (const std::string& place : PutBoth("c.pt", TorchFileOf(SomeTensors()))) {
    const Outcome outcome = Run({"checkpoint", "inspect", place});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(
        outcome.out,
        AllOf(HasSubstr(place + ": a file of torch.save, "), HasSubstr("  net.weight  float32 [6, 4]  96 bytes\n"),
              HasSubstr("  steps  int64 []  8 bytes\n"), HasSubstr("\n5 tensors, 32 elements, 123 bytes\n")));
  }
  std::vector<MadeTensor> large = SomeTensors();
  large.push_back({"large", DType::kUint8, {20'000'000}, Varied(20'000'000)});
  Store("large.pt", TorchFileOf(large));
  const std::uint64_t before = BytesOut();
  EXPECT_EQ(Run({"checkpoint", "inspect", "gs://bkt/large.pt"}).status, 0);
  EXPECT_LT(BytesOut() - before, 1U << 20);
}

TEST_F(CheckpointCommandTest, InspectsAsJson) {
  for (const std::string& place : PutBoth("c.safetensors", SafetensorsOf(SomeTensors()))) {
    const Outcome outcome = Run({"checkpoint", "inspect", "--json", place});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::vector<json> lines = Lines(outcome.out);
    ASSERT_EQ(lines.size(), 7U);
    EXPECT_EQ(lines[0]["checkpoint"], place);
    EXPECT_EQ(lines[0]["format"], "safetensors");
    const json weight = *std::find_if(lines.begin(), lines.end(),
                                      [](const json& line) { return line.value("tensor", "") == "net.weight"; });
    EXPECT_EQ(weight["dtype"], "float32");
    EXPECT_EQ(weight["shape"], json::parse("[6, 4]"));
    EXPECT_EQ(weight["bytes"], 96);
    EXPECT_EQ(weight["crc32c"].get<std::string>().size(), 8U);
    EXPECT_EQ(lines.back(), json::parse(R"({"tensors": 5, "elements": 32, "tensor_bytes": 123})"));
  }
}

TEST_F(CheckpointCommandTest, NamesTheChecksumThatItVerified) {
  struct Case {
    std::string name;
    std::string file;
    std::string cover;
  };
  for (const Case& one : {Case{"c.pt", TorchFileOf(SomeTensors()), "the CRC-32 of each record covers 123 bytes"},
                          Case{"c.st", SafetensorsOf(SomeTensors()), "the CRC32C of each tensor covers 123 bytes"},
                          Case{"bare.st", SafetensorsOf(SomeTensors(), false), "no checksum covers 0 bytes"}}) {
    for (const std::string& place : PutBoth(one.name, one.file)) {
      const Outcome outcome = Run({"checkpoint", "verify", place});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr(one.cover));
      EXPECT_EQ(outcome.out.find("the object's CRC32C the whole file") != std::string::npos, place.starts_with("gs://"))
          << outcome.out;
    }
  }
}

TEST_F(CheckpointCommandTest, NamesDamagedTensors) {
  const std::string whole = TorchFileOf(SomeTensors());
  for (const std::string& place : PutBoth("c.pt", Damaged(whole, SomeTensors()[0].bytes))) {
    const Outcome outcome = Run({"checkpoint", "verify", place});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("DAMAGED net.weight"), HasSubstr("1 DAMAGED")));
    EXPECT_THAT(outcome.err, HasSubstr("1 of 5 storages are damaged"));
    const std::vector<json> lines = Lines(Run({"checkpoint", "verify", "--json", place}).out);
    ASSERT_EQ(lines.size(), 7U);
    EXPECT_EQ(lines.back()["damaged"], 1);
  }
}

// The emulator corrupts bytes that no checksum of the file covers; the object's does.
TEST_F(CheckpointCommandTest, VerifiesByTheObjectsChecksumIfTheFileHasNone) {
  Store("bare.st", SafetensorsOf({{"w", DType::kUint8, {3'000'000}, Varied(3'000'000)}}, false));
  testing::LoadFault(emulator_, "corrupt", {.operation = "storage.objects.get"},
                     {.type = "corrupt", .at_byte = 2'000'000});
  const Outcome outcome = Run({"checkpoint", "verify", "gs://bkt/bare.st"});
  EXPECT_GT(emulator_.faults().Fired("corrupt"), 0U);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
}

TEST_F(CheckpointCommandTest, ConvertsBothWays) {
  for (const std::string& place : PutBoth("c.pt", TorchFileOf(SomeTensors()))) {
    for (const std::string prefix : {"gs://bkt/", ""}) {
      const Outcome there = Run({"checkpoint", "convert", place, prefix + "new.safetensors"});
      EXPECT_EQ(there.status, 0) << there.err;
      EXPECT_THAT(there.err, HasSubstr("wrote 5 tensors"));
      const Outcome back =
          Run({"checkpoint", "convert", "--format=torch", prefix + "new.safetensors", prefix + "back"});
      EXPECT_EQ(back.status, 0) << back.err;
      const Outcome diff = Run({"checkpoint", "diff", place, prefix + "back"});
      EXPECT_EQ(diff.status, 0) << diff.out;
      EXPECT_EQ(diff.out, "5 tensors are the same, 0 differ\n");
    }
  }
}

TEST_F(CheckpointCommandTest, DropsValuesOnlyIfTold) {
  WriteFile("c.pt", TorchFileOf(SomeTensors(), {{{.any = std::string("epoch")}, {.any = std::int64_t{3}}}}));
  const Outcome refused = Run({"checkpoint", "convert", "c.pt", "gs://bkt/c.safetensors"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("'epoch'"));
  EXPECT_TRUE(Objects().empty());
  EXPECT_EQ(Run({"checkpoint", "convert", "--tensors_only", "c.pt", "gs://bkt/c.safetensors"}).status, 0);
  const Outcome told =
      Run({"checkpoint", "convert", "--json", "--format=distributed", "gs://bkt/c.safetensors", "gs://bkt/d/"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_EQ(told.err, "");
  const auto line = Lines(told.out).at(0);
  EXPECT_EQ(line["done"].get<std::string>() + " " + line["checkpoint"].get<std::string>(), "converted gs://bkt/d/");
  EXPECT_EQ(line["files"].get<int>(), 2);
  EXPECT_GT(line["bytes"].get<int>(), 0);
}

TEST_F(CheckpointCommandTest, ReportsDifferences) {
  std::vector<MadeTensor> tensors = SomeTensors();
  Store("a", TorchFileOf(tensors));
  tensors[4].bytes[1] = '\1';
  tensors[2].name = "other";
  Store("b", SafetensorsOf(tensors));
  const Outcome outcome = Run({"checkpoint", "diff", "gs://bkt/a", "gs://bkt/b"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out,
            "  steps  only in the first\n  other  only in the second\n  mask  1 element differs, by at most 1\n"
            "3 tensors are the same, 3 differ\n");
  EXPECT_THAT(outcome.err, HasSubstr("the checkpoints differ"));
  const std::vector<json> lines = Lines(Run({"checkpoint", "diff", "--json", "gs://bkt/a", "gs://bkt/b"}).out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.back(), json::parse(R"({"same": 3, "different": 3})"));
}

TEST_F(CheckpointCommandTest, ExplainsWrongUsage) {
  WriteFile("c.pt", TorchFileOf(SomeTensors()));
  WriteFile("text", "hello");
  struct Case {
    std::vector<std::string> arguments;
    int status;
    std::string words;
  };
  for (const Case& one :
       {Case{{"checkpoint", "look", "c.pt"}, 2, "no command 'checkpoint look'"},
        Case{{"checkpoint", "inspect", "c.pt", "c.pt"}, 2, "usage: gcsflux checkpoint inspect"},
        Case{{"checkpoint", "convert", "c.pt"}, 2, "usage: gcsflux checkpoint convert"},
        Case{{"checkpoint", "convert", "c.pt", "x"}, 2, "--format"},
        Case{{"checkpoint", "convert", "--format=zip", "c.pt", "x"}, 2, "torch, safetensors or distributed"},
        Case{{"checkpoint", "inspect", "none"}, 1, "none"},
        Case{{"checkpoint", "inspect", "text"}, 1, "not a checkpoint"},
        Case{{"ls", "--tensors_only", "gs://bkt"}, 2, "not for the command 'ls'"}}) {
    const Outcome outcome = Run(one.arguments);
    EXPECT_EQ(outcome.status, one.status) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.words));
  }
  const Outcome help = Run({"checkpoint", "--help"});
  EXPECT_THAT(help.out,
              AllOf(HasSubstr("--tensors_only"), HasSubstr("--json"), HasSubstr("checkpoint diff FIRST SECOND")));
}

}  // namespace
}  // namespace gcsflux::cli
