#pragma once

#include <functional>
#include <memory>

#include "api/access_control_list.h"
#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// The access control lists of buckets, of their new objects, or of objects; one class for the three kinds.
/// https://cloud.google.com/storage/docs/json_api/v1/objectAccessControls. Thread-safe.
class AclEndpoints {
 public:
  AclEndpoints(Store& store, AclKind kind) : store_(store), kind_(kind) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  /// Of an entity that the list has already it changes the role.
  ApiResult<HttpResponse> Insert(const ApiCall& call) const;
  /// Also an update: there is nothing but the role to change.
  ApiResult<HttpResponse> Patch(const ApiCall& call) const;
  ApiResult<HttpResponse> Delete(const ApiCall& call) const;

 private:
  struct State;
  /// May be called more than once. Returns false if the list has no such entity; then nothing is changed.
  using Edit = std::function<bool(AccessControlList&)>;

  [[nodiscard]] ApiResult<std::shared_ptr<Bucket>> FindBucket(const ApiCall& call) const;
  [[nodiscard]] ApiResult<State> Read(const ApiCall& call) const;
  [[nodiscard]] ApiResult<State> Change(const ApiCall& call, const Edit& edit) const;
  [[nodiscard]] ApiResult<State> ChangeOfBucket(Bucket& bucket, const Edit& edit) const;
  [[nodiscard]] static ApiResult<State> ChangeOfObject(const ApiCall& call, Bucket& bucket, const Edit& edit);
  [[nodiscard]] ApiResult<HttpResponse> Show(const ApiCall& call, const State& state, const std::string& entity) const;

  Store& store_;
  const AclKind kind_;
};

}  // namespace gcsflux::emulator
