#include "emulator/model/model_client.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "http/target.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

std::int64_t NumberOf(const json& resource, const char* name) {
  return std::stoll(resource.at(name).get<std::string>());
}

}  // namespace

ModelClient::ModelClient(const ModelClientOptions& options)
    : options_(options),
      random_(options.seed),
      connection_(std::in_place, options.endpoint),
      reference_(options.is_versioned) {}

void ModelClient::Step() {
  using Operation = void (ModelClient::*)();
  // Some are done more often than others.
  static constexpr std::array<Operation, 15> kOperations = {
      &ModelClient::Insert,    &ModelClient::Insert,  &ModelClient::Insert,   &ModelClient::Insert,
      &ModelClient::Read,      &ModelClient::Read,    &ModelClient::Delete,   &ModelClient::DeleteByXml,
      &ModelClient::Copy,      &ModelClient::Compose, &ModelClient::Describe, &ModelClient::Patch,
      &ModelClient::ReadByXml, &ModelClient::List,    &ModelClient::Move};
  (this->*kOperations[Below(kOperations.size())])();
}

void ModelClient::CheckAll() {
  operation_ = "the last look";
  const Listing everything{.prefix = options_.prefix, .has_versions = true};
  const Listed listed = reference_.List(everything);
  Expect(ListPages(everything) == listed, "all generations are listed");
  for (const auto& [name, generation] : listed.objects) {
    const RawResponse response = Call("GET", ObjectPath(name) + "?alt=media&generation=" + std::to_string(generation));
    Expect(response, 200);
    Expect(response.body == reference_.Find(name, generation)->bytes, "the bytes of " + name);
  }
}

std::string ModelClient::AnyName() {
  static constexpr std::array<const char*, 10> kNames = {
      "a", "ab", "dir/a", "dir/b", "dir/sub/c", "x y+&", "\xc3\xbc?#%2F", "dir/", "z", "dir.x"};
  return options_.prefix + kNames[Below(kNames.size())];
}

Version ModelClient::AnyContent() {
  Version content{.content_type = Below(2) == 0 ? "text/plain" : "image/png"};
  const std::uint64_t size = Below(40) == 0 ? 300'000 : Below(10) == 0 ? 0 : Below(2000);
  while (content.bytes.size() < size) content.bytes += std::to_string(random_()) + "\r\n";
  content.bytes.resize(size);
  for (std::uint64_t i = Below(3); i != 0; --i) {
    content.metadata["key" + std::to_string(Below(4))] = std::to_string(Below(1000));
  }
  return content;
}

Conditions ModelClient::AnyConditions(const Version* live) {
  const std::int64_t current = live != nullptr ? live->generation : 0;
  switch (Below(10)) {
    case 0: return {.generation_match = 0};
    case 1: return {.generation_match = current};
    case 2: return {.generation_match = current + 1};
    case 3: return {.generation_not_match = current};
    case 4: return {.generation_not_match = current + 1};
    case 5: return live != nullptr ? Conditions{.metageneration_match = live->metageneration} : Conditions{};
    case 6: return live != nullptr ? Conditions{.metageneration_match = live->metageneration + 1} : Conditions{};
    default: return {};
  }
}

// One of the name's, one that never existed, or none, which means the live one.
std::optional<std::int64_t> ModelClient::AnyGeneration(const std::string& name) {
  const std::vector<std::int64_t> generations = reference_.Generations(name);
  const std::uint64_t choice = Below(6);
  if (choice == 0) return 12345;
  if (choice > 2 || generations.empty()) return std::nullopt;
  return generations[Below(generations.size())];
}

std::string ModelClient::ObjectPath(const std::string& name) const {
  return "/storage/v1/b/" + options_.bucket + "/o/" + EncodeSegment(name);
}

std::string ModelClient::UploadPath(std::string_view type, const std::string& name) const {
  return "/upload/storage/v1/b/" + options_.bucket + "/o?uploadType=" + std::string(type) +
         "&name=" + EncodeSegment(name);
}

std::string ModelClient::XmlPath(const std::string& name) const {
  return "/" + options_.bucket + "/" + EncodeSegment(name);
}

RawResponse ModelClient::Call(std::string_view method, const std::string& target, const std::string& headers,
                              const std::string& body) {
  operation_ += "\n  " + std::string(method) + " " + target + " " + headers;
  RawResponse response = connection_->Call(method, target, headers, body);
  // For example, if it refuses a long body before all of it has arrived.
  if (response.Header("connection") == "close") connection_.emplace(options_.endpoint);
  return response;
}

void ModelClient::Expect(const RawResponse& response, int status) const {
  Expect(response.status == status, "status " + std::to_string(status) + ", not " + std::to_string(response.status) +
                                        "\n  " + response.body.substr(0, 300));
}

void ModelClient::Expect(bool holds, const std::string& claim) const {
  if (!holds) throw Difference(options_.prefix + " expected " + claim + "\n  of " + operation_);
}

void ModelClient::ExpectResource(const json& resource, const std::string& name, const Version& version) const {
  Expect(resource.at("name") == name, "the name");
  Expect(NumberOf(resource, "generation") == version.generation, "generation " + std::to_string(version.generation));
  Expect(NumberOf(resource, "metageneration") == version.metageneration,
         "metageneration " + std::to_string(version.metageneration));
  Expect(NumberOf(resource, "size") == static_cast<std::int64_t>(version.bytes.size()), "the size");
  Expect(resource.value("contentType", "") == version.content_type, "the type " + version.content_type);
  Expect(resource.value("metadata", json::object()) == json(version.metadata),
         "the metadata " + json(version.metadata).dump());
  Expect(resource.contains("timeDeleted") != reference_.IsLive(name, version.generation), "timeDeleted by liveness");
}

// The answer to a write that stored `version`, whose generation it names.
void ModelClient::Stored(const RawResponse& response, const std::string& name, Version version) {
  const json resource = json::parse(response.body);
  version.generation = NumberOf(resource, "generation");
  for (const std::int64_t earlier : reference_.Generations(name)) {
    Expect(version.generation > earlier, "a generation above " + std::to_string(earlier));
  }
  reference_.Store(name, version);
  ExpectResource(resource, name, version);
}

}  // namespace gcsflux::emulator
