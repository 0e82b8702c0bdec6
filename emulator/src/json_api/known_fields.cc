#include "json_api/known_fields.h"

#include <string>

namespace gcsflux::emulator {
namespace {

// https://cloud.google.com/storage/docs/json_api/v1/objects#resource, also those that are never shown here.
constexpr auto kObject =
    "acl,bucket,cacheControl,componentCount,contentDisposition,contentEncoding,contentLanguage,contentType,contexts,"
    "crc32c,customTime,customerEncryption,etag,eventBasedHold,generation,hardDeleteTime,id,kind,kmsKeyName,md5Hash,"
    "mediaLink,metadata,metageneration,name,owner,restoreToken,retention,retentionExpirationTime,selfLink,size,"
    "softDeleteTime,storageClass,temporaryHold,timeCreated,timeDeleted,timeFinalized,timeStorageClassUpdated,updated";

// https://cloud.google.com/storage/docs/json_api/v1/buckets#resource
constexpr auto kBucket =
    "acl,autoclass,billing,cors,customPlacementConfig,defaultEventBasedHold,defaultObjectAcl,encryption,etag,"
    "generation,"
    "hardDeleteTime,hierarchicalNamespace,iamConfiguration,id,ipFilter,kind,labels,lifecycle,location,locationType,"
    "logging,metageneration,name,objectRetention,owner,projectNumber,retentionPolicy,rpo,satisfiesPZI,satisfiesPZS,"
    "selfLink,softDeletePolicy,softDeleteTime,storageClass,timeCreated,updated,versioning,website";

FieldMask Mask(const std::string& text) { return *FieldMask::Parse(text); }

}  // namespace

const FieldMask& KnownFields(Answer answer) {
  static const FieldMask kOfObject = Mask(kObject);
  static const FieldMask kOfBucket = Mask(kBucket);
  static const FieldMask kOfObjects = Mask("kind,nextPageToken,prefixes,items(" + std::string(kObject) + ")");
  static const FieldMask kOfBuckets = Mask("kind,nextPageToken,unreachable,items(" + std::string(kBucket) + ")");
  static const FieldMask kOfPermissions = Mask("kind,permissions");
  static const FieldMask kOfLayout =
      Mask("bucket,customPlacementConfig,hierarchicalNamespace,kind,location,locationType");
  static const FieldMask kOfFolders = Mask("items,kind,nextPageToken");
  static const FieldMask kOfRewrite =
      Mask("done,kind,objectSize,rewriteToken,totalBytesRewritten,resource(" + std::string(kObject) + ")");
  static const FieldMask kEverything;
  switch (answer) {
    case Answer::kBucket: return kOfBucket;
    case Answer::kBuckets: return kOfBuckets;
    case Answer::kFolders: return kOfFolders;
    case Answer::kObject: return kOfObject;
    case Answer::kObjects: return kOfObjects;
    case Answer::kPermissions: return kOfPermissions;
    case Answer::kRewrite: return kOfRewrite;
    case Answer::kStorageLayout: return kOfLayout;
    case Answer::kNothing: return kEverything;  // there is nothing to select from
  }
  return kEverything;
}

}  // namespace gcsflux::emulator
