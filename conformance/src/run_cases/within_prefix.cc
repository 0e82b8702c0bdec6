#include "run_cases/within_prefix.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <memory>

#include "case/excerpt.h"
#include "case/operation_of.h"
#include "case/parse_answer.h"
#include "run_cases/test_bucket.h"
#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

// What follows looks at targets and JSON as the case writes them. It knows each place where an operation of the table
// names an object; a request that has none of them is refused.

constexpr std::array kOfOneObject = {"storage.objects.get",     "storage.objects.patch", "storage.objects.update",
                                     "storage.objects.delete",  "storage.objects.copy",  "storage.objects.rewrite",
                                     "storage.objects.compose", "storage.objects.move",  "xml.objects.get",
                                     "xml.objects.head",        "xml.objects.put",       "xml.objects.delete"};

std::string Encoded(const std::string& prefix) {
  std::string encoded;
  for (const char c : prefix) encoded += c == '/' ? std::string("%2F") : std::string(1, c);
  return encoded;
}

/// Inserts the prefix behind each "{bucket}/o/" (JSON), "/moveTo/o/", or "/{bucket}/" (XML).
bool PrefixPath(std::string& path, const std::string& encoded) {
  bool is_prefixed = false;
  const bool is_json = path.find("/b/{bucket}/o/") != path.npos;
  for (const std::string mark : {"/b/{bucket}/o/", "/moveTo/o/", "/{bucket}/"}) {
    if (is_json && mark == "/{bucket}/") continue;
    for (std::size_t at = path.find(mark); at != path.npos; at = path.find(mark, at + mark.size())) {
      path.insert(at + mark.size(), encoded);
      is_prefixed = true;
    }
  }
  return is_prefixed;
}

/// Whether another bucket than {bucket} is named.
bool NamesAnotherBucket(const std::string& target) {
  for (std::size_t at = target.find("/b/"); at != target.npos; at = target.find("/b/", at + 1)) {
    if (target.compare(at + 3, 9, "{bucket}/") != 0) return true;
  }
  return false;
}

/// Whether the name is at a limit, or not allowed: with a prefix it would be too long, or allowed.
bool IsAboutItsName(std::string_view name) {
  constexpr std::size_t kLongest = 500;
  return name.empty() || name == "." || name == ".." || name.starts_with(".well-known") || name.size() > kLongest;
}

/// Puts the prefix before the value of a parameter. Returns whether it is there.
bool PrefixParameter(std::string& query, const std::string& name, const std::string& encoded) {
  for (std::size_t at = query.find(name + "="); at != query.npos; at = query.find(name + "=", at + 1)) {
    if (at != 0 && query[at - 1] != '&') continue;
    const std::size_t value = at + name.size() + 1;
    const bool is_empty = value == query.size() || query[value] == '&';
    if (is_empty && name.ends_with("Offset")) return false;  // No bound.
    if (name == "name" && IsAboutItsName(query.substr(value, std::min(query.find('&', value), query.size()) - value))) {
      return false;
    }
    query.insert(at + name.size() + 1, encoded);
    return true;
  }
  return false;
}

/// The metadata of an upload or the sources of a compose.
bool PrefixNames(Json& body, const std::string& prefix) {
  bool is_prefixed = false;
  if (!body.is_object()) return false;
  if (const auto name = body.find("name"); name != body.end() && name->is_string()) {
    *name = prefix + name->get<std::string>();
    is_prefixed = true;
  }
  if (const auto sources = body.find("sourceObjects"); sources != body.end() && sources->is_array()) {
    for (Json& source : *sources) is_prefixed |= PrefixNames(source, prefix);
  }
  return is_prefixed;
}

bool PrefixBody(Step& step, const std::string& prefix) {
  bool is_prefixed = false;
  for (BodyPiece& piece : step.body) {
    if (auto* json = std::get_if<JsonText>(&piece)) is_prefixed |= PrefixNames(json->value, prefix);
  }
  return is_prefixed;
}

bool HoldsText(const Step& step) {
  return std::any_of(step.body.begin(), step.body.end(), [](const BodyPiece& piece) {
    const auto* text = std::get_if<std::string>(&piece);
    return text != nullptr && text->find("name") != text->npos;
  });
}

bool PrefixListing(std::string& query, const std::string& encoded) {
  if (query.find("matchGlob") != query.npos || query.find("{each}") != query.npos) return false;
  for (const char* bound : {"startOffset", "endOffset"}) PrefixParameter(query, bound, encoded);
  if (!PrefixParameter(query, "prefix", encoded)) query += (query.empty() ? "prefix=" : "&prefix=") + encoded;
  return true;
}

/// Whether the step now reaches names below the prefix only.
bool PrefixStep(Step& step, const std::string& prefix) {
  if (std::any_of(step.for_each.begin(), step.for_each.end(), &IsAboutItsName)) return false;
  if (step.target == "{session}") return true;
  const std::size_t mark = std::min(step.target.find('?'), step.target.size());
  std::string path = step.target.substr(0, mark);
  std::string query = step.target.substr(std::min(mark + 1, step.target.size()));
  const std::string operation = OperationOf(step.method, step.target);
  const bool has_source_header = std::any_of(step.headers.begin(), step.headers.end(), [](const auto& header) {
    return strncasecmp(header.first.c_str(), "x-goog-copy-source", 18) == 0;
  });
  const bool names_in_xml = operation.starts_with("xml.") && query == "compose";  // the sources, in the body
  const bool is_unknown =
      step.target.starts_with('{') || path.find("{each}/") != path.npos || has_source_header || names_in_xml;
  if (is_unknown || NamesAnotherBucket(path + "/")) return false;
  bool is_prefixed = false;
  if (operation == "storage.objects.list") {
    is_prefixed = PrefixListing(query, Encoded(prefix));
  } else if (operation == "storage.objects.insert") {
    const bool by_query = PrefixParameter(query, "name", Encoded(prefix));
    const bool by_body = PrefixBody(step, prefix);
    // Metadata as text could name an object that is not understood here.
    is_prefixed =
        (by_query || by_body) && !(by_body ? false : query.find("uploadType=media") == query.npos && HoldsText(step));
  } else if (std::find(kOfOneObject.begin(), kOfOneObject.end(), operation) != kOfOneObject.end()) {
    is_prefixed = PrefixPath(path, Encoded(prefix));
    if (operation == "storage.objects.compose") is_prefixed &= PrefixBody(step, prefix);
  }
  step.target = path + (query.empty() ? "" : "?" + query);
  return is_prefixed;
}

/// Answers without the prefix. It is random, so it occurs nowhere else.
class WithoutPrefix : public Transport {
 public:
  WithoutPrefix(Transport& below, const std::string& prefix) : below_(below), forms_{prefix, Encoded(prefix)} {}
  WithoutPrefix(std::unique_ptr<Transport> below, const std::string& prefix)
      : owned_(std::move(below)), below_(*owned_), forms_{prefix, Encoded(prefix)} {}

  OrError<Response> Send(const Request& request) override {
    auto response = below_.Send(request);
    if (!response) return response;
    Remove(response->body);
    for (auto& [name, value] : response->headers) {
      if (!IsLocation(name)) Remove(value);
    }
    return response;
  }

 private:
  /// A session's URI goes back to the service as it is.
  static bool IsLocation(const std::string& name) { return strcasecmp(name.c_str(), "Location") == 0; }

  void Remove(std::string& text) const {
    for (const std::string& form : forms_) {
      for (std::size_t at = text.find(form); at != text.npos; at = text.find(form, at)) text.erase(at, form.size());
    }
  }

  const std::unique_ptr<Transport> owned_ = nullptr;
  Transport& below_;
  const std::array<std::string, 2> forms_;
};

}  // namespace

OrError<Case> WithinPrefix(Case subject, const std::string& prefix) {
  if (!subject.bucket_exists) return Failed("it makes its bucket itself");
  for (const auto& [name, value] : subject.given) {
    if (IsAboutItsName(value)) return Failed("it is about the name {" + name + "}");
  }
  for (std::size_t i = 0; i < subject.steps.size(); ++i) {
    Step& step = subject.steps[i];
    const std::string request = step.method + " " + step.target;
    if (!PrefixStep(step, prefix)) return Failed("step " + std::to_string(i + 1) + ", " + request);
  }
  return subject;
}

Outcome RunCaseWithinPrefix(const Case& subject, const Service& service, const std::string& bucket,
                            const std::string& prefix) {
  WithoutPrefix transport(service.transport, prefix);
  const Service shared{.transport = transport,
                       .endpoint = service.endpoint,
                       .project = service.project,
                       .has_access_token = service.has_access_token,
                       .sleep = service.sleep,
                       .connect = [&] { return std::make_unique<WithoutPrefix>(service.connect(), prefix); },
                       .begin_case = service.begin_case,
                       .begin_cleaning = service.begin_cleaning,
                       .meets = service.meets,
                       .is_bucket_shared = true};
  Outcome outcome = RunCase(subject, shared, bucket);
  if (outcome.kind == Outcome::Kind::kSkipped) return outcome;
  if (const auto gone = DeleteObjectsBelow(service, bucket, prefix); !gone) outcome.leftover = gone.error();
  return outcome;
}

std::string WhyUnsuitable(const Service& service, const std::string& bucket) {
  const auto response = SendUnlessThrottled(service, {.method = "GET", .target = "/storage/v1/b/" + bucket});
  if (!response) return response.error();
  const Json found = ParseAnswer(response->body);
  if (response->status != 200 || !found.is_object()) {
    return "GET of the bucket is " + std::to_string(response->status) + " " + Excerpt(std::string_view(response->body));
  }
  if (found.contains("retentionPolicy")) return "it has a retention policy: what the cases write could not be deleted";
  if (found.value("defaultEventBasedHold", false)) return "it holds new objects: they could not be deleted";
  if (found.value("/versioning/enabled"_json_pointer, false)) {
    return "it keeps old versions, and the cases assume a bucket that does not; switch versioning off";
  }
  return "";
}

}  // namespace gcsflux::conformance
