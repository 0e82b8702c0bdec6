#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pickles.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using pickled::Value;

Value IntValue(std::int64_t number) { return {.any = number}; }
Value TextValue(std::string text) { return {.any = std::move(text)}; }
Value BytesValue(std::string data) { return {.any = pickled::Bytes{std::move(data)}}; }

struct Pickled {
  const char* name;
  std::string body;
  Value want;
};

std::string Wide(std::string_view opcode, std::uint64_t length, std::string_view data) {
  return std::string(opcode) + Number(length, 8) + std::string(data);
}

std::vector<Pickled> PlainCases() {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace): for zero bytes
  return {
      {"None", "N", {}},
      {"True", "\x88", {.any = true}},
      {"False", "\x89", {.any = false}},
      {"BININT", "J\xFE\xFF\xFF\xFF", IntValue(-2)},
      {"BININT1", "K\xFF", IntValue(255)},
      {"BININT2", "M\xFF\xFE", IntValue(0xFEFF)},
      {"LONG1 of no byte", "\x8A\0"s, IntValue(0)},
      {"LONG1, negative", "\x8A\x01\xFF", IntValue(-1)},
      {"LONG1 of 8 bytes", "\x8A\x08\0\0\0\0\0\0\0\x80"s, IntValue(std::numeric_limits<std::int64_t>::min())},
      {"LONG1 of 9 bytes", "\x8A\x09\0\0\0\0\0\0\0\x80\0"s, {.any = pickled::LongInteger{"\0\0\0\0\0\0\0\x80\0"s}}},
      {"LONG4", "\x8B\x02\0\0\0\0\x01"s, IntValue(256)},
      {"BINFLOAT", "G\x3F\xF8\0\0\0\0\0\0"s, {.any = 1.5}},
      {"BINUNICODE", Text("\xC3\xA4"), TextValue("\xC3\xA4")},
      {"SHORT_BINUNICODE", "\x8C\x02hi", TextValue("hi")},
      {"BINUNICODE8", Wide("\x8D", 2, "hi"), TextValue("hi")},
      {"SHORT_BINBYTES", "C\x02\xFF\0"s, BytesValue("\xFF\0"s)},
      {"BINBYTES", "B\x02\0\0\0hi"s, BytesValue("hi")},
      {"BINBYTES8", Wide("\x8E", 2, "hi"), BytesValue("hi")},
      {"BYTEARRAY8", Wide("\x96", 2, "hi"), {.any = pickled::Bytes{"hi", true}}},
      {"EMPTY_TUPLE", ")", {.any = pickled::Tuple{}}},
      {"TUPLE3", "K\1K\2K\3\x87", {.any = pickled::Tuple{{IntValue(1), IntValue(2), IntValue(3)}}}},
      {"TUPLE", "(K\1t", {.any = pickled::Tuple{{IntValue(1)}}}},
      {"EMPTY_LIST", "]", {.any = pickled::List{}}},
      {"APPEND and APPENDS", "]K\1a(K\2K\3e", {.any = pickled::List{{IntValue(1), IntValue(2), IntValue(3)}}}},
      {"SETITEM and SETITEMS",
       "}K\1Ns(K\2Nu",
       {.any = pickled::Dict{.entries = {{IntValue(1), {}}, {IntValue(2), {}}}}}},
      {"EMPTY_SET and ADDITEMS", "\x8F(K\1\x90", {.any = pickled::Set{{IntValue(1)}}}},
      {"FROZENSET", "(K\1\x91", {.any = pickled::Set{{IntValue(1)}, true}}},
      {"POP",
       "NK\1"
       "0",
       {}},
      {"POP_MARK",
       "N(K\1K\1"
       "1",
       {}},
      {"FRAME", "\x95\1\0\0\0\0\0\0\0N"s, {}},
      {"BINPUT and BINGET", "K\1q\0h\0\x86"s, {.any = pickled::Tuple{{IntValue(1), IntValue(1)}}}},
      {"LONG_BINPUT and LONG_BINGET",
       "K\1r\1\0\0\0j\1\0\0\0\x86"s,
       {.any = pickled::Tuple{{IntValue(1), IntValue(1)}}}},
      {"MEMOIZE", "K\1\x94h\0\x86"s, {.any = pickled::Tuple{{IntValue(1), IntValue(1)}}}},
      {"an item added after it was remembered",
       "]q\0K\1ah\0\x86"s,
       {.any = pickled::Tuple{{{.any = pickled::List{{IntValue(1)}}}, {.any = pickled::List{{IntValue(1)}}}}}}},
  };
}

std::vector<Pickled> GlobalCases() {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace): for zero bytes
  const std::string encode = Global("_codecs", "encode");
  return {
      {"a dtype", Global("torch", "bfloat16"), {.any = DType::kBfloat16}},
      {"a dtype by STACK_GLOBAL", "\x8C\x05torch\x8C\x05int64\x93", {.any = DType::kInt64}},
      {"a device", Global("torch", "device") + Text("cuda") + "K\1\x86R", {.any = pickled::Device{"cuda", 1}}},
      {"a size", Global("torch", "Size") + "K\2K\3\x86\x85R", {.any = pickled::Size{{2, 3}}}},
      {"a set", Global("__builtin__", "set") + "](K\1e\x85R", {.any = pickled::Set{{IntValue(1)}}}},
      {"a frozenset", Global("builtins", "frozenset") + "](K\1e\x85R", {.any = pickled::Set{{IntValue(1)}, true}}},
      {"a complex",
       Global("builtins", "complex") + "G\x3F\xF8\0\0\0\0\0\0G\0\0\0\0\0\0\0\0\x86R"s,
       {.any = std::complex<double>(1.5, 0)}},
      {"bytes of protocol 2", encode + Text("\xC3\xBF\x01") + Text("latin1") + "\x86R", BytesValue("\xFF\x01")},
      {"empty bytes of protocol 2", Global("__builtin__", "bytes") + ")R", BytesValue("")},
      {"a bytearray", Global("builtins", "bytearray") + "C\1x\x85R", {.any = pickled::Bytes{"x", true}}},
      {"a Counter",
       Global("collections", "Counter") + "}K\1K\2s\x85R",
       {.any = pickled::Dict{.kind = pickled::DictKind::kCounter, .entries = {{IntValue(1), IntValue(2)}}}}},
      {"a defaultdict",
       Global("collections", "defaultdict") + Global("builtins", "list") + "\x85RK\1K\2s",
       {.any = pickled::Dict{.kind = pickled::DictKind::kDefaultDict, .entries = {{IntValue(1), IntValue(2)}}}}},
      {"an OrderedDict with _metadata",
       Global("collections", "OrderedDict") + ")RK\1K\2s}" + Text("_metadata") + "Nsb",
       {.any = pickled::Dict{.kind = pickled::DictKind::kOrderedDict,
                             .entries = {{IntValue(1), IntValue(2)}},
                             .attributes = {{TextValue("_metadata"), {}}}}}},
  };
}

TEST(Pickle, ReadsEveryOpcodeThatPyTorchWrites) {
  for (const auto& cases : {PlainCases(), GlobalCases()}) {
    for (const Pickled& one : cases) {
      const auto value = Unpickled(Pickle(one.body));
      ASSERT_TRUE(value.ok()) << one.name << ": " << value.error().message;
      EXPECT_TRUE(*value == one.want) << one.name;
    }
  }
}

TEST(Pickle, ReadsProtocols2To5) {
  for (int protocol = 0; protocol < 256; ++protocol) {
    const bool is_read = protocol >= 2 && protocol <= 5;
    EXPECT_EQ(Unpickled(Pickle("N", static_cast<char>(protocol))).ok(), is_read) << protocol;
  }
}

TEST(Pickle, RefusesEveryOtherOpcode) {
  int refused = 0;
  for (int opcode = 0; opcode < 256; ++opcode) {
    const auto value = Unpickled(Pickle(std::string(1, static_cast<char>(opcode))));
    if (value.ok() || value.error().message.find("is not one of those") == std::string::npos) continue;
    EXPECT_EQ(value.error().code, ErrorCode::kUndecodable);
    ++refused;
  }
  EXPECT_EQ(refused, 256 - 52);
}

TEST(Pickle, NamesFileRecordAndByteOfAnError) {
  const auto value = Unpickled(Pickle("NI1\n"));
  ASSERT_FALSE(value.ok());
  EXPECT_THAT(value.error().message, ::testing::StartsWith("test.pt: record 'x/data.pkl', byte 3: opcode INT"));
}

TEST(Pickle, ReadsOneValueByName) {
  const std::string archive = FileWith(Pickle("}(" + Text("a.b") + "]K\5a" + "K\7}(" + Text("c") + "K\x08uu"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(*file->reader().ReadValue("a.b.0") == IntValue(5));
  EXPECT_TRUE(*file->reader().ReadValue("7.c") == IntValue(8));
  EXPECT_EQ(testing::ErrorOf(file->reader().ReadValue("7.d")).code, ErrorCode::kNotFound);
  EXPECT_EQ(testing::ErrorOf(file->reader().ReadValue("a")).code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gcsflux::formats_tests
