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

/// A line at the bottom of the terminal that shows the progress of a command, five times a second. If standard error is
/// not a terminal, with --noprogress or --quiet, or if it is not wanted, it shows nothing. Thread-safe, except End().
class StatusLine {
 public:
  /// Makes the text, of at most `columns` columns, without a line end. Its own thread calls it.
  using Text = std::function<std::string(double seconds, std::size_t columns)>;

  explicit StatusLine(Text text, bool is_wanted = true);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  [[nodiscard]] bool has_terminal() const { return has_terminal_; }
  /// Since it was made.
  [[nodiscard]] double seconds() const;
  /// Writes a message to standard error, above the line.
  void Say(const std::string& line);
  /// Removes the line. Call it once.
  void End();

 private:
  void Show(const std::stop_token& stop);

  const Text text_;
  const bool has_terminal_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex terminal_;  // Guards the writes to standard error.
  std::condition_variable_any tick_;
  std::jthread shower_;
};

}  // namespace gcsflux::cli
