#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace gcsflux::emulator {

/// Whether a client's JSON has the right types.
///
/// A shape is JSON too: {"age": "integer", "matchesPrefix": ["string"], "labels": {"*": "string"}}. The words are
/// string, boolean, integer, and int64, which is a string of digits or a number. A list has one element: the shape of
/// all elements. "*" stands for every other name. Members that the shape does not name may be anything. Returns the
/// path of the first value that does not fit, such as "lifecycle.rule.condition.age", or nothing.
std::optional<std::string> FindMisfit(const nlohmann::json& value, const nlohmann::json& shape);

/// The number behind an int64, which must fit its shape. Nothing if it is out of range.
std::optional<std::int64_t> ToInt64(const nlohmann::json& value);

}  // namespace gcsflux::emulator
