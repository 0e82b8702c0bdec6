#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

namespace gcsflux::testing {

/// The environment of an operation of more than one request: made again for each cell of the matrix.
class GapWorld {
 public:
  GapWorld(emulator::Emulator& emulator, Client rival) : emulator_(emulator), rival_(std::move(rival)) {}

  [[nodiscard]] emulator::Emulator& emulator() const { return emulator_; }
  /// Of another program, whose requests do not count.
  [[nodiscard]] const Client& rival() const { return rival_; }
  [[nodiscard]] std::string PathOf(const std::string& name) const { return directory_.path() / name; }

  /// An object of the operation.
  ObjectMetadata Put(const std::string& name, const std::string& bytes);
  /// An object that must still exist afterwards, unchanged: of a rival, or of a user.
  void PutForeign(const std::string& name, const std::string& bytes);
  /// The same of an existing object.
  void KeepForeign(const std::string& name);
  void Delete(const std::string& name) const;
  /// No foreign object was replaced or deleted, and no temporary object is left.
  void ExpectKept() const;
  /// The bytes are those that Put() stored under the name, or the rival's.
  void ExpectOneGeneration(const std::string& name, const std::string& bytes) const;
  /// As large as the object of Put(), if there is one, so that sizes do not distinguish them.
  [[nodiscard]] std::string RivalsBytes(const std::string& name) const;

 private:
  emulator::Emulator& emulator_;
  const Client rival_;
  const TestDirectory directory_;
  std::map<std::string, std::string> originals_;
  std::map<std::string, std::int64_t> foreign_;
};

/// A row of the matrix.
struct GapOperation {
  std::string name;
  std::function<void(GapWorld&)> prepare;
  /// A success has been compared with the expected bytes.
  std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run;
  /// What a rival does to the operation's objects.
  std::function<void(GapWorld&)> overwrite;
  std::function<void(GapWorld&)> remove;
  /// The invariants after each cell, for any result.
  std::function<void(GapWorld&)> check = {};
  /// A method of Client: if the answer to its write is lost, it reports that, and its caller decides.
  bool reports_lost_writes = false;
  /// Errors that a rival may cause beside kNotFound, kAborted, kPreconditionFailed and kAlreadyExists.
  std::set<ErrorCode> errors = {};
  /// The operation succeeds for any write of a rival.
  bool survives_overwriting = false;
  /// If set, only answers to these requests are lost. Set it if the operation's requests may arrive in another order
  /// than they end: otherwise the lost answer may be the rival's.
  std::optional<std::string> loses_only = {};
};

inline void PrintTo(const GapOperation& operation, std::ostream* out) { *out << operation.name; }

inline constexpr auto kGapBucket = "bkt";
/// A virtual bucket, with so many objects on three pages.
inline constexpr auto kManyBucket = "many";
inline constexpr std::uint64_t kManyObjects = 10'500;

std::vector<GapOperation> ObjectOperations();
std::vector<GapOperation> DownloadOperations();
std::vector<GapOperation> ListingOperations();
std::vector<GapOperation> RunOperations();
std::vector<GapOperation> RankOperations();

}  // namespace gcsflux::testing
