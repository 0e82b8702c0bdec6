#pragma once

#include <cstdint>
#include <string>

#include "base/or_error.h"
#include "gcsflux/object.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// The objects that a call works on, in a bucket that nothing else uses. Raw HTTP sets it up and checks it afterwards,
/// so that the SDK does not judge itself. The bucket keeps old generations, so a double write is visible.
struct Scene {
  std::string bucket = {};
  std::string new_bucket = {};     ///< The name of one that does not exist yet.
  ObjectName object = {};          ///< Its bytes are ObjectBytes(). It exists only if the scenario asks for it.
  std::int64_t generation = 0;     ///< Of the object.
  ObjectName new_object = {};      ///< Not there yet.
  bool with_precondition = false;  ///< The call must set one.
  std::string received = {};       ///< Bytes that the call has read.
};

/// Enough to be cut after 256 KiB, also within a quarter of it.
const std::string& ObjectBytes();
/// What calls store: "about 9 MiB", in the words of the public scenarios of resumable uploads.
const std::string& UploadBytes();

Scene NameScene(const std::string& bucket);

/// Makes the bucket and, if the scenario asks for it, the object. After an error, parts of it may exist.
OrError<void> SetUp(const Service& service, Scene& scene, bool with_object);

/// An error says why parts of it may still exist.
OrError<void> RemoveScene(const Service& service, const Scene& scene);

/// The bytes of the object. An error if it has not exactly one generation.
OrError<std::string> StoredOnce(const Service& service, const ObjectName& object);

// What is wrong with what a call did. Empty if nothing is.
std::string WhyNotStoredOnce(const Service& service, const ObjectName& object, const std::string& bytes);
std::string WhyNotChangedOnce(const Service& service, const ObjectName& object, const std::string& content_type);
/// Why the answer to `target` does not have that status. Empty if it has.
std::string WhyNot(int status, const Service& service, const std::string& target);
/// Generations under `prefix`, noncurrent ones included.
std::string WhyNotEmpty(const Service& service, const std::string& bucket, const std::string& prefix);
std::string WhyNotReceived(const Scene& scene, const std::string& bytes);

/// What differs from the state that SetUp() left. Empty if nothing does.
std::string WhyNotUntouched(const Service& service, const Scene& scene);

std::string BucketTarget(const std::string& bucket);
std::string ObjectTarget(const ObjectName& object);

}  // namespace gcsflux::conformance
