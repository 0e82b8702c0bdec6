#include "retry/retry_loop.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "retry/backoff.h"
#include "retry/remedy.h"
#include "retry/transient.h"

namespace gcsflux::internal {
namespace {

std::string InSeconds(std::chrono::nanoseconds duration) {
  std::array<char, 32> text{};
  const double seconds = std::max(0.0, std::chrono::duration<double>(duration).count());
  const auto end = std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 1).ptr;
  return std::string(text.data(), end) + " s";
}

}  // namespace

Attempts::Attempts(const Call& call, const RetryOptions& options, const Timing& timing)
    : call_(call), options_(options), timing_(timing), start_(timing.Now()), progress_(start_) {}

void Attempts::NoteProgress() {
  progress_ = timing_.Now();
  failures_ = 0;
}

std::optional<Error> Attempts::Failed(const Error& error) {
  if (!IsTransient(error)) return Final(error, "");
  if (!call_.is_idempotent) return Final(error, "not repeated: without a precondition it could take effect twice");
  if (number_ >= options_.max_attempts) return Final(error, "no attempts left");
  ++failures_;
  was_ambiguous_ = was_ambiguous_ || IsAmbiguous(error);
  const auto delay = BackoffDelay(options_, failures_, timing_.Random());
  if (timing_.Now() + delay >= progress_ + options_.deadline) {
    return Final(error, "deadline " + InSeconds(options_.deadline) + "; raise RetryOptions::deadline to wait longer");
  }
  if (!timing_.Wait(delay, call_.stop)) {
    return Final(Error{ErrorCode::kCancelled, "cancelled while waiting to repeat: " + error.message}, "");
  }
  ++number_;
  return std::nullopt;
}

Error Attempts::Final(const Error& error, std::string_view why_final) const {
  Error final = error;
  final.message = std::string(call_.operation) + " " + call_.subject + ": " + error.message;
  if (number_ > 1) {
    final.message += " after " + std::to_string(number_) + " attempts in " + InSeconds(timing_.Now() - start_);
  }
  if (!why_final.empty()) final.message += " (" + std::string(why_final) + ")";
  if (const auto remedy = Remedy(error); !remedy.empty()) final.message += "; " + std::string(remedy);
  return final;
}

}  // namespace gcsflux::internal
