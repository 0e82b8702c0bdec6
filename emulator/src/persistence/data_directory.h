#pragma once

#include <filesystem>

#include "persistence/body_files.h"
#include "persistence/database.h"
#include "persistence/disk_log.h"
#include "persistence/load_store.h"
#include "store/log/change_log.h"

namespace gcsflux::emulator {

/// A directory in which a store survives its process: metadata.sqlite, and bodies/. One process at a time uses it.
class DataDirectory {
 public:
  /// Makes it if it does not exist. Throws std::runtime_error if another process uses it, if it has other files, if
  /// another version wrote it, or if it is damaged. With `syncs`, what is acknowledged survives a loss of power too.
  DataDirectory(const std::filesystem::path& directory, bool syncs);

  [[nodiscard]] ChangeLog& log() { return log_; }
  /// See LoadStore(). All of them must write to this log.
  LoadReport Load(Store& store, ResumableSessions& sessions, HmacKeys& keys);

  /// From here on requests may change the store, and the space of what is deleted is given back. Without it, and after
  /// Close(), destroying a store deletes nothing.
  void Open();
  /// Nothing changes the store any more. A process that ends without it has crashed, for the next one.
  void Close();

 private:
  /// Held until the process ends, however it ends.
  class Lock {
   public:
    explicit Lock(const std::filesystem::path& directory);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    /// Whether the last call, perhaps by an earlier process, was Mark(true).
    [[nodiscard]] bool is_marked() const;
    void Mark(bool is_in_use) const;

   private:
    int descriptor_;
  };

  const Lock lock_;
  BodyFiles files_;
  Database database_;
  DiskLog log_{files_, database_};
};

}  // namespace gcsflux::emulator
