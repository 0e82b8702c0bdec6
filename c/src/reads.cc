#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client.h"
#include "error.h"

using gcsflux::Result;
using gcsflux::c::Call;

struct gcsflux_reader {
  gcsflux::ObjectReader reader;
};

namespace {

std::span<std::byte> Bytes(void* buffer, std::size_t size) { return {static_cast<std::byte*>(buffer), size}; }

}  // namespace

gcsflux_error* gcsflux_read(const gcsflux_client* client, const char* uri, int64_t generation, void* buffer,
                            size_t size, gcsflux_stop* stop, size_t* read) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::c::ObjectOf(uri);
    if (!name) return name.error();
    const auto summary = client->client.ReadObject(
        *name, Bytes(buffer, size),
        {.generation = gcsflux::c::GenerationOf(generation), .stop = gcsflux::c::TokenOf(stop)});
    if (!summary) return summary.error();
    if (read != nullptr) *read = static_cast<std::size_t>(summary->bytes);
    return {};
  });
}

gcsflux_error* gcsflux_read_objects(const gcsflux_client* client, const char* bucket, const gcsflux_object* objects,
                                    void* const* buffers, size_t count, gcsflux_stop* stop) {
  return Call([&]() -> Result<void> {
    std::vector<gcsflux::DownloadSource> sources;
    std::vector<std::span<std::byte>> destinations;
    sources.reserve(count);
    destinations.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const gcsflux_object& object = objects[i];
      sources.push_back({.object = {bucket, object.name},
                         .size = object.size,
                         .generation = object.generation,
                         .crc32c = object.has_crc32c != 0 ? std::optional(object.crc32c) : std::nullopt});
      destinations.push_back(Bytes(buffers[i], static_cast<std::size_t>(object.size)));
    }
    const auto done = client->downloader.Download(sources, destinations, gcsflux::c::TokenOf(stop));
    return done ? Result<void>() : done.error();
  });
}

gcsflux_error* gcsflux_reader_open(const gcsflux_client* client, const char* uri, int64_t generation,
                                   gcsflux_stop* stop, gcsflux_reader** reader) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::c::ObjectOf(uri);
    if (!name) return name.error();
    auto options = client->settings.reads;
    options.generation = gcsflux::c::GenerationOf(generation);
    options.stop = gcsflux::c::TokenOf(stop);
    auto opened = gcsflux::ObjectReader::Open(client->client, *name, std::move(options));
    if (!opened) return opened.error();
    *reader = new gcsflux_reader{*std::move(opened)};
    return {};
  });
}

uint64_t gcsflux_reader_size(const gcsflux_reader* reader) { return reader->reader.size(); }

int64_t gcsflux_reader_generation(const gcsflux_reader* reader) { return reader->reader.source().generation; }

gcsflux_error* gcsflux_reader_read(const gcsflux_reader* reader, const gcsflux_range* ranges, size_t count) {
  return Call([&]() -> Result<void> {
    std::vector<gcsflux::RangeRead> reads;
    reads.reserve(count);
    for (const gcsflux_range& range : std::span(ranges, count)) {
      reads.push_back({range.offset, Bytes(range.buffer, static_cast<std::size_t>(range.length))});
    }
    return reader->reader.Read(reads);
  });
}

gcsflux_error* gcsflux_reader_read_next(gcsflux_reader* reader, void* buffer, size_t size, size_t* read) {
  return Call([&]() -> Result<void> {
    const auto count = reader->reader.ReadNext(Bytes(buffer, size));
    if (!count) return count.error();
    *read = *count;
    return {};
  });
}

void gcsflux_reader_free(gcsflux_reader* reader) { delete reader; }
