#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Reads members of one JSON object of a credential file. The first that is missing or wrong is remembered, so that a
/// reader asks for all of them and looks once. Errors name members, never their values. Borrows the object.
class JsonFields {
 public:
  /// `where` goes before a member's name: "", or "credential_source.".
  explicit JsonFields(const nlohmann::json& object, std::string where = "")
      : object_(object), where_(std::move(where)) {}

  /// A text that must be there and not be empty.
  std::string Text(const char* name);
  /// The same, empty where it is not there or null.
  std::string OptionalText(const char* name);
  std::optional<std::int64_t> OptionalInteger(const char* name);
  /// Null where it is not there; a member that is no object is an error.
  const nlohmann::json* OptionalObject(const char* name);
  const nlohmann::json* OptionalArray(const char* name);

  /// Remembers that a member is wrong: `why` continues its name.
  void Refuse(const char* name, const std::string& why);
  /// Remembers a failure of a member's own members.
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
