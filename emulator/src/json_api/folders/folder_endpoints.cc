#include "json_api/folders/folder_endpoints.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "api/page_token.h"
#include "base/time_format.h"
#include "http/target.h"
#include "json_api/long_running/operation_endpoints.h"
#include "json_api/masked_json.h"
#include "json_api/request_json.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json Resource(const ApiCall& call, const Object& folder) {
  const std::string& bucket = call.route.bucket;
  return {{"kind", "storage#folder"},
          {"id", bucket + "/" + folder.name},
          {"selfLink", call.base_url + "/storage/v1/b/" + bucket + "/folders/" + EncodeSegment(folder.name)},
          {"name", folder.name},
          {"bucket", bucket},
          {"createTime", FormatRfc3339(folder.time_created)},
          {"updateTime", FormatRfc3339(folder.updated)},
          {"metageneration", std::to_string(folder.metageneration)}};
}

ApiResult<std::shared_ptr<Bucket>> FindBucket(const ApiCall& call, const Store& store) {
  auto bucket = store.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  return *std::move(bucket);
}

ApiResult<FolderSelector> ReadSelector(const std::string& name, const ApiResult<Preconditions>& preconditions) {
  ApiResult<std::string> folder = ReadFolderName(name);
  if (!folder) return tl::unexpected(folder.error());
  if (!preconditions) return tl::unexpected(preconditions.error());
  return FolderSelector{*std::move(folder), *preconditions};
}

ApiResult<FolderQuery> ReadQuery(const QueryParameters& parameters) {
  const auto size = Int64Parameter(parameters, "pageSize");
  if (!size) return tl::unexpected(size.error());
  if (size->value_or(1) < 1) return tl::unexpected(BadParameter("Invalid value for pageSize."));
  const std::string delimiter = parameters.Value("delimiter");
  if (!delimiter.empty() && delimiter != "/") return tl::unexpected(BadParameter("The delimiter must be '/'."));
  FolderQuery query{.prefix = parameters.Value("prefix"),
                    .start_offset = parameters.Value("startOffset"),
                    .end_offset = parameters.Value("endOffset"),
                    .is_flat = delimiter.empty()};
  query.max_results = static_cast<std::size_t>(std::min<std::int64_t>(size->value_or(1000), 1000));
  const std::string token = parameters.Value("pageToken");
  if (token.empty()) return query;
  std::optional<ListPosition> position = DecodePageToken(token);
  if (!position) return tl::unexpected(BadParameter("Invalid page token."));
  query.after = std::move(position->text);
  return query;
}

}  // namespace

ApiResult<std::string> ReadFolderName(const std::string& given) {
  std::string name = given;
  if (!name.ends_with('/')) name += '/';
  const bool is_path = !name.starts_with('/') && name.find("//") == std::string::npos;
  if (!is_path) return tl::unexpected(BadRequest("Invalid folder name: '" + given + "'."));
  if (auto valid = CheckObjectName(name); !valid) return tl::unexpected(ToApiError(valid.error()));
  return name;
}

ApiResult<HttpResponse> FolderEndpoints::Insert(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const auto given = ReceiveJsonObject(call.body, {{"name", "string"}});
  if (!given) return tl::unexpected(given.error());
  if (!given->contains("name")) return tl::unexpected(MissingParameter("name"));
  const ApiResult<std::string> name = ReadFolderName(given->at("name").get<std::string>());
  if (!name) return tl::unexpected(name.error());
  const ApiResult<bool> is_recursive = BoolParameter(call.query, "recursive");
  if (!is_recursive) return tl::unexpected(is_recursive.error());
  const Outcome<ObjectPtr> folder = (*bucket)->InsertFolder(*name, *is_recursive);
  if (!folder) return tl::unexpected(ToApiError(folder.error()));
  return MaskedResponse(call, Resource(call, **folder));
}

ApiResult<HttpResponse> FolderEndpoints::Get(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const auto selector = ReadSelector(call.route.item, ReadPreconditions(call.query));
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<ObjectPtr> folder = (*bucket)->GetFolder(*selector);
  if (!folder) return tl::unexpected(ToApiError(folder.error()));
  return MaskedResponse(call, Resource(call, **folder));
}

ApiResult<HttpResponse> FolderEndpoints::List(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const ApiResult<FolderQuery> query = ReadQuery(call.query);
  if (!query) return tl::unexpected(query.error());
  const ListPage page = (*bucket)->ListFolders(*query);
  call.subject.listed_items = page.objects.size();
  Json list = {{"kind", "storage#folders"}};
  for (const ObjectPtr& folder : page.objects) list["items"].push_back(Resource(call, *folder));
  if (page.next) list["nextPageToken"] = EncodePageToken(*page.next);
  return MaskedResponse(call, list);
}

ApiResult<HttpResponse> FolderEndpoints::Delete(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const auto selector = ReadSelector(call.route.item, ReadPreconditions(call.query));
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<void> deleted = (*bucket)->DeleteFolder(*selector);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  return HttpResponse{.status = 204};
}

ApiResult<HttpResponse> FolderEndpoints::DeleteRecursive(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const auto selector = ReadSelector(call.route.item, ReadPreconditions(call.query));
  if (!selector) return tl::unexpected(selector.error());
  const Time started = store_.now();
  const Outcome<void> deleted = (*bucket)->DeleteFolderTree(*selector);
  if (!deleted) return tl::unexpected(ToApiError(deleted.error()));
  const Json metadata = {{"@type", "type.googleapis.com/google.storage.control.v2.DeleteFolderRecursiveMetadata"},
                         {"folderId", selector->name}};
  const Json response = {{"@type", "type.googleapis.com/google.protobuf.Empty"}};
  return AnswerOperation(call, **bucket, {"delete-folder-recursive", started, metadata, response});
}

ApiResult<HttpResponse> FolderEndpoints::Rename(const ApiCall& call) const {
  const auto bucket = FindBucket(call, store_);
  if (!bucket) return tl::unexpected(bucket.error());
  const auto selector = ReadSelector(call.route.source_object, ReadSourcePreconditions(call.query));
  if (!selector) return tl::unexpected(selector.error());
  const ApiResult<std::string> to = ReadFolderName(call.route.object);
  if (!to) return tl::unexpected(to.error());
  const Time started = store_.now();
  const Outcome<ObjectPtr> renamed = (*bucket)->RenameFolder(*selector, *to);
  if (!renamed) return tl::unexpected(ToApiError(renamed.error()));
  const Json metadata = {{"@type", "type.googleapis.com/google.storage.control.v2.RenameFolderMetadata"},
                         {"sourceFolderId", selector->name},
                         {"destinationFolderId", *to}};
  Json response = {{"@type", "type.googleapis.com/google.storage.control.v2.Folder"}};
  response.update(Resource(call, **renamed));
  return AnswerOperation(call, **bucket, {"rename-folder", started, metadata, response});
}

}  // namespace gcsflux::emulator
