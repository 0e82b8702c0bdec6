#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gcsflux::emulator {

/// Reads one JSON object of a configuration, each field once. If anything is wrong, throws std::invalid_argument with
/// the path of the field: "auth config: service_accounts[0].email: must be a string".
class JsonFields {
 public:
  /// `path` is "" for the whole text; `value` must outlive this.
  JsonFields(const nlohmann::json& value, std::string path);

  /// Present and not empty.
  std::string String(const std::string& name);
  std::optional<std::string> OptionalString(const std::string& name);
  std::optional<std::int64_t> OptionalInteger(const std::string& name);
  /// Empty if the field is absent.
  std::vector<std::string> Strings(const std::string& name);
  std::vector<JsonFields> Objects(const std::string& name);
  std::optional<JsonFields> OptionalObject(const std::string& name);

  /// Throws if a field was not read. Otherwise a mistyped name would have no effect.
  void RefuseOthers() const;
  [[noreturn]] void Refuse(const std::string& name, const std::string& why) const;

 private:
  const nlohmann::json* Take(const std::string& name);
  [[nodiscard]] std::string PathOf(const std::string& name) const;

  const nlohmann::json* object_;
  std::string path_;
  std::set<std::string> taken_ = {};
};

}  // namespace gcsflux::emulator
