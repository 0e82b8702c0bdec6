#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "json_api/api_call.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// A long-running operation that is over: here they take no time. Its metadata, and its result, are JSON of the types
/// that they name.
struct FinishedOperation {
  std::string type = {};  ///< "rename-folder": what was done.
  Time started = {};
  const nlohmann::ordered_json& metadata;
  const nlohmann::ordered_json& response;
};

/// Keeps the operation with its bucket, which remembers the last 100, and answers with its resource.
ApiResult<HttpResponse> AnswerOperation(const ApiCall& call, Bucket& bucket, const FinishedOperation& operation);

/// https://cloud.google.com/storage/docs/json_api/v1/operations: those of a bucket. Thread-safe.
class OperationEndpoints {
 public:
  explicit OperationEndpoints(Store& store) : store_(store) {}

  ApiResult<HttpResponse> List(const ApiCall& call) const;
  ApiResult<HttpResponse> Get(const ApiCall& call) const;
  /// An operation that is over stays as it is.
  ApiResult<HttpResponse> Cancel(const ApiCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
