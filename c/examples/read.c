// Prints an object: cc read.c -lgcsflux_c && ./a.out gs://bucket/name
#include <gcsflux.h>
#include <stdio.h>
#include <stdlib.h>

static void check(gcsflux_error *error) {
  if (error == NULL) return;
  fprintf(stderr, "%s: %s\n", gcsflux_error_code(error), gcsflux_error_message(error));
  exit(1);
}

int main(int count, char **words) {
  if (count != 2) return fprintf(stderr, "usage: read gs://bucket/name\n"), 2;
  gcsflux_client *client;
  gcsflux_reader *reader;
  check(gcsflux_client_new(NULL, 0, &client));
  check(gcsflux_reader_open(client, words[1], 0, NULL, &reader));
  char buffer[65536];
  size_t read;
  do {
    check(gcsflux_reader_read_next(reader, buffer, sizeof buffer, &read));
    fwrite(buffer, 1, read, stdout);
  } while (read > 0);
  gcsflux_reader_free(reader);
  gcsflux_client_free(client);
}
