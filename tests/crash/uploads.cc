// Writes of one object: the name has its old content or its new one, and what was begun can be completed or removed.
#include <fstream>

#include "crash/crash_case.h"
#include "gcsflux/upload.h"

namespace gcsflux::crash {
namespace {

constexpr std::size_t kChunk = 256 << 10;
constexpr std::size_t kPart = 5 << 20;
constexpr std::size_t kSmall = 2 * kChunk + 1'000;
constexpr std::size_t kLarge = kPart + 1'000;

std::string Old(const Place& place) { return BytesOf(place, "old", 1'000); }
std::string New(const Place& place, std::size_t size) { return BytesOf(place, "new", size); }

template <std::size_t size>
void PrepareUpload(const Place& place) {
  Surely([&] { return UploadObject(place.client, place.At("object"), AsBytes(Old(place))); });
  std::ofstream(place.directory / "file", std::ios::binary) << New(place, size);
}

// Its state is in a file, as in a program.
void SendFile(const Place& place, WritePath path) {
  const auto state = place.directory / "state";
  UploadOptions options{
      .chunk_bytes = kChunk, .part_bytes = kPart, .max_concurrency = 2, .path = path, .state = ReadFile(state)};
  options.save_state = [&](const std::string& saved) { std::ofstream(state) << saved << std::flush; };
  Must(UploadFile(place.client, place.directory / "file", place.At("object"), options));
}
void SendOverASession(const Place& place) { SendFile(place, WritePath::kOneStream); }
void SendAsParts(const Place& place) { SendFile(place, WritePath::kParallel); }

template <std::size_t size, WritePath path>
void Stream(const Place& place) {
  ObjectWriter writer(place.client, place.At("object"),
                      {.chunk_bytes = kChunk, .part_bytes = kPart, .max_concurrency = 2, .path = path});
  Must(writer.Write(AsBytes(New(place, size))));
  Must(writer.Close());
}

void Overwrite(const Place& place) {
  Must(UploadObject(place.client, place.At("object"), AsBytes(New(place, kSmall)), {.chunk_bytes = 1 << 20}));
}

void ComposeAndDelete(const Place& place) {
  Must(UploadObject(place.client, place.At("half"), AsBytes(New(place, kSmall).substr(0, kChunk))));
  Must(UploadObject(place.client, place.At("rest"), AsBytes(New(place, kSmall).substr(kChunk))));
  Must(place.client.ComposeObjects({{place.prefix + "half"}, {place.prefix + "rest"}}, place.At("object")));
}

std::string ObjectOf(const Place& place) {
  return Surely([&] { return place.client.ReadObject(place.At("object")); });
}

template <std::size_t size, void (*act)(const Place&)>
void CheckUpload(const Place& place) {
  const std::string found = ObjectOf(place);
  Expect(found == Old(place) || found == New(place, size), "the object is neither old nor new");
  SurelyDo([&] { act(place); });
  Expect(ObjectOf(place) == New(place, size), "the repeated write has not stored the new content");
}

template <std::size_t size, void (*act)(const Place&)>
CrashCase UploadCase(std::string_view name) {
  return {.name = name, .prepare = PrepareUpload<size>, .act = act, .check = CheckUpload<size, act>};
}

}  // namespace

std::vector<CrashCase> UploadCases() {
  return {UploadCase<kSmall, Overwrite>("upload in one request"),
          UploadCase<kSmall, SendOverASession>("upload a file over a session"),
          UploadCase<kLarge, SendAsParts>("upload a file as parts"),
          UploadCase<kSmall, Stream<kSmall, WritePath::kOneStream>>("stream over a session"),
          UploadCase<kLarge, Stream<kLarge, WritePath::kParallel>>("stream as parts"),
          UploadCase<kSmall, ComposeAndDelete>("compose")};
}

}  // namespace gcsflux::crash
