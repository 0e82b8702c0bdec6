#include "program/access_token.h"

#include <sstream>
#include <system_error>

#include "base/read_file.h"
#include "case/excerpt.h"

namespace gcsflux::conformance {

OrError<void> AccessToken::Load() {
  if (path_.empty()) return {};
  std::error_code ignored;
  const auto written = std::filesystem::last_write_time(path_, ignored);
  std::istringstream file(ReadFile(path_).value_or(""));
  std::string token;
  if (!(file >> token)) return Failed("--access_token_file: " + path_ + " cannot be read or holds no token");
  const std::scoped_lock lock(mutex_);
  written_ = written;
  if (tokens_.empty() || tokens_.back() != token) tokens_.push_back(token);
  return {};
}

std::string AccessToken::Current() {
  if (path_.empty()) return "";
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path_, error);
  const auto has_changed = [&] {
    const std::scoped_lock lock(mutex_);
    return !error && written != written_;
  };
  if (has_changed()) static_cast<void>(Load());
  const std::scoped_lock lock(mutex_);
  return tokens_.empty() ? "" : tokens_.back();
}

std::string AccessToken::RedactIn(std::string text) const {
  const std::scoped_lock lock(mutex_);
  for (const std::string& token : tokens_) text = Redact(std::move(text), token);
  return tokens_.empty() ? Redact(std::move(text), "") : text;
}

}  // namespace gcsflux::conformance
