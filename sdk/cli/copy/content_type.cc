#include "cli/copy/content_type.h"

#include <algorithm>

#include "base/text/lower_case.h"
#include "cli/arguments/names.h"

namespace gcsflux::cli {
namespace {

// Each type is before its extensions. https://www.iana.org/assignments/media-types, and what is usual for other data.
constexpr std::string_view kTypes =
    "application/x-7z-compressed .7z image/avif .avif application/avro .avro image/bmp .bmp "
    "application/x-bzip2 .bz2 text/css .css text/csv .csv audio/flac .flac image/gif .gif "
    "application/gzip .gz .tgz application/x-hdf5 .h5 text/html .htm .html image/vnd.microsoft.icon .ico "
    "application/x-ipynb+json .ipynb image/jpeg .jpeg .jpg text/javascript .js .mjs application/json .json "
    "application/jsonl .jsonl text/plain .log .txt text/markdown .md video/quicktime .mov audio/mpeg .mp3 "
    "video/mp4 .mp4 audio/ogg .ogg application/vnd.apache.parquet .parquet application/pdf .pdf image/png .png "
    "text/x-python .py image/svg+xml .svg application/x-tar .tar image/tiff .tif .tiff application/toml .toml "
    "text/tab-separated-values .tsv application/wasm .wasm audio/wav .wav video/webm .webm image/webp .webp "
    "application/xml .xml application/yaml .yaml .yml application/zip .zip application/zstd .zst";

}  // namespace

std::string_view ContentTypeOf(std::string_view name) {
  std::string extension = internal::LowerCase(LastName(name));
  extension.erase(0, std::min(extension.rfind('.'), extension.size()));
  std::string_view type;
  for (std::string_view rest = kTypes; !rest.empty() && !extension.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word == extension) return type;
    if (!word.starts_with('.')) type = word;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return {};
}

}  // namespace gcsflux::cli
