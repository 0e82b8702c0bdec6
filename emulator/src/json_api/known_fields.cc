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

// https://cloud.google.com/storage/docs/json_api/v1/notifications#resource
constexpr auto kNotificationFields =
    "custom_attributes,etag,event_types,id,kind,object_name_prefix,payload_format,selfLink,topic";

// https://cloud.google.com/storage/docs/json_api/v1/objectAccessControls#resource
constexpr auto kAccessControlFields =
    "bucket,domain,email,entity,entityId,etag,generation,id,kind,object,projectTeam,role,selfLink";

// https://cloud.google.com/storage/docs/json_api/v1/projects/hmacKeys#resource
constexpr auto kHmacKeyFields =
    "accessId,etag,id,kind,projectId,selfLink,serviceAccountEmail,state,timeCreated,updated";

// https://cloud.google.com/storage/docs/json_api/v1/folders#resource
constexpr auto kFolderFields = "bucket,createTime,id,kind,metageneration,name,pendingRenameInfo,selfLink,updateTime";

// https://cloud.google.com/storage/docs/json_api/v1/operations#resource
constexpr auto kOperationFields = "done,error,kind,metadata,name,response,selfLink";

FieldMask Mask(const std::string& text) { return *FieldMask::Parse(text); }

}  // namespace

const FieldMask& KnownFields(Answer answer) {
  static const FieldMask kOfObject = Mask(kObject);
  static const FieldMask kOfBucket = Mask(kBucket);
  static const FieldMask kOfObjects = Mask("kind,nextPageToken,prefixes,items(" + std::string(kObject) + ")");
  static const FieldMask kOfBuckets = Mask("kind,nextPageToken,unreachable,items(" + std::string(kBucket) + ")");
  static const FieldMask kOfNotification = Mask(kNotificationFields);
  static const FieldMask kOfNotifications = Mask("kind,items(" + std::string(kNotificationFields) + ")");
  static const FieldMask kOfAccessControl = Mask(kAccessControlFields);
  static const FieldMask kOfAccessControls = Mask("kind,items(" + std::string(kAccessControlFields) + ")");
  static const FieldMask kOfHmacKey = Mask("kind,secret,metadata(" + std::string(kHmacKeyFields) + ")");
  static const FieldMask kOfHmacKeyMetadata = Mask(kHmacKeyFields);
  static const FieldMask kOfHmacKeys = Mask("kind,nextPageToken,items(" + std::string(kHmacKeyFields) + ")");
  static const FieldMask kOfOperation = Mask(kOperationFields);
  static const FieldMask kOfOperations = Mask("kind,nextPageToken,operations(" + std::string(kOperationFields) + ")");
  static const FieldMask kOfPolicy = Mask("bindings,etag,kind,resourceId,version");
  static const FieldMask kOfServiceAccount = Mask("email_address,kind");
  static const FieldMask kOfPermissions = Mask("kind,permissions");
  static const FieldMask kOfLayout =
      Mask("bucket,customPlacementConfig,hierarchicalNamespace,kind,location,locationType");
  static const FieldMask kOfFolder = Mask(kFolderFields);
  static const FieldMask kOfFolders = Mask("kind,nextPageToken,items(" + std::string(kFolderFields) + ")");
  static const FieldMask kOfRewrite =
      Mask("done,kind,objectSize,rewriteToken,totalBytesRewritten,resource(" + std::string(kObject) + ")");
  static const FieldMask kEverything;
  switch (answer) {
    case Answer::kAccessControl: return kOfAccessControl;
    case Answer::kAccessControls: return kOfAccessControls;
    case Answer::kBucket: return kOfBucket;
    case Answer::kBuckets: return kOfBuckets;
    case Answer::kFolder: return kOfFolder;
    case Answer::kFolders: return kOfFolders;
    case Answer::kHmacKey: return kOfHmacKey;
    case Answer::kHmacKeyMetadata: return kOfHmacKeyMetadata;
    case Answer::kHmacKeys: return kOfHmacKeys;
    case Answer::kNotification: return kOfNotification;
    case Answer::kNotifications: return kOfNotifications;
    case Answer::kObject: return kOfObject;
    case Answer::kObjects: return kOfObjects;
    case Answer::kOperation: return kOfOperation;
    case Answer::kOperations: return kOfOperations;
    case Answer::kPermissions: return kOfPermissions;
    case Answer::kPolicy: return kOfPolicy;
    case Answer::kServiceAccount: return kOfServiceAccount;
    case Answer::kRewrite: return kOfRewrite;
    case Answer::kStorageLayout: return kOfLayout;
    case Answer::kNothing: return kEverything;  // there is nothing to select from
  }
  return kEverything;
}

}  // namespace gcsflux::emulator
