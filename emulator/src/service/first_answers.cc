#include "service/first_answers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/letter_case.h"
#include "http/error_answer.h"
#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxToken = 128;     // a UUID has 36
constexpr std::size_t kMaxBody = 1 << 16;  // an object's resource has some KiB
constexpr std::chrono::seconds kPatience{10};

// Headers that say what to do, apart from those of one attempt.
bool IsAboutTheRequest(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"x-goog-", "x-amz-", "x-upload-", "content-", "if-"};
  constexpr std::array<std::string_view, 9> kOfAttempt = {
      "x-goog-api-client",    "x-goog-gcs-idempotency-token", "x-goog-date",      "x-goog-content-sha256", "x-amz-date",
      "x-amz-content-sha256", "x-amz-security-token",         "x-amz-user-agent", "content-length"};
  const bool is_listed = std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                     [&](std::string_view prefix) { return name.starts_with(prefix); });
  return (is_listed && std::find(kOfAttempt.begin(), kOfAttempt.end(), name) == kOfAttempt.end()) ||
         name == "cache-control";
}

// Line by line, in an order that does not depend on that of the request.
std::string HeadersAboutTheRequest(const HttpHeaders& headers) {
  std::vector<std::string> lines;
  for (const auto& [field, value] : headers.fields()) {
    const std::string name = LowerCase(field);
    if (!IsAboutTheRequest(name)) continue;
    // A boundary may be another one for each attempt.
    const bool is_multipart = name == "content-type" && LowerCase(value).starts_with("multipart/");
    lines.push_back("\n" + name + ": " + (is_multipart ? value.substr(0, value.find(';')) : value));
  }
  std::sort(lines.begin(), lines.end());
  std::string joined;
  for (const std::string& line : lines) joined += line;
  return joined;
}

// Nothing if the request changes nothing, or has no token, or its caller is refused. An answer is for its caller alone.
std::optional<std::string> KeyOf(const HttpRequest& request, const Service& service) {
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  const std::string* token = request.headers.Find("x-goog-gcs-idempotency-token");
  if (token == nullptr || token->empty() || token->size() > kMaxToken) return std::nullopt;
  const std::optional<std::string> caller = service.CallerOf(request);
  if (!caller) return std::nullopt;
  return *token + "\n" + *caller + "\n" + request.method + "\n" + BucketOfHost(request) + "\n" + request.target +
         HeadersAboutTheRequest(request.headers);
}

// Claims the key when the body has arrived, and not before: a client that stands still delays no other.
class ClaimingBody final : public RequestBody {
 public:
  ClaimingBody(RequestBody& body, AnswerMemory& memory, const std::string& key)
      : body_(body), memory_(memory), key_(key) {
    if (announced_size() == 0U) ClaimOnce();
  }

  [[nodiscard]] const std::optional<AnswerMemory::Claim>& claim() const { return claim_; }

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override {
    const auto read = body_.Read(into);
    if (!read) return read;
    read_ += *read;
    const bool is_at_end = *read == 0 || read_ == announced_size();
    if (is_at_end && !ClaimOnce()) return std::nullopt;
    return read;
  }
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 private:
  bool ClaimOnce() {
    if (!claim_) claim_ = memory_.Take(key_, kPatience);
    return claim_->is_granted;
  }

  RequestBody& body_;
  AnswerMemory& memory_;
  const std::string& key_;
  std::uint64_t read_ = 0;
  std::optional<AnswerMemory::Claim> claim_;
};

void ReadToEnd(RequestBody& body) {
  std::array<std::byte, 1 << 14> buffer{};
  while (body.Read(buffer).value_or(0) != 0) continue;
}

HttpResponse Again(const KeptAnswer& kept, const HttpRequest& request, const FingerprintedBody& sent,
                   RequestSubject& subject) {
  subject = kept.subject;
  if (kept.request_body != sent.fingerprint()) {
    subject.is_replayed = false;
    return ErrorAnswer(IsXmlRequest(request),
                       {400, "invalid", "The idempotency token was sent before, by a request with another body."});
  }
  return {.status = kept.status, .headers = kept.headers, .body = kept.body};
}

// Null if the answer must not be given again.
AnswerMemory::Answer ToKeep(const HttpResponse& response, const RequestSubject& subject,
                            const FingerprintedBody& sent) {
  const auto* body = std::get_if<std::string>(&response.body);
  const bool is_done = response.status >= 200 && response.status < 300;
  if (!is_done || body == nullptr || body->size() > kMaxBody || response.ending != Ending::kInOrder) return nullptr;
  if (subject.operation == kTokenOperation) return nullptr;  // It depends on credentials in the body.
  KeptAnswer kept{.status = response.status,
                  .headers = response.headers,
                  .body = *body,
                  .subject = subject,
                  .request_body = sent.fingerprint()};
  kept.subject.committed_generation = 0;  // It is made once.
  kept.subject.is_replayed = true;
  return std::make_shared<const KeptAnswer>(std::move(kept));
}

}  // namespace

HttpResponse FirstAnswers::Handle(const HttpRequest& request, const FingerprintedBody& sent, RequestBody& body,
                                  RequestSubject& subject) {
  const auto key = memory_.is_on() ? KeyOf(request, service_) : std::nullopt;
  return key ? HandleKeyed(*key, request, sent, body, subject) : service_.Handle(request, body, subject);
}

HttpResponse FirstAnswers::HandleKeyed(const std::string& key, const HttpRequest& request,
                                       const FingerprintedBody& sent, RequestBody& body, RequestSubject& subject) {
  if (const auto known = memory_.Find(key)) {
    ReadToEnd(body);
    return Again(*known, request, sent, subject);
  }
  ClaimingBody claiming(body, memory_, key);
  const auto& claim = claiming.claim();
  const auto is_refused = [&] { return claim && !claim->is_granted; };
  const auto refusal = [&] {
    if (claim->answer) return Again(*claim->answer, request, sent, subject);
    return ErrorAnswer(IsXmlRequest(request),
                       {503, "backendError", "A request with this token is still being carried out."});
  };
  if (is_refused()) return refusal();
  HttpResponse response = service_.Handle(request, claiming, subject);
  if (is_refused()) return refusal();
  if (response.status < 300) ReadToEnd(body);  // Some operations do not read their bodies.
  if (auto kept = ToKeep(response, subject, sent)) {
    memory_.Keep(key, std::move(kept));
  } else if (claim) {
    memory_.GiveUp(key);
  }
  return response;
}

}  // namespace gcsflux::emulator
