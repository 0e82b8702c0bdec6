// The SDK's calls about objects that move no bytes through the client.

#include <algorithm>

#include "gcsflux/listing.h"
#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

constexpr auto kChangedType = "text/changed";

Preconditions NewObject(const Scene& scene) {
  if (!scene.with_precondition) return {};
  return {.if_generation_match = 0};
}

Preconditions SameMetadata(const Scene& scene) {
  if (!scene.with_precondition) return {};
  return {.if_metageneration_match = 1};
}

Result<void> CheckListed(const Scene& scene, const std::vector<ObjectMetadata>& objects) {
  const bool is_listed = std::any_of(objects.begin(), objects.end(), [&scene](const ObjectMetadata& object) {
    return object.name == scene.object.name && object.generation == scene.generation;
  });
  if (!is_listed) return Unexpected("the object is missing in the list");
  return {};
}

Result<void> GetObject(const Client& client, Scene& scene) {
  const auto found = client.GetObject(scene.object);
  if (!found.ok()) return found.error();
  if (found->generation != scene.generation) return Unexpected("the generation is another");
  return {};
}

Result<void> ListObjects(const Client& client, Scene& scene) {
  const auto page = client.ListObjects({scene.bucket});
  if (!page.ok()) return page.error();
  return CheckListed(scene, page->objects);
}

Result<void> ListAll(const Client& client, Scene& scene) {
  const auto listing = ListPrefix(client, {scene.bucket, ""});
  if (!listing.ok()) return listing.error();
  return CheckListed(scene, listing->objects);
}

Result<void> Patch(const Client& client, Scene& scene) {
  return WithoutValue(
      client.PatchObject(scene.object, {.content_type = kChangedType}, {.preconditions = SameMetadata(scene)}));
}

Result<void> Update(const Client& client, Scene& scene) {
  return WithoutValue(
      client.UpdateObject(scene.object, {.content_type = kChangedType}, {.preconditions = SameMetadata(scene)}));
}

std::string CheckChanged(const Service& service, const Scene& scene) {
  return WhyNotChangedOnce(service, scene.object, kChangedType);
}

Result<void> Compose(const Client& client, Scene& scene) {
  return WithoutValue(client.ComposeObjects({{.name = scene.object.name}, {.name = scene.object.name}},
                                            scene.new_object, {.preconditions = NewObject(scene)}));
}

std::string CheckComposed(const Service& service, const Scene& scene) {
  return WhyNotStoredOnce(service, scene.new_object, ObjectBytes() + ObjectBytes());
}

Result<void> Copy(const Client& client, Scene& scene) {
  return WithoutValue(client.CopyObject(scene.object, scene.new_object, {.preconditions = NewObject(scene)}));
}

// Takes two requests: a rewrite that moves 1 MiB at a time must continue.
Result<void> Rewrite(const Client& client, Scene& scene) {
  return WithoutValue(client.RewriteObject(scene.object, scene.new_object,
                                           {.preconditions = NewObject(scene), .max_bytes_per_request = 1 << 20}));
}

std::string CheckCopied(const Service& service, const Scene& scene) {
  return WhyNotStoredOnce(service, scene.new_object, ObjectBytes());
}

Result<void> DeleteObject(const Client& client, Scene& scene) {
  Preconditions preconditions;
  if (scene.with_precondition) preconditions.if_generation_match = scene.generation;
  return client.DeleteObject(scene.object, {.preconditions = preconditions});
}

Result<void> DeleteGeneration(const Client& client, Scene& scene) {
  return client.DeleteObject(scene.object, {.generation = scene.generation});
}

std::string CheckObjectDeleted(const Service& service, const Scene& scene) {
  return WhyNot(404, service, ObjectTarget(scene.object));
}

constexpr SdkCall kObjectCalls[] = {
    {"storage.objects.compose", "", "ComposeObjects", Repeatable::kUnderPrecondition, &Compose, &CheckComposed},
    {"storage.objects.copy", "", "CopyObject", Repeatable::kUnderPrecondition, &Copy, &CheckCopied},
    {"storage.objects.delete", "", "DeleteObject", Repeatable::kUnderPrecondition, &DeleteObject, &CheckObjectDeleted},
    {"storage.objects.delete", "", "DeleteObject.Generation", Repeatable::kByItself, &DeleteGeneration,
     &CheckObjectDeleted},
    {"storage.objects.get", "", "GetObject", Repeatable::kAlways, &GetObject, &NothingToCheck},
    {"storage.objects.list", "", "ListObjects", Repeatable::kAlways, &ListObjects, &NothingToCheck},
    {"storage.objects.list", "", "ListPrefix", Repeatable::kAlways, &ListAll, &NothingToCheck},
    {"storage.objects.patch", "", "PatchObject", Repeatable::kUnderPrecondition, &Patch, &CheckChanged},
    {"storage.objects.rewrite", "", "RewriteObject", Repeatable::kUnderPrecondition, &Rewrite, &CheckCopied},
    {"storage.objects.update", "", "UpdateObject", Repeatable::kUnderPrecondition, &Update, &CheckChanged},
};

}  // namespace

std::span<const SdkCall> ObjectCalls() { return kObjectCalls; }

}  // namespace gcsflux::conformance
