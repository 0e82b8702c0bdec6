#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/pickles.h"
#include "formats/torch_file_writer.h"
#include "support/fails_with.h"
#include "support/repeated.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using pickled::Value;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Repeated;

struct Attack {
  const char* name;
  std::string body;
  const char* refused;  // The text that the refusal contains.
};

std::vector<Attack> Attacks() {
  const std::string command = Text("touch /tmp/attacked");
  return {
      {"GLOBAL and REDUCE", Global("os", "system") + command + "\x85R", "'os.system'"},
      {"eval", Global("builtins", "eval") + command + "\x85R", "'builtins.eval'"},
      {"STACK_GLOBAL", "\x8C\x05posix\x8C\x06system\x93" + command + "\x85R", "'posix.system'"},
      {"INST", "(" + command + "ios\nsystem\n", "'os.system'"},
      {"OBJ", "(" + Global("os", "system") + command + "o", "'os.system'"},
      {"NEWOBJ", Global("subprocess", "Popen") + command + "\x85\x81", "'subprocess.Popen'"},
      {"NEWOBJ_EX", Global("subprocess", "Popen") + command + "\x85}\x92", "'subprocess.Popen'"},
      {"EXT1", "\x82\x07)R", "extension registry code 7"},
      {"EXT2", "\x83\x07\x01)R", "extension registry code 263"},
      {"EXT4", std::string("\x84\x07\0\0\x01)R", 7), "extension registry code 16777223"},
      {"a name alone", Global("os", "system"), "'os.system'"},
      {"BUILD on such a call", Global("os", "system") + ")R}b", "'os.system'"},
      {"a name with a newline's look", Global("torch", "system"), "'torch.system'"},
      {"a call of what is no name", "K\1)R", "calls a value that is not a name"},
      {"a storage class as a function", Global("torch", "FloatStorage") + ")R", "make no sense"},
      {"keywords for what is read", Global("collections", "OrderedDict") + ")}\x92", "'collections.OrderedDict'"},
  };
}

// For each attack, the rest of the file can be read.
TEST(BadPickle, ExecutesNothingAndRefusesAttacks) {
  for (const Attack& attack : Attacks()) {
    const std::string archive =
        FileWith(Pickle("}(" + Text("evil") + attack.body + Text("weight") + TensorOf({}) + "u"));
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << attack.name << ": " << file.error().message;
    const auto value = file->reader().ReadValue("evil");
    ASSERT_FALSE(value.ok()) << attack.name;
    ExpectRefused(value.error(), attack.name);
    EXPECT_THAT(value.error().message, HasSubstr(attack.refused)) << attack.name;
    EXPECT_TRUE(file->Find("weight").ok()) << attack.name;
    const auto all = file->reader().ReadValue();
    ASSERT_TRUE(all.ok()) << attack.name;
    EXPECT_NE(all->As<pickled::Dict>()->entries[0].second.As<pickled::Refused>(), nullptr) << attack.name;
  }
}

TEST(BadPickle, SaysWhatToSaveInsteadOfAWholeModule) {
  const std::string module =
      Global("__main__", "Net") + ")\x81}(" + Text("training") + "\x88" + Text("_parameters") + "}ub";
  const std::string archive = FileWith(Pickle("}(" + Text("net") + module + Text("weight") + TensorOf({}) + "u"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->Find("weight").ok());
  ASSERT_EQ(file->refused().size(), 1U);
  EXPECT_THAT(file->refused()[0].why,
              HasSubstr("'__main__.Net' (a whole module; in Python, save its net.state_dict())"));
}

TEST(BadPickle, RefusesAnAttackInATensor) {
  const std::string call = Global("os", "system") + Text("true") + "\x85R";
  for (const HandmadeTensor& tensor :
       {HandmadeTensor{.storage = call}, HandmadeTensor{.offset = call}, HandmadeTensor{.shape = call},
        HandmadeTensor{.strides = call}, HandmadeTensor{.storage = "(" + Text("module") + call + "tQ"}}) {
    const std::string archive = FileWith(Pickle("}" + Text("w") + TensorOf(tensor) + "s"));
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_TRUE(file->tensors().empty());
    EXPECT_FALSE(file->Find("w").ok());
  }
}

struct Broken {
  const char* name;
  std::string pickle;
};

std::vector<Broken> BrokenPickles() {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace): for zero bytes
  const std::string lots(16, '\xFF');
  std::vector<Broken> cases = {{"nothing", ""},
                               {"no protocol", "N."},
                               {"no STOP", "\x80\x02N"},
                               {"bytes behind STOP", Pickle("N") + "N"},
                               {"two values", Pickle("NN")},
                               {"no value", Pickle("")},
                               {"an open mark", Pickle("N(")},
                               {"a second protocol", Pickle("\x80\x02N")},
                               {"4 GB of text announced in 5 bytes", "\x80\x02X\xFF\xFF\xFF\xFF"},
                               {"2^63 bytes of text", Pickle("\x8D" + Number(1ULL << 63, 8) + "x")},
                               {"2^64 - 1 bytes", Pickle("\x8E" + lots)},
                               {"a bytearray of 2^63", Pickle("\x96" + Number(1ULL << 63, 8))},
                               {"a negative LONG4", Pickle("\x8B\xFF\xFF\xFF\xFF")},
                               {"a frame past the end", Pickle("\x95" + Number(100, 8) + "N")},
                               {"a frame of 2^63", Pickle("\x95" + Number(1ULL << 63, 8) + "N")},
                               {"a name without an end",
                                "\x80\x02"
                                "cos\nsystem"},
                               {"APPEND to nothing", Pickle("Na")},
                               {"APPEND to a dict", Pickle("}Na")},
                               {"SETITEM of a list", Pickle("]NNs")},
                               {"SETITEMS of one key", Pickle("}(Nu")},
                               {"APPENDS without a mark", Pickle("]e")},
                               {"APPENDS without a list", Pickle("(Ne")},
                               {"a pop below a mark", Pickle("N(0t")},
                               {"a pop below a mark, then the mark", Pickle("]N(0"
                                                                            "1a")},
                               {"TUPLE3 of two", Pickle("NN\x87")},
                               {"TUPLE2 across a mark", Pickle("N(N\x86")},
                               {"REDUCE of one", Pickle("NR")},
                               {"BUILD of a list", Pickle("]}b")},
                               {"BUILD twice", Pickle(Global("collections", "OrderedDict") + ")R}b}b")},
                               {"BUILD of nothing", Pickle("}b")},
                               {"OBJ without a class", Pickle("(o")},
                               {"items of two kinds", Pickle(Global("collections", "OrderedDict") + ")RNaNNs")},
                               {"an unknown memo", Pickle("h\5")},
                               {"a memo of 2^32 - 1", Pickle("Nr\xFF\xFF\xFF\xFF")},
                               {"a memo above what was read", Pickle("Nr\x40\0\0\0"s)},
                               {"PUT of nothing", Pickle("q\0N"s)},
                               {"PUT of what is below a mark", Pickle("N(q\0t"s)}};
  return cases;
}

TEST(BadPickle, NamesThePlaceOfAnError) {
  for (const Broken& broken : BrokenPickles()) {
    const std::string archive = FileWith(broken.pickle);
    EXPECT_TRUE(
        testing::FailsWith(Opened(archive), ErrorCode::kUndecodable, HasSubstr("test.pt: record 'x/data.pkl', byte ")))
        << broken.name;
  }
}

TEST(BadPickle, DetectsATextThatIsOneByteTooLong) {
  const std::string archive = FileWith("\x80\x02X" + Number(3, 4) + "h.");
  EXPECT_THAT(testing::ErrorOf(Opened(archive)).message, HasSubstr("3 bytes are announced, and 2 are there"));
}

TEST(BadPickle, DetectsEveryTruncation) {
  const std::string whole = Pickle("}(" + Text("w") + TensorOf({}) + Text("l") + "](K\1K\2eu");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string archive = FileWith(whole.substr(0, size));
    EXPECT_FALSE(Opened(archive).ok()) << size;
  }
}

// The archive's checksum is corrected: the content is nonsense, and the reader must end.
TEST(BadPickle, SurvivesRandomBytes) {
  const std::string whole = Pickle("}(" + Text("w") + TensorOf({}) + Text("l") + "](K\1K\2eq\1" + Text("m") + "h\1u");
  int opened = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    std::string damaged = whole;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::string archive = FileWith(damaged);
    const auto file = Opened(archive);
    if (!file.ok()) continue;
    ++opened;
    const auto value = file->reader().ReadValue();
    if (!value.ok()) ExpectRefused(value.error(), "seed " + std::to_string(seed));
    for (const StoredTensor& tensor : file->tensors()) {
      ASSERT_TRUE(TouchedBytes(tensor.layout, 48)) << "seed " << seed;
    }
  }
  EXPECT_GT(opened, 1'000);
}

// ------------------------------------------------------------------------------------------------- depth and sharing

std::string NestedLists(std::size_t count) { return Repeated("]", count) + Repeated("a", count - 1); }

TEST(BadPickle, RefusesNestedListsByName) {
  const std::string archive = FileWith(Pickle(NestedLists(100'000)));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->refused().size(), 1U);
  EXPECT_THAT(file->refused().front().why, HasSubstr("256 levels"));
  EXPECT_TRUE(file->reader().ReadValue().ok());
}

// The index, the values and the writer agree on the deepest value: below the root there are 256 levels.
TEST(BadPickle, RoundTripsTheDeepestAllowedValue) {
  const std::string deepest = FileWith(Pickle(NestedLists(257)));
  const auto file = Opened(deepest);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_THAT(file->refused(), IsEmpty());
  const auto value = file->reader().ReadValue();
  ASSERT_TRUE(value.ok());
  std::string again;
  const auto written = WriteTorchFile({.root = *value}, {}, [&](std::span<const std::byte> bytes) {
    again.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  });
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto read = Opened(again);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->refused(), IsEmpty());

  const std::string deeper = FileWith(Pickle(NestedLists(258)));
  const auto refused = Opened(deeper);
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->refused().size(), 1U);
}

TEST(BadPickle, RefusesAMillionNestedLists) {
  const std::string archive = FileWith(Pickle(NestedLists(1'000'000)));
  EXPECT_THAT(testing::ErrorOf(Opened(archive)).message, HasSubstr("more values than one of its length should"));
}

TEST(BadPickle, SurvivesAMillionNestedCalls) {
  const std::size_t count = 1'000'000;
  const std::string global = Global("torch._utils", "_rebuild_parameter") + "q\1";
  const std::string archive =
      FileWith(Pickle(global + "0" + Repeated("h\1", count) + "N" + Repeated("\x88N\x87R", count)));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->tensors().empty());
}

TEST(BadPickle, RefusesACyclicListAndReadsTheRest) {
  const std::string cycle = "]q\1h\1a";
  const std::string archive = FileWith(Pickle("}(" + Text("cycle") + cycle + Text("w") + TensorOf({}) + "u"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->Find("w").ok());
  ASSERT_EQ(file->refused().size(), 1U);
  EXPECT_THAT(file->refused().front().why, HasSubstr("holds itself"));
  EXPECT_TRUE(file->reader().ReadValue("w").ok());
}

// Each list contains the previous one twice: 2^60 values in 300 bytes.
TEST(BadPickle, SurvivesExponentiallySharedValues) {
  std::string body = "]q" + std::string(1, '\0') + "0";
  for (int i = 1; i < 60; ++i) {
    const std::string before(1, static_cast<char>(i - 1));
    const std::string memo(1, static_cast<char>(i));
    body.append("](h").append(before).append("h").append(before).append("eq").append(memo);
    if (i < 59) body += '0';
  }
  const std::string archive = FileWith(Pickle("}(" + Text("w") + TensorOf({}) + Text("many") + body + "u"));
  const auto file = Opened(archive);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("shared values"));
}

TEST(BadPickle, LimitsTheWrappingsOfATensor) {
  std::string body = TensorOf({});
  for (int i = 0; i < 100; ++i) body = Global("torch._utils", "_rebuild_parameter").append(body).append("\x88N\x87R");
  const std::string archive = FileWith(Pickle("}" + Text("w") + body + "s"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_THAT(testing::ErrorOf(file->Find("w")).message, HasSubstr("wrapped too often"));
}

}  // namespace
}  // namespace gcsflux::formats_tests
