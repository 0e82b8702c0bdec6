#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "emulator/support/raw_connection.h"

namespace gcsflux::emulator {

/// Everything that a client sees of a server: buckets, all generations of objects with their bytes, uploads under way.
inline nlohmann::json StoredState(RawConnection& client) {
  using nlohmann::json;
  const auto get = [&](const std::string& target) {
    const RawResponse response = client.Call("GET", target);
    return std::pair(response.status, response.body);
  };
  json state = json::object();
  const json buckets = json::parse(get("/storage/v1/b?projection=full").second);
  for (const json& bucket : buckets.value("items", json::array())) {
    const std::string name = bucket.at("name");
    json& shown = state[name];
    shown["bucket"] = bucket;
    shown["uploads"] = get("/" + name + "?uploads").second;
    const json objects = json::parse(get("/storage/v1/b/" + name + "/o?versions=true&projection=full").second);
    for (const json& object : objects.value("items", json::array())) {
      const std::string key = object.at("name").get<std::string>() + "#" + object.at("generation").get<std::string>();
      const auto [status, media] = get("/storage/v1/b/" + name + "/o/" + object.at("name").get<std::string>() +
                                       "?alt=media&generation=" + object.at("generation").get<std::string>());
      shown["objects"][key] = {{"resource", object}, {"status", status}, {"bytes", std::hash<std::string>()(media)}};
    }
  }
  return state;
}

}  // namespace gcsflux::emulator
