#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// A queue of instructions for each method, such as "storage.objects.get". Requests with the header x-retry-test-id
/// meet them: docs/emulator/retry_tests.md.
using RetryInstructions = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The state of a test.
struct RetryTest {
  std::string id = {};
  RetryInstructions instructions = {};  ///< The instructions that are left.
  bool is_completed = false;            ///< No instruction is left.
};

/// The Retry Test API in process. Thread-safe.
class RetryTestControl {
 public:
  virtual ~RetryTestControl() = default;

  /// Throws std::invalid_argument, which names the method and the instruction, if one is unknown or if there is none.
  virtual RetryTest Make(const RetryInstructions& instructions) = 0;
  [[nodiscard]] virtual std::optional<RetryTest> Find(std::string_view id) const = 0;
  [[nodiscard]] virtual std::vector<RetryTest> List() const = 0;
  /// Returns false if no test has that id.
  virtual bool Delete(std::string_view id) = 0;
};

}  // namespace gcsflux::emulator
