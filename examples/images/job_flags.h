#pragma once

#include <gflags/gflags.h>

// The flags that all jobs on images have; job.cc says what they mean. --batch_size, --seed, --epoch_order and those of
// the client are gcsflux's own.
DECLARE_string(bucket);
DECLARE_string(data_dir);
DECLARE_int32(drawn_images);
DECLARE_string(shards);
DECLARE_string(style);
DECLARE_string(local_dir);
DECLARE_int32(epochs);
DECLARE_int32(save_every);
DECLARE_bool(resume);
DECLARE_int32(side);
DECLARE_string(summary);
