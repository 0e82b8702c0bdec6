#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Reads members of one JSON object in a credential file. It keeps the first error, so that a reader asks for all
/// members and checks once. Errors name members, never their values. Borrows the object.
class JsonFields {
 public:
  /// `where` precedes a member's name: "", or "credential_source.".
  explicit JsonFields(const nlohmann::json& object, std::string where = "")
      : object_(object), where_(std::move(where)) {}

  /// A required text that is not empty.
  std::string Text(const char* name);
  /// The same, but empty if it is missing or null.
  std::string OptionalText(const char* name);
  std::optional<std::int64_t> OptionalInteger(const char* name);
  /// Null if it is missing. A member that is not an object is an error.
  const nlohmann::json* OptionalObject(const char* name);
  const nlohmann::json* OptionalArray(const char* name);

  /// Records that a member is wrong: `why` continues its name.
  void Refuse(const char* name, const std::string& why);
  /// Records an error in the members of a member.
  void Adopt(const Error& failure) {
    if (!failure_) failure_ = failure;
  }
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  const nlohmann::json* Find(const char* name) const;

  const nlohmann::json& object_;
  const std::string where_;
  std::optional<Error> failure_;
};

}  // namespace gcsflux::internal
