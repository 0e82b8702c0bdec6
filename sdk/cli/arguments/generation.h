#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/client.h"

// NAME#GENERATION, as `ls -a` prints it, and as gsutil and gcloud read it.
namespace gcsflux::cli {

/// An object that the user named, or one of its generations.
struct NamedObject {
  ObjectName object = {};
  std::optional<std::int64_t> generation = {};  ///< Absent: the live one.

  friend bool operator==(const NamedObject&, const NamedObject&) = default;
};

/// "gs://bucket/name", or "gs://bucket/name#17".
std::string UriOf(const NamedObject& named);

/// Splits "a#17". Nothing if the text does not end in '#' and a number.
std::optional<NamedObject> SplitGeneration(const ObjectName& name);

/// What the name means. If it ends in '#' and a number, it is looked up: if an object has just this name, it means that
/// object, and standard error says so; otherwise it means this generation of the name before the '#'. Returns kNotFound
/// if there is neither. Other names cost no request.
Result<NamedObject> ResolveGeneration(const Client& client, const ObjectName& name, const std::stop_token& stop = {});

}  // namespace gcsflux::cli
