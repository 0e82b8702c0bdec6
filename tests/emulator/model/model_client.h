#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "emulator/model/reference.h"
#include "emulator/support/raw_connection.h"

namespace gcsflux::emulator {

/// A difference between the emulator and the reference.
class Difference : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ModelClientOptions {
  std::string endpoint = {};
  std::string bucket = {};
  std::string prefix = {};  ///< The part of names that belongs to this client; other clients of the bucket have others.
  bool is_versioned = false;
  std::uint64_t seed = 0;
};

/// Does random operations over one connection at a time, and compares each answer with the reference's. One thread.
class ModelClient {
 public:
  explicit ModelClient(const ModelClientOptions& options);

  /// One operation. Throws Difference.
  void Step();
  /// Compares everything that it has stored.
  void CheckAll();
  [[nodiscard]] std::size_t size() const { return reference_.size(); }

 private:
  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  std::string AnyName();
  Version AnyContent();
  Conditions AnyConditions(const Version* live);
  std::optional<std::int64_t> AnyGeneration(const std::string& name);

  void Insert();
  void Read();
  void ReadByXml();
  void Describe();
  void Patch();
  void Delete();
  void DeleteByXml();
  void Copy();
  void Move();
  void Compose();
  void List();

  RawResponse InsertMedia(const std::string& name, const Version& content, const Conditions& conditions);
  RawResponse InsertMultipart(const std::string& name, const Version& content, const Conditions& conditions);
  RawResponse InsertInChunks(const std::string& name, const Version& content, const Conditions& conditions);
  RawResponse InsertByXml(const std::string& name, const Version& content, const Conditions& conditions);
  void Stored(const RawResponse& response, const std::string& name, Version version);
  Listed ListPages(const Listing& listing);

  [[nodiscard]] std::string ObjectPath(const std::string& name) const;
  [[nodiscard]] std::string UploadPath(std::string_view type, const std::string& name) const;
  [[nodiscard]] std::string XmlPath(const std::string& name) const;
  RawResponse Call(std::string_view method, const std::string& target, const std::string& headers = "",
                   const std::string& body = "");
  void Expect(const RawResponse& response, int status) const;
  void Expect(bool holds, const std::string& claim) const;
  void ExpectResource(const nlohmann::json& resource, const std::string& name, const Version& version) const;

  const ModelClientOptions options_;
  std::mt19937_64 random_;
  std::optional<RawConnection> connection_;
  Reference reference_;
  std::string operation_ = {};  ///< The operation and its arguments.
};

}  // namespace gcsflux::emulator
