#include <gcsflux/torch/images.h>

int main() {
  try {
    gcsflux::DecodeImage("note.txt", {});
  } catch (const gcsflux::StorageError& error) {  // It is neither a JPEG nor a PNG file.
    return error.error().code == gcsflux::ErrorCode::kUndecodable ? 0 : 1;
  }
  return 1;
}
