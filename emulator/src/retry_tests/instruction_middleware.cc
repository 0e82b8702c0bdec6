#include "retry_tests/instruction_middleware.h"

#include <chrono>
#include <string>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "http/error_answer.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t k256Kib = std::uint64_t{256} << 10;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::chrono::seconds kStall{10};  // (unverified), like the byte at which "stall-always" stalls

const std::string* FindInstruction(const HttpRequest& request) {
  const std::string* instruction = request.headers.Find("x-goog-emulator-instructions");
  return instruction != nullptr ? instruction : request.headers.Find("x-goog-testbench-instructions");
}

// Every request that asks for it gets it, each time.
class EveryTime final : public Firing {
 public:
  bool Fire() override { return true; }
};

class UnknownInstruction final : public Interceptor {
 public:
  explicit UnknownInstruction(std::string instruction) : instruction_(std::move(instruction)) {}
  std::optional<HttpResponse> Before(const RequestContext& context) override {
    return ErrorAnswer(
        context.preview.is_xml,
        {400, "invalidArgument", "'" + instruction_ + "' is not an instruction of x-goog-emulator-instructions."});
  }

 private:
  const std::string instruction_;
};

// The fault for a read. Nothing if the instruction is not for reads, or not for this one.
std::optional<FaultAction> ForRead(const std::string& instruction, std::uint64_t range_start) {
  const bool is_from_start = range_start == 0;
  if (instruction == "return-broken-stream") return FaultAction{.type = "cut", .after_bytes = kMib, .resets = true};
  if (instruction == "return-corrupted-data") return FaultAction{.type = "corrupt", .at_byte = range_start};
  if (instruction == "stall-always") return FaultAction{.type = "stall", .after_bytes = 0, .duration = kStall};
  if (instruction == "stall-at-256KiB" && is_from_start) {
    return FaultAction{.type = "stall", .after_bytes = k256Kib, .duration = kStall};
  }
  if (instruction == "return-503-after-256K" && is_from_start)
    return FaultAction{.type = "cut", .after_bytes = k256Kib};
  if (instruction == "return-503-after-256K") return FaultAction{.type = "status", .status = 503};
  return std::nullopt;
}

// The fault for an upload. An upload that continues after its first 256 KiB gets none, or it would never end.
std::optional<FaultAction> ForUpload(const std::string& instruction, const RequestPreview& preview) {
  if (instruction == "inject-upload-data-error") return FaultAction{.type = "corruptUpload", .at_byte = 0};
  if (instruction == "return-503-after-256K" && preview.range_start.value_or(0) < k256Kib) {
    return FaultAction{.type = "failUpload", .status = 503, .after_bytes = k256Kib};
  }
  return std::nullopt;
}

std::optional<FaultAction> ForList(const std::string& instruction) {
  if (instruction == "stall-always") return FaultAction{.type = "stall", .after_bytes = 0, .duration = kStall};
  if (instruction == "stall-at-256KiB") {
    return FaultAction{.type = "stall", .after_bytes = k256Kib, .duration = kStall};
  }
  return std::nullopt;
}

bool IsKnown(const std::string& instruction) {
  return instruction == "stall-at-256KiB" || instruction == "inject-upload-data-error" || ForRead(instruction, 0);
}

}  // namespace

bool InstructionMiddleware::Concerns(const HttpRequest& request) const { return FindInstruction(request) != nullptr; }

void InstructionMiddleware::Intercept(const RequestContext& context, Interceptors& interceptors) {
  const std::string* instruction = FindInstruction(context.request);
  if (instruction == nullptr) return;
  const RequestPreview& preview = context.preview;
  const auto add = [&](const FaultAction& action) {
    interceptors.push_back(MakeInterceptor(action, std::make_shared<EveryTime>()));
  };
  if (!IsKnown(*instruction)) {
    interceptors.push_back(std::make_unique<UnknownInstruction>(*instruction));
  } else if (preview.is_media_read) {
    if (const auto action = ForRead(*instruction, preview.range_start.value_or(0))) add(*action);
  } else if (preview.subject.operation == "storage.objects.insert") {
    if (const auto action = ForUpload(*instruction, preview)) add(*action);
  } else if (preview.subject.operation.ends_with(".list")) {
    if (const auto action = ForList(*instruction)) add(*action);
  }
}

}  // namespace gcsflux::emulator
