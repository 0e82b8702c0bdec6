#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/checkpoint_reader.h"
#include "formats/memory_file.h"
#include "formats/zip_archives.h"

// Pickles put together by hand.
namespace gcsflux::formats_tests {

inline std::string Text(std::string_view text) { return "X" + Number(text.size(), 4) + std::string(text); }
inline std::string Int(std::int32_t number) { return "J" + Number(static_cast<std::uint32_t>(number), 4); }
inline std::string Global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

/// With the protocol before it and STOP after it.
inline std::string Pickle(std::string_view body, char protocol = '\2') {
  return std::string("\x80") + protocol + std::string(body) + ".";
}

inline std::string StorageOf(std::string_view storage_class, std::string_view key, std::int32_t elements) {
  return "(" + Text("storage") + Global("torch", storage_class) + Text(key) + Text("cpu") + Int(elements) + "tQ";
}

struct HandmadeTensor {
  std::string storage = StorageOf("FloatStorage", "0", 12);
  std::string offset = Int(0);
  std::string shape = Int(3) + Int(4) + "\x86";
  std::string strides = Int(4) + Int(1) + "\x86";
};

inline std::string TensorOf(const HandmadeTensor& tensor) {
  return Global("torch._utils", "_rebuild_tensor_v2") + "(" + tensor.storage + tensor.offset + tensor.shape +
         tensor.strides + "\x89" + Global("collections", "OrderedDict") + ")RtR";
}

/// A file of torch.save with this pickle, and one storage "0" of 48 bytes.
inline std::string FileWith(const std::string& pickle) {
  return ZipOf({{"x/data.pkl", pickle}, {"x/data/0", std::string(48, '\0')}, {"x/version", "3\n"}});
}

inline Result<StoredCheckpoint> Opened(const std::string& archive) {
  return StoredCheckpoint::Open(SourceOver(archive));
}

/// The value that this pickle stands for.
inline Result<pickled::Value> Unpickled(const std::string& pickle) {
  const std::string archive = FileWith(pickle);
  const auto file = Opened(archive);
  if (!file.ok()) return file.error();
  return file->reader().ReadValue();
}

}  // namespace gcsflux::formats_tests
