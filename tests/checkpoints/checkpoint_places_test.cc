#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoints/folder_shards.h"
#include "checkpoints/step_names.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

TEST(StepPlaceOf, FindsTheStepOfAManifestsUri) {
  const auto place = internal::StepPlaceOf("gs://bkt/runs/7/step-00000042.json");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->run, "gs://bkt/runs/7/");
  EXPECT_EQ(place->step, 42);
  for (const char* other :
       {"", "gs://", "gs://bkt/runs/7/", "gs://bkt/runs/7/step-42/model.pt", "step-00000042.json"}) {
    EXPECT_FALSE(internal::StepPlaceOf(other)) << other;
  }
}

TEST(ShardsInFolder, AreTheFilesOfCheckpointsInAFolder) {
  const testing::TestDirectory directory;
  for (const char* name : {"b.safetensors", "a.safetensors", "c.pt", ".metadata", "__0.metadata", "__0_0.distcp"})
    EXPECT_NE(directory.Write(name, "x"), "");
  const Client client = *Client::Create({.endpoint = "http://127.0.0.1:1", .project = "p"});
  const auto shards = internal::ShardsInFolder(client, directory.path().string() + "/");
  ASSERT_TRUE(shards);
  EXPECT_THAT(shards->safetensors,
              ::testing::ElementsAre(directory.path() / "a.safetensors", directory.path() / "b.safetensors"));
  EXPECT_EQ(shards->distributed, directory.path() / ".metadata");
  EXPECT_EQ(shards->of_rank_0, directory.path() / "__0.metadata");
}

}  // namespace
}  // namespace gcsflux
