#include "gcsflux/upload.h"
#include "lies/paths.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {
namespace {

constexpr std::int64_t kGeneration = LyingService::kGeneration;

Outcome Of(const Result<ObjectMetadata>& made) { return {made ? Result<void>() : made.error()}; }

Outcome StreamBytes(const Client& client, const std::string& bytes) {
  ObjectWriter writer(client, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  if (auto written = writer.Write(AsBytes(bytes)); !written) return {written};
  return Of(writer.Close());
}

Outcome SendParts(const Client& client) {
  auto upload = MultipartUpload::Start(client, kObject);
  if (!upload) return {upload.error()};
  if (auto sent = upload->UploadPart(1, AsBytes(Content())); !sent) return {sent};
  if (auto parts = upload->ListParts(); !parts) return {parts.error()};
  return Of(upload->Complete());
}

Path Make(const char* name, Column column, std::function<Result<ObjectMetadata>(const Client&)> make) {
  return {name, column,
          [make = std::move(make)](const Client& client, const LyingService&) { return Of(make(client)); }};
}

std::vector<Path> MetadataPaths() {
  const Preconditions match{.if_generation_match = kGeneration};
  return {
      Make("GetObject", Column::kGet, [](const Client& c) { return c.GetObject(kObject); }),
      Make("GetGeneration", Column::kPinnedGet,
           [](const Client& c) { return c.GetObject(kObject, {.generation = kGeneration}); }),
      Make("GetUnderACondition", Column::kPinnedGet,
           [=](const Client& c) { return c.GetObject(kObject, {.preconditions = match}); }),
      Make("PatchObject", Column::kGet, [](const Client& c) { return c.PatchObject(kObject, {}); }),
      Make("PatchGeneration", Column::kPinnedGet,
           [](const Client& c) { return c.PatchObject(kObject, {}, {.generation = kGeneration}); }),
      Make("UpdateObject", Column::kGet, [](const Client& c) { return c.UpdateObject(kObject, {}); }),
      Make("UpdateGeneration", Column::kPinnedGet,
           [](const Client& c) { return c.UpdateObject(kObject, {}, {.generation = kGeneration}); }),
      Make("ComposeObjects", Column::kGet, [](const Client& c) { return c.ComposeObjects({{.name = "o"}}, kObject); }),
      Make("CopyObject", Column::kGet,
           [](const Client& c) {
             return c.CopyObject({"bkt", "from"}, kObject);
           }),
      Make("RewriteObject", Column::kRewrite,
           [](const Client& c) {
             return c.RewriteObject({"bkt", "from"}, kObject);
           }),
  };
}

}  // namespace

std::vector<Path> WritePaths() {
  std::vector<Path> paths = MetadataPaths();
  const std::vector<Path> uploads = {
      Make("InsertObject", Column::kUpload,
           [](const Client& c) { return c.InsertObject(kObject, AsBytes(Content())); }),
      Make("UploadObject", Column::kUpload,
           [](const Client& c) { return UploadObject(c, kObject, AsBytes(Content())); }),
      {"WriteLittle", Column::kUpload,
       [](const Client& client, const LyingService&) { return StreamBytes(client, Content()); }},
      Make("UploadOverASession", Column::kSession,
           [](const Client& c) {
             return UploadObject(c, kObject, AsBytes(Pattern(kChunk + 9)), {.chunk_bytes = kChunk});
           }),
      {"WriteMuch", Column::kSession,
       [](const Client& client, const LyingService&) { return StreamBytes(client, Pattern(kChunk + 9)); }},
      {"MultipartUpload", Column::kMultipart,
       [](const Client& client, const LyingService&) { return SendParts(client); }},
  };
  paths.insert(paths.end(), uploads.begin(), uploads.end());
  return paths;
}

}  // namespace gcsflux::testing
