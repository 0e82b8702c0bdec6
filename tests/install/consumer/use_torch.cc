#include <gcsflux/torch/checkpoint_run.h>

int main() {
  try {
    gcsflux::Sharded({}, 1, {});
  } catch (const gcsflux::StorageError&) {  // An undefined tensor has no rows.
    return 0;
  }
  return 1;
}
