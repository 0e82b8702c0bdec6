#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/raw_server.h"

namespace gcsflux::testing {

/// How an answer differs from a true one, while its bytes are right.
struct Lie {
  /// Which answers lie.
  enum class Where {
    kNowhere,
    kMedia,     ///< To reads of bytes.
    kResumed,   ///< For all reads of bytes after one that breaks after half of its bytes: the first, unless set.
    kResource,  ///< With an object's metadata in JSON.
    kXml,       ///< To the requests of a multipart upload.
  };
  enum class How { kMissing, kTwice, kContradicted, kMalformed, kOther, kSmaller };
  Where where = Where::kNowhere;
  /// "hash", "generation", "size", "name" or "bucket". "bytes", of media: all answers have a wrong byte, and all but
  /// the first have no hash.
  std::string_view what = "";
  How how = How::kMissing;
};

/// The part of Cloud Storage that uploads and downloads of the object gs://bkt/o need, written as bytes on sockets,
/// without an HTTP library: each answer is made line by line, so that any of them can lie. Thread-safe.
class LyingService {
 public:
  static constexpr std::int64_t kGeneration = 7;  ///< Of every object.

  /// The object exists and contains these bytes.
  explicit LyingService(std::string bytes, const Lie& lie = {});

  [[nodiscard]] std::string endpoint() const { return server_.endpoint(); }
  /// For example "GET /storage/v1/b/bkt/o/o?alt=media", in the order of arrival.
  [[nodiscard]] std::vector<std::string> requests() const;
  /// Those that begin with this text.
  [[nodiscard]] std::size_t Count(std::string_view begin) const;
  /// How many answers were false.
  [[nodiscard]] std::size_t lies() const;
  /// Deletions are refused from now on.
  void RefuseDeletions();
  /// Only the next read breaks: it stalls until its client abandons it.
  void StallNextRead();
  /// No read breaks before StallNextRead().
  void BreakNoRead();

 private:
  struct Request {
    std::string method = {};
    std::string target = {};  ///< Without its query.
    std::string query = {};
    std::map<std::string, std::string> headers = {};  ///< By their lower-case names.
    std::string body = {};
  };
  struct Answer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    bool is_cut = false;      ///< The connection ends after half of the body.
    bool is_stalled = false;  ///< Nothing follows half of the body.
  };

  void Serve(RawServer::Connection& connection);
  Answer AnswerTo(const Request& request);
  Answer Media(const Request& request, const std::string& name);
  Answer Resource(const std::string& name);
  std::string ResourceJson(const std::string& name, bool may_lie = true);
  Answer Change(const Request& request, const std::string& name);
  Answer Upload(const Request& request);
  Answer Session(const Request& request);
  Answer Multipart(const Request& request);
  std::string XmlNames();

  [[nodiscard]] bool LiesAbout(Lie::Where where, std::string_view what) const {
    return lie_.where == where && lie_.what == what;
  }
  /// Adds a header, true or with the lie.
  void Say(Answer& answer, Lie::Where where, std::string_view what, const std::string& header, const std::string& truth,
           const std::string& other);

  const Lie lie_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::map<std::string, std::string> objects_;
  std::string uploaded_;  // by a session or in parts
  std::vector<std::string> requests_;
  std::size_t lies_ = 0;
  enum class Break { kNone, kCut, kStall } next_break_ = Break::kNone;
  bool has_broken_ = false;
  bool refuses_deletions_ = false;
  RawServer server_;  // Last: its threads use the others.
};

}  // namespace gcsflux::testing
