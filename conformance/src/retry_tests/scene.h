#pragma once

#include <cstdint>
#include <string>

#include "base/or_error.h"
#include "gcsflux/object.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// What a call works on: a bucket that nothing else uses. It is set up, and looked at afterwards, by raw HTTP, so that
/// the SDK is not its own judge. The bucket keeps old generations: what was stored twice can be seen.
struct Scene {
  std::string bucket = {};
  std::string new_bucket = {};     ///< The name of one that is not there yet.
  ObjectName object = {};          ///< Its bytes are ObjectBytes(); not there unless it was asked for.
  std::int64_t generation = 0;     ///< Of the object.
  ObjectName new_object = {};      ///< Not there yet.
  bool with_precondition = false;  ///< The call is to be given one.
  std::string received = {};       ///< Bytes that the call has read.
};

/// Enough to be cut after 256 KiB, in a quarter of it too.
const std::string& ObjectBytes();
/// What calls store: "about 9 MiB", as the public scenarios of resumable uploads have it.
const std::string& UploadBytes();

Scene NameScene(const std::string& bucket);

/// Makes the bucket and, where it is asked for, the object. After an error there may be some of it.
OrError<void> SetUp(const Service& service, Scene& scene, bool with_object);

/// An error says why something of it may still be there.
OrError<void> RemoveScene(const Service& service, const Scene& scene);

// What is wrong with what a call did; empty where nothing is.
std::string WhyNotStoredOnce(const Service& service, const ObjectName& object, const std::string& bytes);
std::string WhyNotChangedOnce(const Service& service, const ObjectName& object, const std::string& content_type);
/// `target` is answered with that status.
std::string WhyNot(int status, const Service& service, const std::string& target);
std::string WhyNotReceived(const Scene& scene, const std::string& bytes);

/// Anything is other than SetUp() left it.
std::string WhyNotUntouched(const Service& service, const Scene& scene);

std::string BucketTarget(const std::string& bucket);
std::string ObjectTarget(const ObjectName& object);

}  // namespace gcsflux::conformance
