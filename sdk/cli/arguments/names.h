#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/tree.h"
#include "gcsflux/object.h"
#include "gcsflux/result.h"

// How the copying commands interpret paths and names. Pure: what exists at the destination does not matter, so that a
// repeated command means the same.
namespace gcsflux::cli {

bool IsUri(std::string_view text);

/// Nothing has this name, or begins with it.
Error NothingThere(const std::string& uri);

/// A gs:// URI of an object. Returns kInvalidArgument if it names only a bucket.
Result<ObjectName> ParseObject(const std::string& uri);

/// A gs:// URI of a bucket. Returns kInvalidArgument if it names an object.
Result<ObjectName> ParseBucket(const std::string& uri);

using NameParser = Result<ObjectName> (*)(const std::string& uri);

/// Parses all of them, so that nothing is done if one of them is wrong. By default with ParseUri().
Result<std::vector<ObjectName>> ParseAll(const std::vector<std::string>& uris, NameParser parse = nullptr);

/// The part behind the last slash: "c" of "a/b/c", "" of "a/".
std::string LastName(std::string_view path);

/// The path, or the prefix, with one slash at its end. An empty one stays empty.
std::string AsDirectory(std::string path);

/// Whether the spelling of an argument means a directory: a bucket, ".", "..", or an end in "/", "/." or "/..".
bool IsDirectoryBySpelling(const std::string& argument);

/// What is at a local path; symbolic links are followed. False too if it cannot be examined: opening it then has the
/// error.
bool IsLocalDirectory(const std::string& path);
bool IsLocalSpecialFile(const std::string& path);  ///< Neither a file nor a directory: a pipe, a device.

/// The root that `argument` names as a directory. Returns kInvalidArgument for an invalid URI.
Result<Root> RootAt(const std::string& argument);

/// The root to which `cp --recursive` copies the content of the directory `source`. If `destination` means a directory
/// to copy into, it is a directory there with the source's last name; otherwise it is `destination` itself. If the
/// source has no last name (a bucket, "." or "a/.."), its content goes directly into the destination.
Result<Root> DestinationOf(const std::string& source, const std::string& destination, bool is_into);

/// Why a file of this name cannot, or must not, be made below a directory. Empty if it can. A name that passes cannot
/// leave the directory, except through a symbolic link.
std::string WhyNoFileName(std::string_view name);

}  // namespace gcsflux::cli
