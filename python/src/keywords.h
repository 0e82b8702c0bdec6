#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gcsflux/download.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

// Options as keyword arguments: with the names of the command's flags, where there is such a flag.
namespace gcsflux::python {

/// The keyword arguments of one call. None keeps the option's default.
class Keywords {
 public:
  explicit Keywords(const nanobind::kwargs& given) : rest_(given) {}  ///< Takes them over.

  /// Sets the option if the argument is given. Numbers of a duration are seconds. Raises TypeError for a value of
  /// another type.
  template <class T>
  void Take(const std::string& name, T& option) {
    if constexpr (IsDuration<T>::value) {
      double seconds = 0;
      if (!TakeAs(name, seconds)) return;
      option = std::chrono::duration_cast<T>(std::chrono::duration<double>(seconds));
    } else {
      TakeAs(name, option);
    }
  }

  /// Sets the option to the value of that name. Raises InvalidArgumentError for another name.
  template <class T, std::size_t N>
  void TakeNamed(const std::string& name, T& option, const std::pair<const char*, T> (&values)[N]) {
    std::string text;
    if (!TakeAs(name, text)) return;
    std::string all;
    for (const auto& [known, value] : values) {
      if (text == known) {
        option = value;
        return;
      }
      all += (all.empty() ? "" : ", ") + std::string(known);
    }
    RaiseWrongName(name, text, all);
  }

  /// Raises TypeError if an argument is left that no option has.
  void Finish(const char* function) const;

 private:
  template <class T>
  struct IsDuration : std::false_type {};
  template <class Count, class Period>
  struct IsDuration<std::chrono::duration<Count, Period>> : std::true_type {};

  template <class T>
  bool TakeAs(const std::string& name, T& value) {
    if (!rest_.contains(name.c_str())) return false;
    const nanobind::object given = rest_[name.c_str()];
    nanobind::del(rest_[name.c_str()]);
    if (given.is_none()) return false;
    if (!nanobind::try_cast(given, value)) RaiseWrongType(name, given);
    return true;
  }

  [[noreturn]] static void RaiseWrongType(const std::string& name, nanobind::handle given);
  [[noreturn]] static void RaiseWrongName(const std::string& name, const std::string& given, const std::string& all);

  nanobind::kwargs rest_;
};

/// What Client(...) takes.
struct Options {
  ClientOptions client = {};
  DownloaderOptions download = {.max_concurrency = 256, .adapts_concurrency = true};
  ObjectReaderOptions reader = {};
  UploadOptions upload = {};
};

Options TakeClientOptions(Keywords& keywords);

/// The options of one write, over those of the client.
UploadOptions TakeUploadOptions(Keywords& keywords, UploadOptions options);

Preconditions TakePreconditions(Keywords& keywords);
ObjectChanges TakeChanges(Keywords& keywords);
BucketOptions TakeBucketOptions(Keywords& keywords);

}  // namespace gcsflux::python
