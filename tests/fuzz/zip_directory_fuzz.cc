// Zip archives: no record lies outside the archive or in another one, and each is found by its name.

#include <algorithm>
#include <string>
#include <vector>

#include "format_input.h"
#include "formats/zip/zip_directory.h"

namespace gcsflux::fuzz {
namespace {

void CheckRecord(const ByteSource& source, const internal::ZipEntry& entry, std::vector<FileRange>& ranges) {
  const auto range = internal::LocateRecord(source, entry);
  const auto data = internal::ReadRecord(source, entry);
  if (!range.ok()) {
    RequireRefusal(range.error());
    return Require(!data.ok(), "a record that has no place cannot be read");
  }
  Require(range->size() == entry.size && range->end <= source.size, "a record lies in the archive");
  ranges.push_back(*range);
  if (!data.ok()) return RequireRefusal(data.error());
  Require(data->size() == entry.size, "a record has its length");
}

void Check(std::string_view bytes) {
  const ByteSource source = SourceOver(bytes);
  const auto directory = internal::ZipDirectory::Read(source);
  if (!directory.ok()) return RequireRefusal(directory.error());
  std::vector<FileRange> ranges;
  for (const internal::ZipEntry& entry : directory->entries()) {
    Require(directory->Find(entry.name) == &entry, "a record is found by its name");
    CheckRecord(source, entry, ranges);
  }
  std::sort(ranges.begin(), ranges.end(), [](FileRange a, FileRange b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < ranges.size(); ++i)
    Require(ranges[i - 1].end <= ranges[i].begin, "records do not overlap");
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
