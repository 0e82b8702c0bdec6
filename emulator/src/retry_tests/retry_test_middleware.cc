#include "retry_tests/retry_test_middleware.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/body_size.h"
#include "http/error_answer.h"
#include "operations/known_operations.h"
#include "retry_tests/unreachable_buckets.h"

namespace gcsflux::emulator {
namespace {

using Kind = RetryInstruction::Kind;

constexpr std::string_view kIdHeader = "x-retry-test-id";
constexpr std::uint64_t kFewBytes = 10;  // "a few bytes of the body are sent"

// Takes the instruction off its queue only when it is carried out: an instruction that does not apply stays.
class TakeInstruction final : public Firing {
 public:
  TakeInstruction(RetryTests& tests, std::string id, std::string_view method, RetryTests::Head head)
      : tests_(tests), id_(std::move(id)), method_(method), head_(std::move(head)) {}

  bool Fire() override {
    if (!is_taken_) is_taken_ = tests_.Take(id_, method_, head_);
    return *is_taken_;
  }

 private:
  RetryTests& tests_;
  const std::string id_;
  const std::string_view method_;  // never destroyed
  const RetryTests::Head head_;
  std::optional<bool> is_taken_;
};

class UnknownTest final : public Interceptor {
 public:
  std::optional<HttpResponse> Before(const RequestContext& context) override {
    return ErrorAnswer(context.preview.is_xml, {404, "notFound", "No such retry test."});
  }
};

// The operation runs, and its answer breaks off within its body. An answer without a body is not sent at all.
class BreakStream final : public Interceptor {
 public:
  BreakStream(std::uint64_t bytes, std::shared_ptr<Firing> firing) : bytes_(bytes), firing_(std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& subject, const RequestContext& context) override {
    const std::uint64_t size = BodySize(response).value_or(UINT64_MAX);
    FaultAction action{.type = "loseAnswer"};
    if (size != 0) action = {.type = "cut", .after_bytes = std::min(bytes_, size - 1)};
    MakeInterceptor(action, firing_)->After(response, subject, context);
  }

 private:
  const std::uint64_t bytes_;
  const std::shared_ptr<Firing> firing_;
};

// The same, only for the request that completes a resumable upload.
class BreakFinalAnswer final : public Interceptor {
 public:
  BreakFinalAnswer(std::uint64_t bytes, std::shared_ptr<Firing> firing) : break_(bytes, std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& subject, const RequestContext& context) override {
    const bool is_completion = subject.committed_generation != 0 && !subject.phase.empty();
    if (is_completion) break_.After(response, subject, context);
  }

 private:
  BreakStream break_;
};

// Null if the instruction cannot apply to the request.
std::unique_ptr<Interceptor> CarryOut(const RetryInstruction& instruction, const RequestContext& context,
                                      std::shared_ptr<Firing> firing) {
  const auto status = static_cast<std::uint64_t>(instruction.status);
  const std::string_view method = RetryMethodOf(context.preview.subject.operation);
  const bool is_insert = method == "storage.objects.insert";
  const bool is_get = method == "storage.objects.get";
  const bool is_list = method.ends_with(".list");
  switch (instruction.kind) {
    case Kind::kReturnStatus: return MakeInterceptor({.type = "status", .status = status}, std::move(firing));
    case Kind::kResetConnection: return MakeInterceptor({.type = "reset"}, std::move(firing));
    case Kind::kBrokenStream: return std::make_unique<BreakStream>(kFewBytes, std::move(firing));
    case Kind::kBrokenStreamAfter:
      if (!is_get) return nullptr;
      return MakeInterceptor({.type = "cut", .after_bytes = instruction.bytes}, std::move(firing));
    case Kind::kStatusAfter:
      if (!is_insert) return nullptr;
      return MakeInterceptor({.type = "failUpload", .status = status, .after_bytes = instruction.bytes},
                             std::move(firing));
    case Kind::kBrokenFinalChunk: return std::make_unique<BreakFinalAnswer>(instruction.bytes, std::move(firing));
    case Kind::kStallAfter:
      if (!is_insert && !is_get && !is_list) return nullptr;
      return MakeInterceptor({.type = is_insert ? "stallUpload" : "stall",
                              .after_bytes = instruction.bytes,
                              .duration = instruction.stall},
                             std::move(firing));
    case Kind::kUnreachableBuckets:
      if (method != "storage.buckets.list") return nullptr;
      return std::make_unique<UnreachableBuckets>(instruction.buckets, std::move(firing));
  }
  return nullptr;
}

}  // namespace

bool RetryTestMiddleware::Concerns(const HttpRequest& request) const {
  return request.headers.Find(kIdHeader) != nullptr;
}

void RetryTestMiddleware::Intercept(const RequestContext& context, Interceptors& interceptors) {
  const std::string* id = context.request.headers.Find(kIdHeader);
  if (id == nullptr) return;
  if (!tests_.Find(*id)) {
    interceptors.push_back(std::make_unique<UnknownTest>());
    return;
  }
  const std::string_view method = RetryMethodOf(context.preview.subject.operation);
  const std::optional<RetryTests::Head> head = tests_.Peek(*id, method);
  if (!head) return;
  auto interceptor =
      CarryOut(head->instruction, context, std::make_shared<TakeInstruction>(tests_, *id, method, *head));
  if (interceptor != nullptr) interceptors.push_back(std::move(interceptor));
}

}  // namespace gcsflux::emulator
