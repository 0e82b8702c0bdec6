// Reads of one object.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"
#include "gcsflux/download_file.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Generation = std::optional<std::int64_t>;
using Range = std::pair<std::uint64_t, std::uint64_t>;  // offset, length

Generation GenerationOf(const NamedObject& object, const Generation& given) {
  return given ? given : object.generation();
}

std::optional<ByteRange> RangeOf(std::uint64_t offset, std::optional<std::uint64_t> length) {
  if (offset == 0 && !length) return std::nullopt;
  return ByteRange{offset, length};
}

nb::bytes ToBytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes Read(const PythonClient& self, nb::handle object, std::uint64_t offset, std::optional<std::uint64_t> length,
               const Generation& generation, bool decompress_gzip) {
  const NamedObject named = ToNamedObject(object);
  if (length == 0) return ToBytes("");
  ReadObjectOptions options{.range = RangeOf(offset, length),
                            .generation = GenerationOf(named, generation),
                            .decompress_gzip = decompress_gzip};
  return ToBytes(Call([&](const std::stop_token& stop) {
    options.stop = stop;
    return self.client.ReadObject(named.name, options);
  }));
}

std::uint64_t ReadInto(const PythonClient& self, nb::handle object, nb::handle into, std::uint64_t offset,
                       const Generation& generation) {
  const NamedObject named = ToNamedObject(object);
  const Buffer buffer(into, true);
  if (buffer.bytes().empty()) return 0;
  ReadObjectOptions options{.range = ByteRange{offset, buffer.bytes().size()},
                            .generation = GenerationOf(named, generation)};
  return Call([&](const std::stop_token& stop) {
           options.stop = stop;
           return self.client.ReadObject(named.name, buffer.bytes(), options);
         })
      .bytes;
}

Result<ObjectReader> Open(const PythonClient& self, const NamedObject& object, const Generation& generation,
                          const std::stop_token& stop) {
  ObjectReaderOptions options = self.options.reader;
  options.generation = generation;
  options.stop = stop;
  return object.known ? ObjectReader::Open(self.client, *object.known, options)
                      : ObjectReader::Open(self.client, object.name, options);
}

void ReadAll(const PythonClient& self, const NamedObject& object, const Generation& generation,
             const std::vector<RangeRead>& reads) {
  Call([&](const std::stop_token& stop) -> Result<void> {
    const auto reader = Open(self, object, generation, stop);
    if (!reader) return reader.error();
    return reader->Read(reads);
  });
}

nb::list ReadRanges(const PythonClient& self, nb::handle object, const std::vector<Range>& ranges,
                    const Generation& generation) {
  nb::list all;
  std::vector<RangeRead> reads;
  for (const auto& [offset, length] : ranges) {
    const NewBytes bytes = NewBytes::OfSize(length);
    reads.push_back({offset, bytes.memory});
    all.append(bytes.object);
  }
  ReadAll(self, ToNamedObject(object), generation, reads);
  return all;
}

void ReadRangesInto(const PythonClient& self, nb::handle object,
                    const std::vector<std::pair<std::uint64_t, nb::object>>& ranges, const Generation& generation) {
  std::vector<Buffer> buffers;
  std::vector<RangeRead> reads;
  for (const auto& [offset, into] : ranges) {
    reads.push_back({offset, buffers.emplace_back(into, true).bytes()});
  }
  ReadAll(self, ToNamedObject(object), generation, reads);
}

std::uint64_t DownloadTo(const PythonClient& self, nb::handle object, nb::handle path, bool may_replace,
                         bool decompress_gzip) {
  const NamedObject named = ToNamedObject(object);
  DownloadFileOptions options{.may_replace = may_replace, .decompress_gzip = decompress_gzip};
  const std::string local = ToLocalPath(path);
  return Call([&](const std::stop_token& stop) {
           options.stop = stop;
           return named.known ? DownloadListed(self.client, *named.known, local, options)
                              : DownloadFile(self.client, named.name, local, options);
         })
      .bytes;
}

}  // namespace

void BindReads(ClientClass& client) {
  client
      .def("read", Read, "object"_a, nb::kw_only(), "offset"_a = 0, "length"_a = nb::none(),
           "generation"_a = nb::none(), "decompress_gzip"_a = false,
           "The bytes of an object, or of a range of it, in one request. A range is shortened at the object's end.")
      .def("read_into", ReadInto, "object"_a, "buffer"_a, nb::kw_only(), "offset"_a = 0, "generation"_a = nb::none(),
           "Reads from offset on into a writable buffer, and returns the number of bytes.")
      .def("read_ranges", ReadRanges, "object"_a, "ranges"_a, nb::kw_only(), "generation"_a = nb::none(),
           "The bytes of many ranges (offset, length) of one object. The requests run at the same time; ranges that\n"
           "are close together are fetched as one. Raises InvalidArgumentError if one ends behind the object.")
      .def("read_ranges_into", ReadRangesInto, "object"_a, "ranges"_a, nb::kw_only(), "generation"_a = nb::none(),
           "Fills the buffer of each (offset, buffer).")
      .def("download_file", DownloadTo, "object"_a, "path"_a, nb::kw_only(), "may_replace"_a = true,
           "decompress_gzip"_a = false,
           "Downloads an object into a file, over many connections. The file appears when it is complete; a later\n"
           "call resumes one that was interrupted. Returns the number of bytes fetched.");
}

}  // namespace gcsflux::python
