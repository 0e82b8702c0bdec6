#pragma once

#include <string>
#include <string_view>

#include "cli/tree.h"
#include "gcsflux/result.h"

// What paths and names mean to the commands that copy. Pure: what is there already plays no part, so that a command
// that is given again means the same.
namespace gcsflux::cli {

bool IsUri(std::string_view text);

/// Behind the last slash: "c" of "a/b/c", "" of "a/".
std::string LastName(std::string_view path);

/// The path, or the prefix, with one slash at its end; an empty one stays so.
std::string AsDirectory(std::string path);

/// Whether an argument stands for a directory by its spelling: a bucket, ".", "..", or an end in "/", "/." or "/..".
bool IsDirectoryBySpelling(const std::string& argument);

/// The root that `argument` names as a directory. kInvalidArgument where it is a URI that is none.
Result<Root> RootAt(const std::string& argument);

/// Where `cp --recursive` puts what is below the directory `source`: at `destination` itself, or, where that stands for
/// a directory that copies go into, in a directory there of the source's last name. A source without one (a bucket,
/// "." or "a/..") has its content put into the destination.
Result<Root> DestinationOf(const std::string& source, const std::string& destination, bool is_into);

/// Why a file of this name cannot, or must not, be made below a directory; empty where it can. No name that passes
/// leads out of the directory, so far as no symbolic link does.
std::string WhyNoFileName(std::string_view name);

}  // namespace gcsflux::cli
