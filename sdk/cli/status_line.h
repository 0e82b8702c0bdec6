#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace gcsflux::cli {

/// A line at the foot of the terminal that says how far a command is, written anew five times a second; nothing where
/// standard error is no terminal, or --noprogress. Thread-safe but for End().
class StatusLine {
 public:
  /// What it shows, in at most `columns` columns and without a line's end. Called by a thread of its own.
  using Text = std::function<std::string(double seconds, std::size_t columns)>;

  explicit StatusLine(Text text);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  [[nodiscard]] bool has_terminal() const { return has_terminal_; }
  /// Since it was made.
  [[nodiscard]] double seconds() const;
  /// Says something on standard error, above the line.
  void Say(const std::string& line);
  /// Takes it away. Once.
  void End();

 private:
  void Show(const std::stop_token& stop);

  const Text text_;
  const bool has_terminal_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex terminal_;  // Whoever writes on standard error.
  std::condition_variable_any tick_;
  std::jthread shower_;
};

}  // namespace gcsflux::cli
