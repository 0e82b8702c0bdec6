#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

#include "gcsflux/events.h"

namespace gcsflux::testing {

/// All output of a client: its log at the lowest level, its trace, and the errors that a test adds.
class Heard {
 public:
  Heard() : file_(::testing::TempDir() + "heard-" + std::to_string(::getpid()) + ".json") {}
  ~Heard() { std::filesystem::remove(file_); }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;

  [[nodiscard]] std::shared_ptr<EventListener> listener() const { return listener_; }

  template <class T>
  void MustFail(const Result<T>& result) {
    ASSERT_FALSE(result.ok());
    Add(result.error().message + "\n" + result.error().reason);
  }
  template <class T>
  void MayFail(const Result<T>& result) {
    if (!result.ok()) MustFail(result);
  }

  /// The output since the last call; nothing of the trace.
  std::string Take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(told_, "");
  }
  /// The complete output, at the end.
  std::string Trace() {
    EXPECT_TRUE(trace_->Close().ok());
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

 private:
  void Add(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    told_ += line + "\n";
  }

  const std::string file_;
  std::mutex mutex_;
  std::string told_;
  const std::shared_ptr<TraceWriter> trace_ = *TraceWriter::Open(file_);
  const std::shared_ptr<EventListener> listener_ = CombineListeners(
      {MakeLogger(LogLevel::kDebug, [this](LogLevel, std::string_view line) { Add(std::string(line)); }), trace_});
};

}  // namespace gcsflux::testing
