#include "identity_api/metadata_server.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "identity/permissions.h"
#include "json/json_writer.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kCloudPlatformScope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kStorageScopes = "https://www.googleapis.com/auth/devstorage.";

HttpResponse Text(std::string text, int status = 200) {
  HttpResponse response{.status = status};
  response.headers.Add("Content-Type", status == 200 ? "application/text" : "text/html; charset=UTF-8");
  response.headers.Add("Metadata-Flavor", "Google");
  response.body = std::move(text);
  return response;
}

HttpResponse Json(std::string text) {
  HttpResponse response;
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("Metadata-Flavor", "Google");
  response.body = std::move(text);
  return response;
}

HttpResponse NotFound() { return Text("The requested URL was not found on this server.\n", 404); }

bool HasFlavor(const HttpRequest& request) {
  const std::string* flavor = request.headers.Find("metadata-flavor");
  return flavor != nullptr && *flavor == "Google";
}

std::string Describe(const MetadataServerAccount& account) {
  JsonWriter writer;
  writer.BeginObject();
  writer.Key("aliases");
  writer.BeginArray();
  writer.String("default");
  writer.EndArray();
  writer.Member("email", account.service_account);
  writer.Key("scopes");
  writer.BeginArray();
  for (const std::string& scope : account.scopes) writer.String(scope);
  writer.EndArray();
  writer.EndObject();
  return writer.Take();
}

std::string TokenJson(const AccessToken& token) {
  JsonWriter writer;
  writer.BeginObject();
  writer.Member("access_token", token.text);
  writer.Key("expires_in");
  writer.Number(token.lifetime.count());
  writer.Member("token_type", "Bearer");
  writer.EndObject();
  return writer.Take();
}

// Whether the account has the scope, or one that contains it. A scope of Cloud Storage alone is in each that allows as
// much.
bool IsWithin(const MetadataServerAccount& account, const std::string& scope) {
  const bool is_of_storage = scope.starts_with(kStorageScopes);
  return std::any_of(account.scopes.begin(), account.scopes.end(), [&](const std::string& granted) {
    return granted == scope || granted == kCloudPlatformScope ||
           (is_of_storage && PermissionsWithin(granted).HasAll(PermissionsWithin(scope)));
  });
}

// The scopes of a token: those of the requested ones (separated by commas) that the account has. If there are none, the
// account's. Nothing that is asked for goes beyond them.
std::string TokenScopes(const MetadataServerAccount& account, const QueryParameters& query) {
  std::vector<std::string> requested = {""};
  for (const char c : query.Value("scopes")) {
    if (c == ',' || c == ' ') {
      requested.emplace_back();
    } else {
      requested.back() += c;
    }
  }
  std::erase_if(requested, [&](const std::string& scope) { return scope.empty() || !IsWithin(account, scope); });
  std::string scopes;
  for (const std::string& scope : requested.empty() ? account.scopes : requested) {
    scopes += (scopes.empty() ? "" : " ") + scope;
  }
  return scopes;
}

}  // namespace

std::optional<HttpResponse> MetadataServer::Answer(const HttpRequest& request, const Target& target) {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  std::vector<std::string> path = target.segments;
  if (!path.empty() && path.back().empty()) path.pop_back();
  if (path.empty()) {
    // Clients send this to find out whether they are on a virtual machine. Without an account, the XML API lists
    // buckets instead.
    return identity_ != nullptr && is_read && HasFlavor(request) ? std::optional(Text("computeMetadata/\n"))
                                                                 : std::nullopt;
  }
  if (path[0] != "computeMetadata") return std::nullopt;
  if (!HasFlavor(request)) return Text("Missing Metadata-Flavor:Google header.\n", 403);
  if (!is_read) return Text("Method Not Allowed\n", 405);
  return AnswerPath(path, target.query);
}

HttpResponse MetadataServer::AnswerPath(const std::vector<std::string>& path, const QueryParameters& query) {
  using Path = std::vector<std::string>;
  // Some clients take an existing directory as the sign that they are on a virtual machine.
  if (path == Path{"computeMetadata"}) return Text("v1/\n");
  if (path == Path{"computeMetadata", "v1"}) return Text("instance/\nproject/\n");
  if (path == Path{"computeMetadata", "v1", "instance"}) return Text("preempted\nservice-accounts/\n");
  if (path == Path{"computeMetadata", "v1", "project"}) return Text("project-id\n");
  if (path == Path{"computeMetadata", "v1", "instance", "preempted"}) {
    return Text(machine_.is_preempted() ? "TRUE" : "FALSE");
  }
  return identity_ == nullptr ? NotFound() : AnswerIdentity(path, query);
}

HttpResponse MetadataServer::AnswerIdentity(const std::vector<std::string>& path, const QueryParameters& query) {
  using Path = std::vector<std::string>;
  const IdentityConfig& config = identity_->config();
  if (path == Path{"computeMetadata", "v1", "project", "project-id"}) return Text(config.project_id);
  const Path accounts = {"computeMetadata", "v1", "instance", "service-accounts"};
  const bool is_account = path.size() >= accounts.size() && std::equal(accounts.begin(), accounts.end(), path.begin());
  if (!is_account || !config.metadata_server) return NotFound();
  const std::string& email = config.metadata_server->service_account;
  if (path.size() == accounts.size()) return Text("default/\n" + email + "/\n");
  const std::string& account = path[accounts.size()];
  if (account != "default" && account != email) return NotFound();
  return AnswerAccount({path.begin() + static_cast<std::ptrdiff_t>(accounts.size()) + 1, path.end()}, query);
}

HttpResponse MetadataServer::AnswerAccount(const std::vector<std::string>& rest, const QueryParameters& query) {
  const MetadataServerAccount& account = *identity_->config().metadata_server;
  if (rest.empty()) {
    return query.Value("recursive") == "true" ? Json(Describe(account)) : Text("aliases\nemail\nscopes\ntoken\n");
  }
  if (rest.size() != 1) return NotFound();
  if (rest[0] == "aliases") return Text("default\n");
  if (rest[0] == "email") return Text(account.service_account);
  if (rest[0] == "token") return Json(TokenJson(identity_->IssueToMachine(TokenScopes(account, query))));
  if (rest[0] != "scopes") return NotFound();
  std::string lines;
  for (const std::string& scope : account.scopes) lines += scope + "\n";
  return Text(std::move(lines));
}

}  // namespace gcsflux::emulator
