#include "persistence/database.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <optional>

namespace gcsflux::emulator {
namespace {

constexpr std::int64_t kApplication = 0x67637366;  // "gcsf"
constexpr std::int64_t kFormat = 2;                // raise it if an earlier version could not read what this one writes

// In the order of RecordKind.
constexpr std::array kTables = {"buckets", "objects",      "sessions",  "session_bytes",
                                "uploads", "upload_parts", "hmac_keys", "folders"};

constexpr const char* kPut = "INSERT OR REPLACE INTO %s VALUES (?1, ?2, ?3)";
constexpr const char* kErase = "DELETE FROM %s WHERE key = ?1";
constexpr const char* kEraseFrom = "DELETE FROM %s WHERE key >= ?1";
constexpr const char* kEraseBetween = "DELETE FROM %s WHERE key >= ?1 AND key < ?2";

std::string ForTable(RecordKind kind, std::string sql) {
  return sql.replace(sql.find("%s"), 2, kTables.at(static_cast<std::size_t>(kind)));
}

void Bind(sqlite3_stmt* statement, int index, std::string_view bytes) {
  // An empty text may have no address, which would be NULL.
  sqlite3_bind_blob64(statement, index, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

std::string_view Column(sqlite3_stmt* statement, int index) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, index));
  return {bytes != nullptr ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, index))};
}

// The first key after all that begin with the prefix. Nothing if there is none.
std::optional<std::string> EndOf(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void Database::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::filesystem::path& file, bool syncs) : file_(file.string()) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(file_.c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) Throw();
  // The directory has a lock of its own. In this mode SQLite needs no memory that is shared with other processes.
  Execute("PRAGMA locking_mode = EXCLUSIVE");
  CheckFormat();
  Execute("PRAGMA journal_mode = WAL");
  Execute(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  Execute("PRAGMA cache_size = -65536");        // KiB
  Execute("PRAGMA wal_autocheckpoint = 4096");  // pages: 16 MiB
  Execute("PRAGMA journal_size_limit = 67108864");
  begin_ = Prepare("BEGIN IMMEDIATE");
  commit_ = Prepare("COMMIT");
}

void Database::CheckFormat() {
  const std::int64_t application = ReadNumber("PRAGMA application_id");
  const std::int64_t format = ReadNumber("PRAGMA user_version");
  const bool is_new = application == 0 && format == 0 && ReadNumber("SELECT count(*) FROM sqlite_master") == 0;
  const bool is_of_former_version = application == kApplication && format == kFormat - 1;
  if (is_new || is_of_former_version) return MakeTables();
  if (application != kApplication) throw DatabaseError(file_ + " is not a database of gcsflux-emulator");
  if (format == kFormat) return;
  throw DatabaseError(file_ + " was written by another version of gcsflux-emulator: its format is " +
                      std::to_string(format) + ", and this version reads " + std::to_string(kFormat) +
                      "; use that version, or another directory");
}

// What a former version has made stays as it is.
void Database::MakeTables() {
  Execute("BEGIN IMMEDIATE");
  for (const RecordKind kind : kRecordKinds) {
    Execute(ForTable(kind,
                     "CREATE TABLE IF NOT EXISTS %s (key BLOB PRIMARY KEY, fields BLOB NOT NULL, pieces BLOB NOT NULL) "
                     "WITHOUT ROWID"));
  }
  Execute("PRAGMA application_id = " + std::to_string(kApplication));
  Execute("PRAGMA user_version = " + std::to_string(kFormat));
  Execute("COMMIT");
}

void Database::ForEach(RecordKind kind, const std::function<void(const Row&)>& visit) {
  const StatementPtr statement = Prepare(ForTable(kind, "SELECT key, fields, pieces FROM %s ORDER BY key"));
  int step = sqlite3_step(statement.get());
  for (; step == SQLITE_ROW; step = sqlite3_step(statement.get())) {
    visit({Column(statement.get(), 0), Column(statement.get(), 1), Column(statement.get(), 2)});
  }
  if (step != SQLITE_DONE) Throw();
}

void Database::Put(RecordKind kind, const Row& row) {
  sqlite3_stmt* const statement = Prepared(kind, kPut);
  Bind(statement, 1, row.key);
  Bind(statement, 2, row.fields);
  Bind(statement, 3, row.pieces);
  Run(statement);
}

void Database::Erase(RecordKind kind, std::string_view key) {
  sqlite3_stmt* const statement = Prepared(kind, kErase);
  Bind(statement, 1, key);
  Run(statement);
}

void Database::ErasePrefix(RecordKind kind, std::string_view prefix) {
  const std::optional<std::string> end = EndOf(std::string(prefix));
  sqlite3_stmt* const statement = Prepared(kind, end ? kEraseBetween : kEraseFrom);
  Bind(statement, 1, prefix);
  if (end) Bind(statement, 2, *end);
  Run(statement);
}

void Database::RollBack() noexcept {
  if (sqlite3_get_autocommit(database_.get()) == 0) {
    (void)sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Database::Execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) Throw();
}

std::int64_t Database::ReadNumber(const std::string& sql) {
  const StatementPtr statement = Prepare(sql);
  if (sqlite3_step(statement.get()) != SQLITE_ROW) Throw();
  return sqlite3_column_int64(statement.get(), 0);
}

Database::StatementPtr Database::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) Throw();
  return StatementPtr(statement);
}

sqlite3_stmt* Database::Prepared(RecordKind kind, const char* sql) {
  StatementPtr& statement = prepared_[{kind, sql}];
  if (statement == nullptr) statement = Prepare(ForTable(kind, sql));
  return statement.get();
}

void Database::Run(sqlite3_stmt* statement) {
  const int step = sqlite3_step(statement);
  // The error's text must be read before the statement is reset.
  const std::string error = step == SQLITE_DONE ? "" : sqlite3_errmsg(database_.get());
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (step != SQLITE_DONE) throw DatabaseError(file_ + ": " + error);
}

void Database::Throw() const {
  throw DatabaseError(file_ + ": " + (database_ != nullptr ? sqlite3_errmsg(database_.get()) : "out of memory"));
}

}  // namespace gcsflux::emulator
