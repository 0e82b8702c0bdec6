#include "support/lying_service.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/crc32c.h"
#include "base/text/base64.h"
#include "gcsflux/client.h"

namespace gcsflux::testing {
namespace {

using Json = nlohmann::json;
using How = Lie::How;
using Where = Lie::Where;

constexpr std::string_view kObjects = "/storage/v1/b/bkt/o";

std::string Crc32cOf(const std::string& bytes) {
  return internal::Crc32cToBase64(internal::ExtendCrc32c(0, AsBytes(bytes)));
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string Unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return plain;
}

bool Has(const std::string& query, std::string_view parameter) { return query.find(parameter) != std::string::npos; }

std::string XmlElement(const std::string& name, const std::string& text) {
  return "<" + name + ">" + text + "</" + name + ">";
}

}  // namespace

LyingService::LyingService(std::string bytes, const Lie& lie)
    : lie_(lie),
      objects_{{"o", std::move(bytes)}},
      next_break_(lie.where == Where::kResumed ? Break::kCut : Break::kNone),
      server_([this](RawServer::Connection& c) { Serve(c); }) {}

std::vector<std::string> LyingService::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::size_t LyingService::Count(std::string_view begin) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const auto& line) { return line.starts_with(begin); }));
}

std::size_t LyingService::lies() const {
  const std::scoped_lock lock(mutex_);
  return lies_;
}

void LyingService::RefuseDeletions() {
  const std::scoped_lock lock(mutex_);
  refuses_deletions_ = true;
}

void LyingService::StallNextRead() {
  const std::scoped_lock lock(mutex_);
  next_break_ = Break::kStall;
}

void LyingService::BreakNoRead() {
  const std::scoped_lock lock(mutex_);
  next_break_ = Break::kNone;
}

void LyingService::Serve(RawServer::Connection& connection) {
  for (std::string head; !(head = connection.ReadHead()).empty();) {
    Request request;
    std::istringstream lines(head);
    lines >> request.method >> request.target;
    const auto mark = std::min(request.target.find('?'), request.target.size());
    request.query = request.target.substr(std::min(mark + 1, request.target.size()));
    request.target.resize(mark);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line != "\r") {
      const auto colon = line.find(':');
      request.headers[Lower(line.substr(0, colon))] = line.substr(colon + 2, line.size() - colon - 3);
    }
    if (request.headers.contains("expect")) connection.Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (const auto length = request.headers.find("content-length"); length != request.headers.end()) {
      request.body = connection.Read(std::stoul(length->second));
    }
    Answer answer;
    {
      const std::scoped_lock lock(mutex_);
      std::string told = request.method + " " + request.target;
      if (!request.query.empty()) told.append("?").append(request.query);
      requests_.push_back(std::move(told));
      answer = AnswerTo(request);
    }
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " X\r\n";
    for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
    text += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n";
    if (answer.is_cut || answer.is_stalled) answer.body.resize(answer.body.size() / 2);
    if (!connection.Send(text + answer.body) || answer.is_cut) return;
    if (answer.is_stalled) return connection.WaitForClose();
  }
}

LyingService::Answer LyingService::AnswerTo(const Request& request) {
  if (request.target.starts_with("/upload/")) return Upload(request);
  if (request.target == "/session") return Session(request);
  if (request.target == "/bkt/o") return Multipart(request);
  if (request.target == "/storage/v1/b/bkt") return {.body = R"({"name":"bkt","storageClass":"STANDARD"})"};
  if (request.target.ends_with("/iam/testPermissions")) {
    return {.body = R"({"permissions":["storage.objects.create","storage.objects.delete"]})"};
  }
  if (request.target == kObjects) return {.body = R"({"items":[)" + ResourceJson("o", /*may_lie=*/false) + "]}"};
  if (!request.target.starts_with(kObjects)) return {.status = 404};
  const std::string rest = request.target.substr(kObjects.size() + 1);
  const std::string name = Unescape(rest.substr(0, rest.find('/')));
  if (request.method != "GET") return Change(request, name);
  if (!objects_.contains(name)) return {.status = 404};
  return Has(request.query, "alt=media") ? Media(request, name) : Resource(name);
}

void LyingService::Say(Answer& answer, Where where, std::string_view what, const std::string& header,
                       const std::string& truth, const std::string& other) {
  if (!LiesAbout(where, what)) {
    answer.headers.emplace_back(header, truth);
    return;
  }
  ++lies_;
  const auto value = [&]() -> std::string {
    switch (lie_.how) {
      case How::kOther:
      case How::kSmaller: return other;
      case How::kMalformed: return what == "hash" ? "crc32c=no+hash" : "12x";
      default: return truth;
    }
  }();
  if (lie_.how == How::kMissing) return;
  answer.headers.emplace_back(header, value);
  if (lie_.how == How::kTwice) answer.headers.emplace_back(header, truth);
  if (lie_.how == How::kContradicted) answer.headers.emplace_back(header, other);
}

LyingService::Answer LyingService::Media(const Request& request, const std::string& name) {
  const std::string& bytes = objects_[name];
  const std::size_t size = bytes.size();
  Answer answer{.body = bytes};
  const Where where = has_broken_ ? Where::kResumed : Where::kMedia;
  const Break how = std::exchange(next_break_, Break::kNone);
  has_broken_ = has_broken_ || how != Break::kNone;
  answer.is_cut = how == Break::kCut;
  answer.is_stalled = how == Break::kStall;
  const bool has_wrong_bytes = LiesAbout(where, "bytes");
  if (has_wrong_bytes) answer.body[0] ^= 1;
  if (!has_wrong_bytes || lies_++ == 0) {
    Say(answer, where, "hash", "x-goog-hash", "crc32c=" + Crc32cOf(bytes), "crc32c=" + Crc32cOf("other bytes"));
  }
  Say(answer, where, "generation", "x-goog-generation", std::to_string(kGeneration), std::to_string(kGeneration + 1));
  const std::size_t other_size = lie_.how == How::kSmaller ? size - 10 : size + 10;
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) {
    Say(answer, where, "size", "x-goog-stored-content-length", std::to_string(size), std::to_string(other_size));
    return answer;
  }
  const std::string wanted = range->second.substr(std::string_view("bytes=").size());
  const auto dash = wanted.find('-');
  const std::size_t begin = std::stoul(wanted);
  const std::size_t last =
      dash + 1 == wanted.size() ? size - 1 : std::min(size - 1, std::stoul(wanted.substr(dash + 1)));
  if (begin >= size) return {.status = 416};
  answer.status = 206;
  answer.body = answer.body.substr(begin, last + 1 - begin);
  const std::string bounds = "bytes " + std::to_string(begin) + "-" + std::to_string(last) + "/";
  Say(answer, where, "size", "Content-Range", bounds + std::to_string(size), bounds + std::to_string(other_size));
  return answer;
}

std::string LyingService::ResourceJson(const std::string& name, bool may_lie) {
  const std::string& bytes = objects_[name];
  const std::map<std::string_view, std::pair<std::string, std::string>> fields = {
      {"hash", {Crc32cOf(bytes), Crc32cOf("other bytes")}},
      {"generation", {std::to_string(kGeneration), std::to_string(kGeneration + 1)}},
      {"size", {std::to_string(bytes.size()), std::to_string(bytes.size() + 10)}},
      {"name", {name, name + "ther"}},
      {"bucket", {"bkt", "other"}}};
  Json resource = {{"metageneration", "1"}, {"storageClass", "STANDARD"}, {"contentType", "application/octet-stream"}};
  for (const auto& [what, values] : fields) {
    const std::string key = what == "hash" ? "crc32c" : std::string(what);
    resource[key] = values.first;
    if (!may_lie || !LiesAbout(Where::kResource, what)) continue;
    ++lies_;
    if (lie_.how == How::kMissing) resource.erase(key);
    if (lie_.how == How::kMalformed) resource[key] = "12x";
    if (lie_.how == How::kOther) resource[key] = values.second;
  }
  return resource.dump();
}

LyingService::Answer LyingService::Resource(const std::string& name) { return {.body = ResourceJson(name)}; }

// Patches, updates, composes, copies, rewrites and deletes.
LyingService::Answer LyingService::Change(const Request& request, const std::string& name) {
  if (request.method == "DELETE") return {.status = refuses_deletions_ ? 403 : 204};
  if (request.target.ends_with("/compose")) {
    std::string composed;
    const Json body = Json::parse(request.body);
    for (const Json& source : body["sourceObjects"]) composed += objects_[source["name"].get<std::string>()];
    objects_[name] = composed;
    return Resource(name);
  }
  if (request.target.find("/rewriteTo/") == std::string::npos) return Resource("o");
  const std::string size = std::to_string(objects_["o"].size());
  return {.body = R"({"done":true,"totalBytesRewritten":")" + size + R"(","objectSize":")" + size + R"(","resource":)" +
                  ResourceJson("o") + "}"};
}

LyingService::Answer LyingService::Upload(const Request& request) {
  uploaded_.clear();
  if (Has(request.query, "uploadType=resumable")) return {.headers = {{"Location", endpoint() + "/session"}}};
  const auto data = request.body.find("\r\n\r\n", request.body.find("\r\n\r\n") + 4) + 4;
  objects_["o"] = request.body.substr(data, request.body.rfind("\r\n--") - data);
  return Resource("o");
}

LyingService::Answer LyingService::Session(const Request& request) {
  if (request.method == "DELETE") return {.status = 499};
  uploaded_ += request.body;
  if (request.headers.at("content-range").ends_with("/*")) {
    return {.status = 308, .headers = {{"Range", "bytes=0-" + std::to_string(uploaded_.size() - 1)}}};
  }
  objects_["o"] = uploaded_;
  return Resource("o");
}

std::string LyingService::XmlNames() {
  std::string names;
  for (const auto& [element, what, truth] : {std::tuple("Bucket", "bucket", "bkt"), std::tuple("Key", "name", "o")}) {
    const bool is_lie = LiesAbout(Where::kXml, what);
    if (is_lie) ++lies_;
    if (!is_lie || lie_.how != How::kMissing) names += XmlElement(element, is_lie ? "other" : truth);
  }
  return names;
}

LyingService::Answer LyingService::Multipart(const Request& request) {
  if (request.query == "uploads") {
    uploaded_.clear();
    return {.body = XmlElement("InitiateMultipartUploadResult", XmlNames() + XmlElement("UploadId", "u"))};
  }
  if (request.method == "DELETE") return {.status = 204};
  if (request.method == "GET") {
    return {.body =
                XmlElement("ListPartsResult", XmlNames() + "<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>")};
  }
  Answer answer;
  if (request.method == "PUT") {
    uploaded_ += request.body;
    answer.headers.emplace_back("ETag", "\"e\"");
    Say(answer, Where::kXml, "hash", "x-goog-hash", "crc32c=" + Crc32cOf(request.body),
        "crc32c=" + Crc32cOf("other bytes"));
    return answer;
  }
  objects_["o"] = uploaded_;
  Say(answer, Where::kXml, "generation", "x-goog-generation", std::to_string(kGeneration),
      std::to_string(kGeneration + 1));
  answer.body = XmlElement("CompleteMultipartUploadResult", XmlNames());
  return answer;
}

}  // namespace gcsflux::testing
