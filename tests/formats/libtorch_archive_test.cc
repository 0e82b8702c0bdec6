#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pickles.h"
#include "formats/torch_file.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using pickled::Value;
using ::testing::HasSubstr;

// As libtorch's ScriptModule serializer writes an object: a class of __torch__, made without arguments, then its
// attributes.
std::string ObjectOf(std::string_view name, const std::string& attributes) {
  return Global("__torch__", name) + ")\x81}(" + attributes + "ub";
}

std::string ArchiveWith(const std::string& pickle) {
  return ZipOf({{"m/data/0", std::string(48, '\0')},
                {"m/data.pkl", pickle},
                {"m/code/__torch__.py", "class Module(Module):\n"},
                {"m/constants.pkl", Pickle(")")},
                {"m/version", "3\n"}});
}

Result<StoredCheckpoint> Opened(const std::string& file) { return StoredCheckpoint::Open(SourceOver(file)); }

TEST(LibtorchArchive, UsesAttributesAsNames) {
  const std::string list = Global("torch.jit._pickle", "build_intlist") + "](K\1K\2e\x85R";
  const std::string tensors = Global("torch.jit._pickle", "build_tensorlist") + "](" + TensorOf({}) + "e\x85R";
  const std::string tagged =
      Global("torch.jit._pickle", "restore_type_tag") + "}(" + Text("x") + "K\5u" + Text("Dict[str, int]") + "\x86R";
  const std::string archive = ArchiveWith(
      Pickle(ObjectOf("Module", Text("conv") + ObjectOf("Conv", Text("weight") + TensorOf({})) + Text("sizes") + list +
                                    Text("buffers") + tensors + Text("numbers") + tagged)));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->tensors().size(), 2U);
  EXPECT_EQ(file->tensors()[0].name, "conv.weight");
  EXPECT_EQ(file->tensors()[1].name, "buffers.0");
  EXPECT_TRUE(*file->reader().ReadValue("numbers.x") == (Value{.any = std::int64_t{5}}));
  const auto sizes = file->reader().ReadValue("sizes");
  ASSERT_TRUE(sizes.ok()) << sizes.error().message;
  EXPECT_TRUE(*sizes == (Value{.any = pickled::List{{{.any = std::int64_t{1}}, {.any = std::int64_t{2}}}}}));
  const auto conv = file->reader().ReadValue("conv");
  ASSERT_TRUE(conv.ok());
  EXPECT_EQ(conv->As<pickled::Dict>()->kind, pickled::DictKind::kObject);
  EXPECT_EQ(conv->As<pickled::Dict>()->class_name, "__torch__.Conv");
}

TEST(LibtorchArchive, ReadsOneTensorWithoutTheOthers) {
  const std::string archive = ArchiveWith(Pickle(ObjectOf("Module", Text("w") + TensorOf({}))));
  CountedSource source(SourceOver(archive));
  const auto file = internal::TorchFile::Open(source.counted);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(source.reads, 2);
  std::vector<std::byte> bytes(48);
  const TensorRead one{&file->tensors().front(), bytes};
  ASSERT_TRUE(file->ReadTensors({&one, 1}).ok());
  EXPECT_EQ(source.reads, 4) << "the local header, and the bytes";
}

TEST(LibtorchArchive, RefusesOtherClasses) {
  const std::string archive = ArchiveWith(
      Pickle(ObjectOf("Module", Text("evil") + Global("os", "system") + ")\x81}b" + Text("w") + TensorOf({}))));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->Find("w").ok());
  EXPECT_THAT(testing::ErrorOf(file->reader().ReadValue("evil")).message, HasSubstr("'os.system'"));
}

TEST(LibtorchArchive, RefusesScriptObjectsInFilesOfTorchSave) {
  const std::string archive = FileWith(Pickle("}" + Text("m") + ObjectOf("Module", Text("w") + TensorOf({})) + "s"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->tensors().empty());
  EXPECT_THAT(testing::ErrorOf(file->reader().ReadValue("m")).message, HasSubstr("__torch__.Module"));
}

TEST(LibtorchArchive, RefusesStatesThatAreNotDictionaries) {
  const std::string archive = ArchiveWith(Pickle("}(" + Text("packed") + Global("__torch__", "Packed") +
                                                 ")\x81K\1\x85"
                                                 "b" +
                                                 Text("w") + TensorOf({}) + "u"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->Find("w").ok());
  EXPECT_THAT(testing::ErrorOf(file->reader().ReadValue("packed")).message, HasSubstr("not a dictionary"));
}

}  // namespace
}  // namespace gcsflux::formats_tests
