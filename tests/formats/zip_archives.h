#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/memory_file.h"
#include "formats/zip/zip_directory.h"
#include "formats/zip/zip_writer.h"

namespace gcsflux::formats_tests {

using Records = std::vector<std::pair<std::string, std::string>>;

inline std::string ZipOf(const Records& records) {
  std::string archive;
  const ByteSink sink = SinkInto(archive);
  internal::ZipWriter writer(&sink);
  for (const auto& [name, data] : records) {
    EXPECT_TRUE(writer.BeginRecord(name, data.size()).ok());
    EXPECT_TRUE(writer.Write(BytesOf(data)).ok());
  }
  EXPECT_TRUE(writer.Finish().ok());
  EXPECT_EQ(writer.bytes(), archive.size());
  return archive;
}

/// All records, by name, in the directory's order.
inline Result<Records> Unzip(const ByteSource& source) {
  const auto directory = internal::ZipDirectory::Read(source);
  if (!directory.ok()) return directory.error();
  Records records;
  for (const internal::ZipEntry& entry : directory->entries()) {
    auto data = internal::ReadRecord(source, entry);
    if (!data.ok()) return data.error();
    records.emplace_back(entry.name, *std::move(data));
  }
  return records;
}

inline Result<Records> Unzip(std::string_view archive) { return Unzip(SourceOver(archive)); }

}  // namespace gcsflux::formats_tests
