#include <cstddef>
#include <span>
#include <utility>

#include "client.h"
#include "error.h"

using gcsflux::Result;
using gcsflux::c::Call;

struct gcsflux_writer {
  gcsflux::ObjectWriter writer;
};

namespace gcsflux::c {

Result<UploadOptions> UploadOptionsOf(UploadOptions options, const gcsflux_write_options& given,
                                      const gcsflux_stop* stop) {
  switch (given.mode) {
    case GCSFLUX_CREATE: options.mode = WriteMode::kCreate; break;
    case GCSFLUX_OVERWRITE: options.mode = WriteMode::kOverwrite; break;
    case GCSFLUX_REPLACE:
      options.mode = WriteMode::kReplace;
      options.generation = given.generation;
      break;
    default: return Misused("the mode of a write is GCSFLUX_CREATE, GCSFLUX_REPLACE or GCSFLUX_OVERWRITE");
  }
  if (given.content_type != nullptr) options.attributes.content_type = given.content_type;
  options.stop = TokenOf(stop);
  return options;
}

}  // namespace gcsflux::c

namespace {

std::span<const std::byte> Bytes(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

// The name and the options of a write.
struct Target {
  gcsflux::ObjectName object;
  gcsflux::UploadOptions options;
};

Result<Target> TargetOf(const gcsflux_client& client, const char* uri, const gcsflux_write_options& options,
                        const gcsflux_stop* stop) {
  auto object = gcsflux::c::ObjectOf(uri);
  if (!object) return object.error();
  auto upload = gcsflux::c::UploadOptionsOf(client.settings.uploads, options, stop);
  if (!upload) return upload.error();
  return Target{*std::move(object), *std::move(upload)};
}

Result<void> GiveGeneration(const Result<gcsflux::ObjectMetadata>& stored, std::int64_t* generation) {
  if (!stored) return stored.error();
  if (generation != nullptr) *generation = stored->generation;
  return {};
}

}  // namespace

gcsflux_error* gcsflux_write(const gcsflux_client* client, const char* uri, const void* data, size_t size,
                             const gcsflux_write_options* options, gcsflux_stop* stop, int64_t* generation) {
  return Call([&]() -> Result<void> {
    const auto target = TargetOf(*client, uri, *options, stop);
    if (!target) return target.error();
    return GiveGeneration(UploadObject(client->client, target->object, Bytes(data, size), target->options), generation);
  });
}

gcsflux_error* gcsflux_writer_open(const gcsflux_client* client, const char* uri, const gcsflux_write_options* options,
                                   gcsflux_stop* stop, gcsflux_writer** writer) {
  return Call([&]() -> Result<void> {
    auto target = TargetOf(*client, uri, *options, stop);
    if (!target) return target.error();
    *writer = new gcsflux_writer{
        gcsflux::ObjectWriter(client->client, std::move(target->object), std::move(target->options))};
    return {};
  });
}

gcsflux_error* gcsflux_writer_write(gcsflux_writer* writer, const void* data, size_t size) {
  return Call([&] { return writer->writer.Write(Bytes(data, size)); });
}

gcsflux_error* gcsflux_writer_close(gcsflux_writer* writer, int64_t* generation) {
  return Call([&] { return GiveGeneration(writer->writer.Close(), generation); });
}

void gcsflux_writer_free(gcsflux_writer* writer) { delete writer; }
