#pragma once

#include <string>
#include <string_view>

namespace gcsflux {

/// A storage class by name, such as "STANDARD", in the memory of a pointer, because listings hold millions.
/// Thread-safe.
class StorageClass {
 public:
  /// The empty name.
  StorageClass() = default;
  /// Each name is kept once, until the program ends. The service has few of them; after 256 names every further one is
  /// "OTHER".
  explicit StorageClass(std::string_view name);

  [[nodiscard]] const std::string& name() const { return name_ == nullptr ? Empty() : *name_; }

  friend bool operator==(StorageClass a, StorageClass b) { return a.name_ == b.name_; }
  friend bool operator==(StorageClass a, std::string_view b) { return a.name() == b; }

 private:
  static const std::string& Empty();
  const std::string* name_ = nullptr;  // Null: the empty name.
};

}  // namespace gcsflux
