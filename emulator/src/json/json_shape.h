#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace gcsflux::emulator {

/// Whether a client's JSON is of the types that it should be of.
///
/// A shape is JSON too: {"age": "integer", "matchesPrefix": ["string"], "labels": {"*": "string"}}. The words are
/// string, boolean, integer, and int64, which is a string of digits or a number; a list's one element is the shape of
/// all of them; "*" stands for every other name. Members that the shape does not have may be anything. Returns the
/// first misfit's path, "lifecycle.rule.condition.age", or nothing.
std::optional<std::string> FindMisfit(const nlohmann::json& value, const nlohmann::json& shape);

/// The number behind an int64, which must fit its shape; nothing where it is out of its range.
std::optional<std::int64_t> ToInt64(const nlohmann::json& value);

}  // namespace gcsflux::emulator
