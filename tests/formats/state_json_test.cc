#include "formats/state_json.h"

#include <gmock/gmock.h>

#include <cmath>

#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors.h"
#include "support/fails_with.h"

namespace gcsflux::formats_tests {
namespace {

using internal::FindByName;
using internal::FormatState;
using internal::NamedLayout;
using internal::NamedLayouts;
using internal::ParseState;
using pickled::Dict;
using pickled::Value;
using ::testing::HasSubstr;

Value TextValue(std::string text) { return {.any = std::move(text)}; }
Value NumberValue(std::int64_t number) { return {.any = number}; }

// The values of a training run other than tensors.
Value SomeState() {
  const Dict state{.entries = {{NumberValue(0),
                                {.any = Dict{.entries = {{TextValue("step"), {.any = 3.0}},
                                                         {TextValue("avg"), {.any = TensorLayout{}}}}}}}}};
  const Dict group{.entries = {{TextValue("lr"), {.any = 0.1}},
                               {TextValue("betas"), {.any = pickled::Tuple{{{.any = 0.9}, {.any = 0.999}}}}},
                               {TextValue("amsgrad"), {.any = false}},
                               {TextValue("params"), {.any = pickled::List{{NumberValue(0)}}}}}};
  return {.any = Dict{
              .entries = {
                  {TextValue("model"),
                   {.any = Dict{.entries = {{TextValue("a.weight"),
                                             {.any = TensorLayout{.shape = {2, 3}, .strides = {3, 1}}}}}}}},
                  {TextValue("optimizer"),
                   {.any = Dict{.entries = {{TextValue("state"), {.any = state}},
                                            {TextValue("param_groups"), {.any = pickled::List{{{.any = group}}}}}}}}},
                  {TextValue("none"), {}},
                  {TextValue("least"), NumberValue(INT64_MIN)},
                  {TextValue("most"), NumberValue(INT64_MAX)},
                  {TextValue("text"), TextValue("gr\xC3\xB6\xC3\x9F"
                                                "e \"\\\n")},
                  {TextValue("bytes"), {.any = pickled::Bytes{.data = std::string("\x00\xff", 2)}}},
                  {TextValue("high"), {.any = HUGE_VAL}},
                  {TextValue("$odd"), {.any = Dict{.entries = {{TextValue("$tensor"), NumberValue(1)}}}}},
                  {TextValue("small"), {.any = 1e-300}}}}};
}

Result<Value> Parse(std::string_view json) {
  return ParseState(json, "file", [](const std::string& name) -> Result<TensorLayout> {
    if (name == "model.a.weight") return TensorLayout{.shape = {2, 3}, .strides = {3, 1}};
    if (name == "optimizer.state.0.avg") return TensorLayout{};
    return Error{ErrorCode::kNotFound, "no tensor '" + name + "'"};
  });
}

TEST(StateJson, RoundTrips) {
  const auto json = FormatState(SomeState());
  ASSERT_TRUE(json.ok()) << json.error().message;
  const auto read = Parse(*json);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == SomeState()) << *json;
}

TEST(StateJson, HasPlainJsonForm) {
  const Value value{
      .any = Dict{.entries = {{TextValue("numbers"), {.any = Dict{.entries = {{TextValue("step"), NumberValue(5)}}}}},
                              {TextValue("lr"), {.any = 1.0}},
                              {TextValue("weight"), {.any = TensorLayout{}}}}}};
  EXPECT_EQ(*FormatState(value), R"({"numbers":{"step":5},"lr":1.0,"weight":{"$tensor":"weight"}})");
}

TEST(StateJson, RoundTripsNonFiniteNumbers) {
  for (const double number : {HUGE_VAL, -HUGE_VAL}) {
    EXPECT_TRUE(*Parse(*FormatState({.any = number})) == Value{.any = number});
  }
  EXPECT_TRUE(std::isnan(*Parse(*FormatState({.any = std::nan("")}))->As<double>()));
}

TEST(StateJson, NamesTensorsByTheirKeys) {
  const Value state = SomeState();
  const auto named = NamedLayouts(state);
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].name, "model.a.weight");
  EXPECT_EQ(named[1].name, "optimizer.state.0.avg");
}

// A key that is not text is a name too.
TEST(StateJson, DistinguishesAnEmptyKeyFromTheRoot) {
  const auto tensor = [](std::uint64_t storage) { return Value{.any = TensorLayout{.storage = storage}}; };
  const Value inner{.any = Dict{.entries = {{TextValue("a"), tensor(1)}, {TextValue(""), tensor(2)}}}};
  const Value state{.any = Dict{.entries = {{TextValue("a"), tensor(0)}, {TextValue(""), inner}}}};
  const auto named = NamedLayouts(state);
  ASSERT_EQ(named.size(), 3U);
  EXPECT_EQ(named[0].name, "a");
  EXPECT_EQ(named[1].name, ".a");
  EXPECT_EQ(named[2].name, ".");
  for (const NamedLayout& one : named) {
    const Value* const found = FindByName(state, one.name);
    ASSERT_NE(found, nullptr) << one.name;
    EXPECT_EQ(found->As<TensorLayout>(), one.layout) << one.name;
  }
}

TEST(StateJson, FindsValuesByName) {
  const Value state = SomeState();
  EXPECT_EQ(FindByName(state, ""), &state);
  EXPECT_NE(FindByName(state, "model.a.weight"), nullptr);
  EXPECT_EQ(*FindByName(state, "optimizer.state.0.step")->As<double>(), 3.0);
  EXPECT_EQ(FindByName(state, "model.a"), nullptr);
  EXPECT_EQ(FindByName(state, "modelx"), nullptr);
}

TEST(StateJson, RefusesUnsupportedValues) {
  const Value value{.any = Dict{.entries = {{TextValue("shape"), {.any = pickled::Size{{1}}}}}}};
  EXPECT_EQ(FormatState(value).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(FormatState(value).error().message, HasSubstr("'shape'"));
  const Value dictionary_of_size{.any = Dict{.entries = {{{.any = pickled::Size{{1}}}, NumberValue(1)}}}};
  EXPECT_FALSE(FormatState(dictionary_of_size).ok());
}

TEST(StateJson, RefusesForeignJson) {
  for (const std::string& json :
       {std::string("{"), std::string(""), std::string(R"({"$what":"x"})"), std::string(R"({"$tensor":1})"),
        std::string(R"({"$bytes":"0"})"), std::string(R"({"$bytes":"zz"})"), std::string(R"({"$float":"1"})"),
        std::string(R"({"$tuple":{}})"), std::string(R"({"$dict":[[1]]})"), std::string(R"({"$dict":{}})"),
        std::string("18446744073709551615"), std::string(1000, '[') + std::string(1000, ']'),
        std::string(20'000'000, ' '), std::string("{}\0", 3), std::string("{}\0[", 4)}) {
    EXPECT_TRUE(testing::FailsWith(Parse(json), ErrorCode::kUndecodable, HasSubstr("file: "))) << json.substr(0, 50);
  }
  EXPECT_THAT(Parse(R"([{"$tensor":"x"}])").error().message, HasSubstr("no tensor 'x'"));
}

TEST(StateJson, IsReadFromAFile) {
  SafetensorsContents contents{.tensors = {{.name = "model.w", .shape = {2}}},
                               .metadata = {{"gcsflux.state", R"({"model":{"w":{"$tensor":"model.w"}},"epoch":3})"}}};
  std::string file;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  };
  const std::string bytes(8, 'x');
  const TensorWriter write = [&](std::size_t, const ByteSink& into) { return into(std::as_bytes(std::span(bytes))); };
  ASSERT_TRUE(WriteSafetensors(contents, write, sink).ok());
  const auto checkpoint = StoredCheckpoint::Open(SourceOf("it", std::as_bytes(std::span(file))));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_TRUE(checkpoint->reader().HasValues());
  EXPECT_EQ(*checkpoint->reader().ReadValue("epoch")->As<std::int64_t>(), 3);
  EXPECT_EQ(checkpoint->reader().ReadValue("model.w")->As<TensorLayout>()->shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(checkpoint->reader().ReadValue("step").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gcsflux::formats_tests
