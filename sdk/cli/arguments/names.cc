#include "cli/arguments/names.h"

#include <filesystem>
#include <system_error>

#include "gcsflux/download_file.h"

namespace gcsflux::cli {
namespace {

constexpr std::size_t kMostNameBytes = 255;  // NAME_MAX of all common file systems.

std::string WhyNoComponent(std::string_view component) {
  if (component.empty()) return "it has an empty component";
  if (component == "." || component == "..") return "it has the component '" + std::string(component) + "'";
  if (component.size() > kMostNameBytes) return "a component is longer than 255 bytes";
  if (IsPartialFileName(component)) return "a component is the name of a download's temporary file";
  return {};
}

// "a/b" of "a/b//", but "/" of "/".
std::string_view WithoutSlashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

Result<ObjectName> ParseObject(const std::string& uri) {
  auto name = ParseUri(uri);
  if (name && name->name.empty()) {
    return Error{ErrorCode::kInvalidArgument, "'" + uri + "' names a bucket; write gs://bucket/name"};
  }
  return name;
}

Result<ObjectName> ParseBucket(const std::string& uri) {
  auto bucket = ParseUri(uri);
  if (!bucket || bucket->name.empty()) return bucket;
  return Error{ErrorCode::kInvalidArgument, "'" + uri + "' names an object, not a bucket"};
}

Result<std::vector<ObjectName>> ParseAll(const std::vector<std::string>& uris, NameParser parse) {
  std::vector<ObjectName> names;
  for (const std::string& uri : uris) {
    auto name = parse == nullptr ? ParseUri(uri) : parse(uri);
    if (!name) return name.error();
    names.push_back(*std::move(name));
  }
  return names;
}

bool IsUri(std::string_view text) { return text.starts_with("gs://") || text.starts_with("gcs://"); }

Error NothingThere(const std::string& uri) { return Error{ErrorCode::kEmptyPrefix, "nothing is stored under " + uri}; }

std::string LastName(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string AsDirectory(std::string path) {
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path;
}

bool IsDirectoryBySpelling(const std::string& argument) {
  if (IsUri(argument)) {
    const auto name = ParseUri(argument);
    return name && (name->name.empty() || name->name.ends_with('/'));
  }
  const std::string last = LastName(argument);
  return last.empty() || last == "." || last == "..";
}

bool IsLocalDirectory(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

bool IsLocalSpecialFile(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Result<Root> RootAt(const std::string& argument) {
  if (!IsUri(argument)) return Root{.prefix = AsDirectory(argument)};
  auto name = ParseUri(argument);
  if (!name) return name.error();
  return Root{name->bucket, AsDirectory(std::move(name->name))};
}

Result<Root> DestinationOf(const std::string& source, const std::string& destination, bool is_into) {
  auto root = RootAt(destination);
  const auto from = RootAt(source);
  if (!from) return from.error();
  if (!root || !is_into) return root;
  const std::string last = LastName(WithoutSlashes(from->prefix));
  if (!last.empty() && last != "." && last != "..") root->prefix += AsDirectory(last);
  return root;
}

std::string WhyNoFileName(std::string_view name) {
  if (name.starts_with('/')) return "it is absolute";
  if (name.find('\0') != std::string_view::npos) return "it holds a byte 0";
  if (name.find_first_of("\r\n") != std::string_view::npos) return "it holds a line break";
  while (true) {
    const auto slash = name.find('/');
    if (auto why = WhyNoComponent(name.substr(0, slash)); !why.empty()) return why;
    if (slash == std::string_view::npos) return {};
    name.remove_prefix(slash + 1);
  }
}

}  // namespace gcsflux::cli
