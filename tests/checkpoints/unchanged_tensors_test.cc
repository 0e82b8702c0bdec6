// Steps whose unchanged tensors are in files of earlier steps.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "checkpoints/committed_tensors.h"
#include "checkpoints/open_step.h"
#include "checkpoints/run_fixture.h"
#include "checkpoints/save_step.h"
#include "checkpoints/text_value.h"
#include "formats/checkpoint_reader.h"
#include "formats/convert_checkpoint.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using internal::LastCommitted;
using internal::StateContents;
using pickled::Dict;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RandomBytes;
using testing::RunFixture;
using testing::Text;
using testing::TextOf;
using testing::ValueOf;

// Tensors of bytes by name, and the step's number.
using State = std::map<std::string, std::string>;

class UnchangedTensorsTest : public RunFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    auto writer = Start();
    ASSERT_TRUE(writer.ok());
    writer_.emplace(*std::move(writer));
  }

  static StateContents ContentsOf(const State& state, std::int64_t step) {
    StateContents contents;
    Dict tensors;
    for (const auto& [name, bytes] : state) {
      tensors.entries.push_back({Text(name),
                                 {.any = TensorLayout{.dtype = DType::kUint8,
                                                      .storage = contents.storages.size(),
                                                      .shape = {static_cast<std::int64_t>(bytes.size())},
                                                      .strides = {1}}}});
      contents.storages.push_back(AsBytes(bytes));
    }
    contents.root = {.any = Dict{.entries = {{Text("t"), {.any = tensors}}, {Text("step"), {.any = step}}}}};
    return contents;
  }
  Result<SavedStep> SaveState(std::int64_t step, const State& state, std::optional<KeepRules> keep = {},
                              CommitMode mode = CommitMode::kCreate) {
    return internal::SaveStep(*writer_, ContentsOf(state, step),
                              {.manifest = {.step = step},
                               .mode = mode,
                               .format = CheckpointFormat::kSafetensors,
                               .keep = std::move(keep),
                               .last = &last_},
                              {});
  }
  [[nodiscard]] StoredCheckpoint Open(std::int64_t step) const {
    auto opened = Steps().OpenStep(step);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return *std::move(opened);
  }
  static State ReadState(const StoredCheckpoint& checkpoint) {
    State state;
    for (const StoredTensor& tensor : checkpoint.tensors()) {
      std::string& bytes = state[tensor.name.substr(2)];
      bytes.resize(TensorBytes(tensor.layout));
      const auto read = checkpoint.ReadTensor(tensor, std::as_writable_bytes(std::span(bytes)));
      EXPECT_TRUE(read.ok()) << read.error().message;
    }
    return state;
  }
  [[nodiscard]] std::uint64_t BytesSent(const std::function<void()>& save) const {
    const std::uint64_t before = emulator_.counters().bytes_in;
    save();
    return emulator_.counters().bytes_in - before;
  }
  [[nodiscard]] std::vector<std::string> FilesOf(std::int64_t step) const {
    std::vector<std::string> names;
    for (const StepFile& file : ValueOf(Steps().Read(step)).files) names.push_back(file.name);
    return names;
  }

  // Ten tensors; a step of the training changes the last one.
  static State SomeState() {
    State state;
    for (int i = 0; i < 10; ++i) {
      state["layer" + std::to_string(i)] = RandomBytes(400'000, static_cast<std::uint64_t>(i));
    }
    return state;
  }

  LastCommitted last_;
  std::optional<StepWriter> writer_;
};

TEST_F(UnchangedTensorsTest, AreNotSentAgain) {
  State state = SomeState();
  const std::uint64_t all = BytesSent([&] { ASSERT_TRUE(SaveState(1, state).ok()); });
  state["layer9"] = RandomBytes(400'000, 99);
  const std::uint64_t changed = BytesSent([&] { ASSERT_TRUE(SaveState(2, state).ok()); });
  EXPECT_GT(all, 4'000'000U);
  EXPECT_LE(static_cast<double>(changed), 0.11 * static_cast<double>(all));
  EXPECT_EQ(ReadState(Open(2)), state);
  EXPECT_EQ(*Open(2).reader().ReadValue("step")->As<std::int64_t>(), 2);
  EXPECT_EQ(*Open(1).reader().ReadValue("step")->As<std::int64_t>(), 1);
  EXPECT_EQ(FilesOf(2).size(), 2U);
}

TEST_F(UnchangedTensorsTest, AreReferencedInTheFileThatHoldsThem) {
  State state = SomeState();
  for (std::int64_t step = 1; step <= 4; ++step) {
    state["layer" + std::to_string(step)] = RandomBytes(400'000, 100 + static_cast<std::uint64_t>(step));
    ASSERT_TRUE(SaveState(step, state).ok());
    EXPECT_EQ(ReadState(Open(step)), state) << step;
  }
  EXPECT_THAT(FilesOf(4), Not(Contains(HasSubstr("step-00000005"))));
  EXPECT_EQ(FilesOf(4).size(), 4U) << "its own, and one for each of the steps before";
}

TEST_F(UnchangedTensorsTest, KeepTheirBytesWhileOthersChange) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  state["layer0"].back() = static_cast<char>(state["layer0"].back() ^ 1);  // One bit.
  state["layer1"].pop_back();                                              // Another shape.
  state.erase("layer2");
  state["new"] = "new";
  state["empty"] = "";
  ASSERT_TRUE(SaveState(2, state).ok());
  EXPECT_EQ(ReadState(Open(2)), state);
  state["layer2"] = SomeState()["layer2"];  // It appears again.
  ASSERT_TRUE(SaveState(3, state).ok());
  EXPECT_EQ(ReadState(Open(3)), state);
  ASSERT_TRUE(SaveState(4, state).ok()) << "nothing changes";
  EXPECT_EQ(ReadState(Open(4)), state);
  state["layer1"] = RandomBytes(3, 5);
  state["layer1"][0] = 'x';
  ASSERT_TRUE(SaveState(5, state).ok());
  EXPECT_EQ(ReadState(Open(5)), state);
}

// Equal bytes of the same size with another shape or type are another tensor.
TEST(CommittedTensors, AreFoundByNameTypeShapeAndBytes) {
  const std::string bytes = RandomBytes(24, 1);
  const std::string other = RandomBytes(24, 2);
  const auto tensor = [](const char* name, DType dtype, std::vector<std::int64_t> shape, const std::string& of) {
    return internal::PlainTensor{.name = name, .dtype = dtype, .shape = std::move(shape), .bytes = AsBytes(of)};
  };
  internal::CommittedTensors committed;
  const StepTensor stored{.name = "t", .range = {0, 24}, .dtype = DType::kFloat32, .shape = {2, 3}};
  committed.Learn({tensor("t", DType::kFloat32, {2, 3}, bytes)},
                  {.files = {{.name = "step-00000001/x", .size = 24}}, .tensors = {stored}});
  const std::vector<internal::PlainTensor> asked = {
      tensor("t", DType::kFloat32, {2, 3}, bytes), tensor("t", DType::kFloat32, {3, 2}, bytes),
      tensor("t", DType::kFloat32, {6}, bytes),    tensor("t", DType::kInt32, {2, 3}, bytes),
      tensor("u", DType::kFloat32, {2, 3}, bytes), tensor("t", DType::kFloat32, {2, 3}, other)};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(committed.FindEqual({asked[i]}).front() != nullptr, i == 0) << i;
  }
}

TEST(CommittedTensors, AreFoundWhereTheLastManifestNamesThem) {
  const std::string bytes = RandomBytes(24, 1);
  const std::vector<internal::PlainTensor> tensors = {
      {.name = "t", .dtype = DType::kFloat32, .shape = {6}, .bytes = AsBytes(bytes)}};
  const StepTensor stored{.name = "t", .range = {0, 24}, .dtype = DType::kFloat32, .shape = {6}};
  internal::CommittedTensors committed;
  for (const char* file : {"step-00000001/x", "step-00000002/x"}) {
    committed.Learn(tensors, {.files = {{.name = file, .size = 24}}, .tensors = {stored}});
    const auto* const place = committed.FindEqual(tensors).front();
    ASSERT_NE(place, nullptr);
    EXPECT_EQ(place->file.name, file);
  }
}

TEST_F(UnchangedTensorsTest, RemainWhileAKeptStepNamesThem) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  const std::string first = FilesOf(1).front();
  for (std::int64_t step = 2; step <= 5; ++step) {
    state["layer9"] = RandomBytes(400'000, 100 + static_cast<std::uint64_t>(step));
    const SavedStep saved = ValueOf(SaveState(step, state, KeepRules{.last = 1}));
    EXPECT_THAT(saved.kept.removed, ElementsAre(step - 1));
  }
  EXPECT_THAT(WholeSteps(), ElementsAre(5));
  EXPECT_THAT(Names(), Contains("runs/7/" + first));
  EXPECT_EQ(ReadState(Open(5)), state);
  const auto listed = ValueOf(Steps().List());
  ASSERT_EQ(listed.size(), 1U) << "the folder of step 1 is not an unfinished step";
  EXPECT_THAT(ValueOf(Steps().Latest()).skipped, IsEmpty());
  EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::seconds(0))).files, 0U);
  for (auto& [name, bytes] : state) bytes[0] = static_cast<char>(bytes[0] ^ 1);
  ASSERT_TRUE(SaveState(6, state, KeepRules{.last = 1}).ok());
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + first))) << "no step names it any more";
  EXPECT_EQ(Names().size(), 4U);
}

TEST_F(UnchangedTensorsTest, RemainDuringASave) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  ASSERT_TRUE(Save(*writer_, 2).ok());
  const StepFile file = ValueOf(Steps().Read(1)).files.front();
  auto pinned = writer_->Pin({file});
  ASSERT_NE(pinned, nullptr);
  ASSERT_TRUE(writer_->Remove(1).ok());
  ASSERT_TRUE(writer_->Keep({.last = 1}).ok());
  EXPECT_THAT(Names(), Contains("runs/7/" + file.name)) << "a manifest may name it soon";
  EXPECT_THAT(WholeSteps(), ElementsAre(2));
  pinned.reset();
  ASSERT_TRUE(writer_->Keep({.last = 1}).ok());
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + file.name)));
}

TEST_F(UnchangedTensorsTest, AreSentAgainIfTheirFileIsMissing) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  Delete("runs/7/" + FilesOf(1).front());
  ASSERT_TRUE(SaveState(2, state).ok());
  EXPECT_EQ(FilesOf(2).size(), 1U);
  EXPECT_EQ(ReadState(Open(2)), state);
  EXPECT_EQ(ValueOf(Steps().Latest()).number, 2);
}

TEST_F(UnchangedTensorsTest, AreSentAgainToLimitTheNumberOfFiles) {
  State state = SomeState();
  for (int i = 0; i < 30; ++i) state["layer" + std::to_string(i)] = RandomBytes(100, static_cast<std::uint64_t>(i));
  for (std::int64_t step = 1; step <= 30; ++step) {
    state["layer" + std::to_string(step - 1)] = RandomBytes(100, 1000 + static_cast<std::uint64_t>(step));
    ASSERT_TRUE(SaveState(step, state).ok());
    EXPECT_LE(FilesOf(step).size(), 17U);
    EXPECT_EQ(ReadState(Open(step)), state);
  }
}

TEST_F(UnchangedTensorsTest, AreComparedWithTheLastCommittedStep) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  const State committed = state;
  state["layer0"] = RandomBytes(400'000, 77);
  Fail({.operation = "storage.objects.insert", .object_prefix = "runs/7/step-00000002.json"},
       {.type = "status", .status = 403});
  EXPECT_FALSE(SaveState(2, state).ok());
  ExpectFired();
  ASSERT_TRUE(SaveState(3, state).ok());
  EXPECT_EQ(ReadState(Open(3)), state);
  ASSERT_TRUE(SaveState(4, committed).ok());
  EXPECT_EQ(ReadState(Open(4)), committed);
}

TEST_F(UnchangedTensorsTest, RemainIfTheirStepIsReplaced) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  state["layer9"] = RandomBytes(400'000, 5);
  ASSERT_TRUE(SaveState(1, state, {}, CommitMode::kReplace).ok());
  EXPECT_EQ(ReadState(Open(1)), state);
  EXPECT_EQ(FilesOf(1).size(), 2U);
}

TEST_F(UnchangedTensorsTest, AreSentByAConcurrentSave) {
  const State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  auto taken = last_.Take();
  ASSERT_TRUE(SaveState(2, state).ok());
  EXPECT_EQ(FilesOf(2).size(), 1U) << "another save compares with the last step";
  last_.GiveBack(std::move(taken));
  ASSERT_TRUE(SaveState(3, state).ok());
  EXPECT_EQ(FilesOf(3).size(), 2U);
}

TEST_F(UnchangedTensorsTest, AreVerifiedByTheManifestsChecksum) {
  const State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  ASSERT_TRUE(SaveState(2, state).ok());
  const StoredTensor tensor = ValueOf(Open(2).Find("t.layer5"));
  Fail({.operation = "storage.objects.get", .object_prefix = "runs/7/step-00000001/"},
       {.type = "corrupt", .at_byte = Stored(2).manifest.tensors.front().range.begin + 7});
  const StoredCheckpoint checkpoint = Open(2);
  bool is_corrupted = false;
  for (const StoredTensor& one : checkpoint.tensors()) {
    std::string bytes(TensorBytes(one.layout), '\0');
    const auto read = checkpoint.ReadTensor(one, std::as_writable_bytes(std::span(bytes)));
    if (!read.ok()) {
      EXPECT_EQ(read.error().code, ErrorCode::kCorrupted);
      is_corrupted = true;
    }
  }
  EXPECT_TRUE(is_corrupted);
  ExpectFired();
}

TEST_F(UnchangedTensorsTest, AreReadThroughTheManifestsUri) {
  State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  state["layer3"] = RandomBytes(400'000, 8);
  ASSERT_TRUE(SaveState(2, state).ok());
  const auto checkpoint = OpenCheckpoint(client_, "gs://bkt/runs/7/step-00000002.json");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(ReadState(*checkpoint), state);
  std::uint64_t verified_bytes = 0;
  for (const VerifiedStorage& one : ValueOf(VerifyCheckpoint(*checkpoint))) {
    if (one.is_verified) verified_bytes += one.bytes;
  }
  EXPECT_EQ(verified_bytes, 4'000'000U);
  EXPECT_TRUE(ValueOf(checkpoint->VerifyWhole()));
  std::string converted;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    converted += TextOf(bytes);
    return Result<void>();
  };
  ASSERT_TRUE(internal::WriteConverted(*checkpoint, CheckpointFormat::kTorchFile, sink).ok());
  const auto torch_file = StoredCheckpoint::Open(SourceOf("converted", AsBytes(converted)));
  ASSERT_TRUE(torch_file.ok());
  EXPECT_EQ(ReadState(*torch_file), state);
  EXPECT_EQ(*torch_file->reader().ReadValue("step")->As<std::int64_t>(), 2);
  EXPECT_EQ(ErrorOf(OpenCheckpoint(client_, "gs://bkt/runs/7/step-00000009.json")).code, ErrorCode::kNotFound);
}

TEST_F(UnchangedTensorsTest, AreMissingIfOnlyTheStepsFileIsOpened) {
  const State state = SomeState();
  ASSERT_TRUE(SaveState(1, state).ok());
  ASSERT_TRUE(SaveState(2, state).ok());
  const auto alone = OpenCheckpoint(client_, "gs://bkt/runs/7/" + FilesOf(2).front());
  ASSERT_TRUE(alone.ok());
  const Error error = ErrorOf(alone->reader().ReadValue());
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("'t.layer0', which it lacks; if it is the file of a run's step"));
}

TEST_F(UnchangedTensorsTest, AreRefusedInAStepOfNoRun) {
  ASSERT_TRUE(Save(*writer_, 1).ok());
  CheckpointManifest manifest = ValueOf(Draft(*writer_, 2, "bytes"));
  const StepFile other = ValueOf(writer_->WriteFile(2, "other", Bytes("more bytes")));
  manifest.files = {other};
  ASSERT_TRUE(writer_->Commit(manifest).ok());
  const Error error = ErrorOf(Steps().OpenStep(2));
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("step 2 of gs://bkt/runs/7/"));
}

}  // namespace
}  // namespace gcsflux
