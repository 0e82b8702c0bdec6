#include "cli/arguments/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gcsflux::cli {
namespace {

TEST(Names, RecogniseDirectoriesByTheirSpelling) {
  for (const char* argument : {"gs://bkt", "gs://bkt/", "gs://bkt/dir/", "dir/", "/", ".", "..", "dir/.", "dir/.."}) {
    EXPECT_TRUE(IsDirectoryBySpelling(argument)) << argument;
  }
  for (const char* argument : {"gs://bkt/dir", "dir", "dir/file", "...", ".hidden"}) {
    EXPECT_FALSE(IsDirectoryBySpelling(argument)) << argument;
  }
}

TEST(Names, RootEndsInASlashOrIsEmpty) {
  EXPECT_EQ(*RootAt("dir"), (Root{"", "dir/"}));
  EXPECT_EQ(*RootAt("dir/"), (Root{"", "dir/"}));
  EXPECT_EQ(*RootAt("gs://bkt"), (Root{"bkt", ""}));
  EXPECT_EQ(*RootAt("gs://bkt/dir"), (Root{"bkt", "dir/"}));
  EXPECT_FALSE(RootAt("gs://").ok());
}

TEST(Names, ChooseTheDestinationByItsSpelling) {
  struct Case {
    std::string source;
    std::string destination;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{{"data", "gs://bkt/x", "gs://bkt/x/"},
                                         {"data", "gs://bkt/x/", "gs://bkt/x/data/"},
                                         {"data/", "gs://bkt/x/", "gs://bkt/x/data/"},
                                         {"some/data", "gs://bkt", "gs://bkt/data/"},
                                         {".", "gs://bkt/x/", "gs://bkt/x/"},
                                         {"a/..", "gs://bkt/x/", "gs://bkt/x/"},
                                         {"/", "gs://bkt/x/", "gs://bkt/x/"},
                                         {"gs://abc/x/data", "gs://bkt/y/", "gs://bkt/y/data/"},
                                         {"gs://abc/x/data", "gs://bkt/y", "gs://bkt/y/"},
                                         {"gs://abc", "local", "local/"},
                                         {"gs://abc", "local/", "local/"},
                                         {"gs://abc/data", "local", "local/"},
                                         {"gs://abc/data", "local/", "local/data/"},
                                         {"gs://abc/data/", ".", "./data/"}}) {
    const auto root = DestinationOf(c.source, c.destination, IsDirectoryBySpelling(c.destination));
    ASSERT_TRUE(root.ok()) << c.source;
    EXPECT_EQ(root->PathOf(""), c.want) << c.source << " " << c.destination;
  }
}

TEST(Names, RefuseFileNamesOutsideTheDirectory) {
  for (const std::string name :
       {"/etc/passwd", "../x", "a/../b", "a/..", "..", ".", "./a", "a/./b", "a//b", "/", "", "a/"}) {
    EXPECT_NE(WhyNoFileName(name), "") << name;
  }
}

TEST(Names, RefuseFileNamesThatAreTooLong) {
  EXPECT_EQ(WhyNoFileName(std::string(255, 'n')), "");
  EXPECT_NE(WhyNoFileName(std::string(256, 'n')), "");
  EXPECT_NE(WhyNoFileName("a/" + std::string(256, 'n') + "/b"), "");
  EXPECT_NE(WhyNoFileName(std::string("a\0b", 3)), "");
  EXPECT_NE(WhyNoFileName("a\nb"), "");
  EXPECT_NE(WhyNoFileName("a/.b.gcsflux-partial"), "");
}

TEST(Names, AcceptUnusualFileNames) {
  for (const std::string name :
       {"a", "a/b/c", "...", "a/..b", "a..", ".hidden", "a b", "-rf", "~", "\xF0\x9F\x98\x80", "a\\b", "C:"}) {
    EXPECT_EQ(WhyNoFileName(name), "") << name;
  }
}

}  // namespace
}  // namespace gcsflux::cli
