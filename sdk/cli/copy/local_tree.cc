#include "cli/copy/local_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "base/messages/local_error.h"
#include "cli/arguments/names.h"
#include "gcsflux/download_file.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using internal::LocalError;

const Error kStopped{ErrorCode::kCancelled, "interrupted"};

TreeEntry EntryOf(const struct stat& found, const std::string& name) {
  const auto since = std::chrono::seconds(found.st_mtim.tv_sec) + std::chrono::nanoseconds(found.st_mtim.tv_nsec);
  return {.name = name,
          .size = static_cast<std::uint64_t>(found.st_size),
          .modified = std::chrono::system_clock::time_point(
              std::chrono::duration_cast<std::chrono::system_clock::duration>(since))};
}

class Walk {
 public:
  Walk(const std::string& root, TransferMonitor& monitor, const std::stop_token& stop)
      : root_(root), monitor_(monitor), stop_(stop) {}

  // The directory `below` the root: "" or "a/b/".
  Result<void> Enter(const std::string& below) {
    std::error_code error;
    fs::directory_iterator entries(root_ + below, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      if (stop_.stop_requested()) return kStopped;
      if (auto taken = Take(below + entries->path().filename().string()); !taken) return taken;
    }
    if (error) return LocalError("read the directory", root_ + below, error.value());
    return {};
  }

  ListedTree tree;

 private:
  // Only a request to stop ends the walk below its root.
  Result<void> Take(const std::string& name) {
    struct stat found {};
    if (::lstat((root_ + name).c_str(), &found) != 0) {
      monitor_.NoteFailure(LocalError("examine", root_ + name));
    } else if (S_ISDIR(found.st_mode)) {
      auto entered = Enter(name + "/");
      if (!entered && entered.error().code == ErrorCode::kCancelled) return entered;
      if (!entered) monitor_.NoteFailure(entered.error());
    } else if (!S_ISREG(found.st_mode)) {
      monitor_.Say("gcsflux: left out '" + root_ + name +
                   "': " + (S_ISLNK(found.st_mode) ? "it is a symbolic link" : "it is not a regular file"));
      tree.left_out.push_back(name);
    } else if (!IsPartialFileName(LastName(name))) {
      tree.entries.push_back(EntryOf(found, name));
    }
    return {};
  }

  const std::string& root_;
  TransferMonitor& monitor_;
  const std::stop_token& stop_;
};

}  // namespace

Result<ListedTree> WalkDirectory(const std::string& directory, TransferMonitor& monitor, const std::stop_token& stop) {
  Walk walk(directory, monitor, stop);
  if (auto walked = walk.Enter(""); !walked) return walked.error();
  std::ranges::sort(walk.tree.entries, {}, &TreeEntry::name);
  return std::move(walk.tree);
}

Result<TreeEntry> LookAtFile(const std::string& path, const std::string& name) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return LocalError("open", path);
  if (S_ISDIR(found.st_mode))
    return Error{ErrorCode::kLocalIo, "'" + path + "' is a directory (--recursive copies directories)"};
  if (!S_ISREG(found.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path + "' is not a regular file"};
  return EntryOf(found, name);
}

Result<void> MakeDirectories(const std::string& root, const std::string& name) {
  std::error_code error;
  if (!root.empty()) fs::create_directories(root, error);
  if (error) return LocalError("create", root, error.value());
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string path = root + name.substr(0, slash);
    struct stat found {};
    if (::mkdir(path.c_str(), 0777) == 0) continue;
    if (errno != EEXIST || ::lstat(path.c_str(), &found) != 0) return LocalError("create", path);
    if (S_ISLNK(found.st_mode)) {
      return Error{ErrorCode::kLocalIo, "'" + path + "' is a symbolic link, which gcsflux does not follow"};
    }
    if (!S_ISDIR(found.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path + "' is not a directory"};
  }
  return {};
}

}  // namespace gcsflux::cli
