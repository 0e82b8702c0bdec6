#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "store/log/change_log.h"

struct sqlite3;       // SQLite's; no other file needs its header
struct sqlite3_stmt;  // likewise

namespace gcsflux::emulator {

/// What SQLite says, after the file's name.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The records of a data directory in SQLite: a table for each kind. One thread. All of it throws DatabaseError.
class Database {
 public:
  /// A record as it is stored. The texts are valid during the visit.
  struct Row {
    std::string_view key = {};
    std::string_view fields = {};
    std::string_view pieces = {};  ///< Where the record's bytes are: see pieces.h.
  };

  /// Makes the file if there is none. Another format is refused. With `syncs`, commits survive a loss of power.
  Database(const std::filesystem::path& file, bool syncs);

  /// In the order of their keys.
  void ForEach(RecordKind kind, const std::function<void(const Row&)>& visit);

  void Begin() { Run(begin_.get()); }
  void Put(RecordKind kind, const Row& row);
  void Erase(RecordKind kind, std::string_view key);
  void ErasePrefix(RecordKind kind, std::string_view prefix);
  void Commit() { Run(commit_.get()); }
  /// After a failure. Never throws.
  void RollBack() noexcept;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using StatementPtr = std::unique_ptr<sqlite3_stmt, Close>;

  void CheckFormat();
  void MakeTables();
  void Execute(const std::string& sql);
  [[nodiscard]] std::int64_t ReadNumber(const std::string& sql);
  [[nodiscard]] StatementPtr Prepare(const std::string& sql);
  sqlite3_stmt* Prepared(RecordKind kind, const char* sql);
  void Run(sqlite3_stmt* statement);
  [[noreturn]] void Throw() const;

  const std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
  StatementPtr begin_;
  StatementPtr commit_;
  std::map<std::pair<RecordKind, const char*>, StatementPtr> prepared_;  // by kind and text
};

}  // namespace gcsflux::emulator
