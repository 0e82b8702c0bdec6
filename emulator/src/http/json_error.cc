#include "http/json_error.h"

#include "json/bounded_json.h"
#include "json/json_writer.h"

namespace gcsflux::emulator {
namespace {

std::string RenderError(const ApiError& error) {
  JsonWriter json;
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Key("code");
  json.Number(error.status);
  json.Member("message", error.message);
  json.Key("errors");
  json.BeginArray();
  json.BeginObject();
  json.Member("message", error.message);
  json.Member("domain", "global");
  json.Member("reason", error.reason);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndObject();
  return json.Take();
}

}  // namespace

HttpResponse ErrorResponse(const ApiError& error) {
  HttpResponse response{.status = error.status};
  if (error.status == 304) return response;  // HTTP allows no body
  response.headers.Add("Content-Type", "application/json; charset=UTF-8");
  response.body = RenderError(error);
  return response;
}

ApiError NotJsonObject(std::string_view body) {
  const std::optional<std::string> excess = FindExcess(body);
  const std::string why = excess ? "too much: " + *excess : "not a JSON object";
  return {400, "parseError", "Parse Error: the request's body is " + why + "."};
}

}  // namespace gcsflux::emulator
