#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::cli {

/// What one check of a bucket has found.
struct Finding {
  enum class Outcome {
    kOk,
    kWarning,  ///< It works, but costs more or is slower than needed.
    kFailed,
    kSkipped,  ///< It could not be checked.
  };
  Outcome outcome = Outcome::kOk;
  std::string check = {};   ///< A word or two: "soft delete".
  std::string text = {};    ///< What was found.
  std::string remedy = {};  ///< What to change; empty if nothing.
};

/// Prints findings as they come, as lines or as JSON, and counts them. Used by one thread.
class DoctorReport {
 public:
  void Add(const Finding& finding);
  void Ok(const std::string& check, const std::string& text) { Add({Finding::Outcome::kOk, check, text}); }
  void Warn(const std::string& check, const std::string& text, const std::string& remedy) {
    Add({Finding::Outcome::kWarning, check, text, remedy});
  }
  void Fail(const std::string& check, const std::string& text, const std::string& remedy) {
    Add({Finding::Outcome::kFailed, check, text, remedy});
  }
  void Skip(const std::string& check, const std::string& text) { Add({Finding::Outcome::kSkipped, check, text}); }

  /// Sums up. An error if a check has failed.
  Result<void> Finish() const;

 private:
  std::uint64_t checks_ = 0;
  std::uint64_t warnings_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace gcsflux::cli
