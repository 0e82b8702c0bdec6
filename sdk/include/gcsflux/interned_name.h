#pragma once

#include <string>
#include <string_view>

namespace gcsflux {

/// A name of which a bucket has few, such as "STANDARD" or a Cloud KMS key's, in the memory of a pointer, because
/// listings hold millions. Thread-safe.
class InternedName {
 public:
  /// The empty name.
  InternedName() = default;
  /// Each name is kept once, until the program ends. After 4,096 names every further one is "OTHER", as is a name of
  /// more than 1,024 bytes.
  explicit InternedName(std::string_view name);

  [[nodiscard]] const std::string& name() const { return name_ == nullptr ? Empty() : *name_; }
  [[nodiscard]] bool empty() const { return name_ == nullptr; }

  friend bool operator==(InternedName a, InternedName b) { return a.name_ == b.name_; }
  friend bool operator==(InternedName a, std::string_view b) { return a.name() == b; }

 private:
  static const std::string& Empty();
  const std::string* name_ = nullptr;  // Null: the empty name.
};

}  // namespace gcsflux
