#include "cli/copy.h"

#include <gflags/gflags.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "gcsflux/flags.h"
#include "gcsflux/upload.h"

DEFINE_bool(no_clobber, false, "cp: fail where the destination is there already.");
DEFINE_string(content_type, "application/octet-stream",
              "cp: content type of the object that is written; a copy has its source's unless this is given.");

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;

struct FileCloser {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

Error LocalError(const std::string& what, const std::string& path) {
  return Error{ErrorCode::kLocalIo, "cannot " + what + " '" + path + "': " + std::strerror(errno)};
}

Error IsThereAlready(const std::string& destination) {
  return Error{ErrorCode::kAlreadyExists, "'" + destination + "' is there already (--no_clobber)"};
}

bool IsUri(const std::string& text) { return text.starts_with("gs://") || text.starts_with("gcs://"); }

std::string LastName(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

ByteSink WriteTo(std::FILE* file, const std::string& path) {
  return [file, path](std::span<const std::byte> data) -> Result<void> {
    if (std::fwrite(data.data(), 1, data.size(), file) != data.size()) return LocalError("write", path);
    return {};
  };
}

Result<void> PrintObject(const Client& client, const ObjectName& source) {
  const auto read = client.ReadObject(source, WriteTo(stdout, "standard output"));
  if (!read) return read.error();
  if (std::fflush(stdout) != 0) return LocalError("write", "standard output");
  return {};
}

// Into a file beside the destination, which takes its name once everything is there and right.
Result<void> Download(const Client& client, const ObjectName& source, std::string destination) {
  if (destination.ends_with('/') || fs::is_directory(destination)) {
    destination = (fs::path(destination) / LastName(source.name)).string();
  }
  if (FLAGS_no_clobber && fs::exists(destination)) {
    return IsThereAlready(destination);
  }
  const std::string part = destination + ".gcsflux-part";
  File file(std::fopen(part.c_str(), "wb"));
  if (!file) return LocalError("create", part);
  const auto give_up = [&part](const Error& error) {
    static_cast<void>(std::remove(part.c_str()));
    return error;
  };
  if (const auto read = client.ReadObject(source, WriteTo(file.get(), part)); !read) return give_up(read.error());
  if (std::fclose(file.release()) != 0) return give_up(LocalError("write", part));
  if (std::rename(part.c_str(), destination.c_str()) != 0) return give_up(LocalError("name", destination));
  return {};
}

Result<UploadOptions> UploadFlags() {
  auto options = UploadOptionsFromFlags();
  if (!options) return options;
  options->mode = FLAGS_no_clobber ? WriteMode::kCreate : WriteMode::kOverwrite;
  options->attributes.content_type = FLAGS_content_type;
  return options;
}

Result<void> UploadStream(const Client& client, std::FILE* in, const std::string& name, const ObjectName& destination) {
  const auto options = UploadFlags();
  if (!options) return options.error();
  ObjectWriter writer(client, destination, *options);
  std::vector<std::byte> block(1U << 20);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), in)) {
    if (auto written = writer.Write(std::span(block).first(count)); !written) return written;
  }
  if (std::ferror(in) != 0) return LocalError("read", name);
  if (const auto stored = writer.Close(); !stored) return stored.error();
  return {};
}

Result<void> Upload(const Client& client, const std::string& source, const ObjectName& destination) {
  if (source == "-") return UploadStream(client, stdin, "standard input", destination);
  if (fs::is_directory(source)) return Error{ErrorCode::kLocalIo, "'" + source + "' is a directory"};
  if (fs::exists(source) && !fs::is_regular_file(source)) {  // A pipe, which gives its bytes once.
    const File file(std::fopen(source.c_str(), "rb"));
    if (!file) return LocalError("open", source);
    return UploadStream(client, file.get(), source, destination);
  }
  const auto options = UploadFlags();
  if (!options) return options.error();
  if (const auto stored = UploadFile(client, source, destination, *options); !stored) return stored.error();
  return {};
}

// What a copy is given: what its source has, but for a content type that the command names.
std::optional<ObjectAttributes> AttributesOfCopy(const ObjectMetadata& source) {
  if (gflags::GetCommandLineFlagInfoOrDie("content_type").is_default) return std::nullopt;
  return ObjectAttributes{.content_type = FLAGS_content_type,
                          .content_encoding = source.content_encoding,
                          .content_disposition = source.content_disposition,
                          .content_language = source.content_language,
                          .cache_control = source.cache_control,
                          .custom_time = source.custom_time,
                          .metadata = source.metadata};
}

// What is live under a name; nothing where that is free.
Result<std::optional<ObjectMetadata>> FindLive(const Client& client, const ObjectName& object) {
  auto live = client.GetObject(object);
  if (!live && live.error().code == ErrorCode::kNotFound) return std::optional<ObjectMetadata>();
  if (!live) return live.error();
  return std::optional<ObjectMetadata>(*std::move(live));
}

// The service copies; no byte of it comes here. Each try replaces what was looked at and nothing later, so that its
// requests can be repeated.
Result<void> CopyObject(const Client& client, const ObjectName& source, const ObjectName& destination) {
  constexpr int kTries = 5;
  const auto found = client.GetObject(source);
  if (!found) return found.error();
  for (int tried = 1;; ++tried) {
    const auto live = FindLive(client, destination);
    if (!live) return live.error();
    // Either a request was repeated whose answer was lost, or somebody else has stored the same.
    if (tried > 1 && *live && (*live)->size == found->size && (*live)->crc32c == found->crc32c) return {};
    if (FLAGS_no_clobber && *live) return IsThereAlready(ToUri(destination));
    const auto copied = client.RewriteObject(source, destination,
                                             {.source_generation = found->generation,
                                              .preconditions = {.if_generation_match = *live ? (*live)->generation : 0},
                                              .attributes = AttributesOfCopy(*found)});
    if (copied) return {};
    if (copied.error().code != ErrorCode::kPreconditionFailed || tried == kTries) return copied.error();
  }
}

// The object that "gs://bucket/dir/" means for a source of this name.
Result<ObjectName> Destination(const std::string& uri, const std::string& source) {
  auto destination = ParseUri(uri);
  if (!destination) return destination;
  if (!destination->name.empty() && !destination->name.ends_with('/')) return destination;
  if (source == "-") return Error{ErrorCode::kInvalidArgument, "standard input has no name: write gs://bucket/name"};
  destination->name += LastName(source);
  return destination;
}

}  // namespace

Result<ObjectName> ParseObject(const std::string& uri) {
  auto name = ParseUri(uri);
  if (name && name->name.empty()) {
    return Error{ErrorCode::kInvalidArgument, "'" + uri + "' names a bucket; write gs://bucket/name"};
  }
  return name;
}

Result<void> Copy(const Client& client, const std::vector<std::string>& arguments) {
  const std::string& from = arguments[0];
  const std::string& to = arguments[1];
  if (!IsUri(from) && !IsUri(to)) {
    return Error{ErrorCode::kInvalidArgument, "neither '" + from + "' nor '" + to + "' is a gs:// URI"};
  }
  if (IsUri(to)) {
    const auto destination = Destination(to, from);
    if (!destination) return destination.error();
    if (!IsUri(from)) return Upload(client, from, *destination);
    const auto source = ParseObject(from);
    if (!source) return source.error();
    return CopyObject(client, *source, *destination);
  }
  const auto source = ParseObject(from);
  if (!source) return source.error();
  return to == "-" ? PrintObject(client, *source) : Download(client, *source, to);
}

Result<void> Concatenate(const Client& client, const std::vector<std::string>& uris) {
  for (const std::string& uri : uris) {
    const auto source = ParseObject(uri);
    if (!source) return source.error();
    if (auto printed = PrintObject(client, *source); !printed) return printed;
  }
  return {};
}

}  // namespace gcsflux::cli
