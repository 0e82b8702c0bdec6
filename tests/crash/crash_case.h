#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::crash {

/// A promise was not kept.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call failed, as under faults it may. It can be repeated.
class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where an operation works: its own prefix of a bucket, and its own directory.
struct Place {
  Client client;
  std::string endpoint = {};
  std::string bucket = {};
  std::string prefix = {};  ///< Ends with '/'.
  std::filesystem::path directory = {};

  [[nodiscard]] ObjectName At(const std::string& name) const { return {bucket, prefix + name}; }
  [[nodiscard]] std::string UriOf(const std::string& name) const { return ToUri(At(name)); }
};

/// An operation that a process can die in, and what must hold after that.
struct CrashCase {
  std::string_view name;
  void (*prepare)(const Place&);
  /// In the process that dies; throws Failed if the operation fails. A later call continues or repeats it.
  void (*act)(const Place&);
  /// After any number of deaths: what is there is old or new, nothing is lost, and a last act() completes it. Throws
  /// Broken. Leftovers that `clean` finds are for ExpectNothingLeft().
  void (*check)(const Place&);
  /// Arguments of the program gcsflux, which acts in place of act(). Null: act() does.
  std::vector<std::string> (*command)(const Place&) = nullptr;
};

const std::vector<CrashCase>& CrashCases();
const CrashCase* FindCase(std::string_view name);

std::vector<CrashCase> UploadCases();
std::vector<CrashCase> DownloadCases();
std::vector<CrashCase> CheckpointCases();
std::vector<CrashCase> DatasetCases();
std::vector<CrashCase> CommandCases();

/// One that retries soon and often, under faults too.
Client MakeClient(const std::string& endpoint);

/// How a child process ended.
struct ChildEnd {
  bool is_killed = false;
  bool has_failed = false;  ///< Its operation failed, as it may under faults.
  bool is_broken = false;   ///< It saw a broken promise, or crashed.
  std::string errors = {};  ///< What it wrote to stderr.
};

/// Runs `CrashCase::act` in a child process, which dies at a place; 0 is none. With `effects`, the child appends a line
/// for each place to that file.
ChildEnd ActInChild(const CrashCase& operation, const Place& place, int die_at, const std::string& effects = {});
/// The same to the end, by this process or the program.
void ActToTheEnd(const CrashCase& operation, const Place& place);
/// What the child runs if its first argument is "--act": returns its exit status. Nothing for other arguments.
std::optional<int> ActAsChild(int argc, char** argv);
/// Whether the program gcsflux is beside this one.
bool HasCommand();

/// After CleanComposites() the bucket has no temporary object and no upload. For a bucket at rest.
void ExpectNothingLeft(const Client& client, const std::string& bucket);

/// Empty if it cannot be read.
std::string ReadFile(const std::filesystem::path& path);
/// Bytes that only this name and place have.
std::string BytesOf(const Place& place, std::string_view name, std::size_t size);

template <class T>
T Must(Result<T> result) {
  if (!result) throw Failed(result.error().message);
  return *std::move(result);
}
inline void Must(const Result<void>& result) {
  if (!result) throw Failed(result.error().message);
}

/// Calls until it succeeds; faults end a call now and then.
template <class Call>
auto Surely(const Call& call) {
  constexpr int kTries = 50;
  for (int i = 1; i < kTries; ++i) {
    if (auto result = call()) return Must(std::move(result));
  }
  return Must(call());
}

/// Repeats what throws Failed until it succeeds.
template <class Act>
void SurelyDo(const Act& act) {
  Surely([&]() -> Result<void> {
    try {
      act();
    } catch (const Failed& failure) {
      return Error{ErrorCode::kUnavailable, failure.what()};
    }
    return {};
  });
}

inline void Expect(bool holds, const std::string& promise) {
  if (!holds) throw Broken(promise);
}

}  // namespace gcsflux::crash
