/* Google Cloud Storage for any language that can call C: libgcsflux_c.so.

   Each call that can fail returns NULL, or an error, which gcsflux_error_free() frees. Results are written only on
   success. Names of objects are URIs: "gs://bucket/name"; a prefix is "gs://bucket/start". Texts are UTF-8 and end with
   a null byte. Pointers that may be NULL say so; all others must not be.

   Calls block. They may be made from any thread; a reader's gcsflux_reader_read_next() and a writer are for one thread
   at a time. An object must not be freed while a call uses it. After fork() a client works in the child too; readers
   and writers that the parent has opened return FORKED there. A failed read leaves its buffer undefined. */
#ifndef GCSFLUX_H
#define GCSFLUX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gcsflux_error gcsflux_error;
typedef struct gcsflux_stop gcsflux_stop;
typedef struct gcsflux_client gcsflux_client;
typedef struct gcsflux_reader gcsflux_reader;
typedef struct gcsflux_writer gcsflux_writer;

/* "0.1.0": the version of the library that is loaded. */
const char* gcsflux_version(void);

/* ---- Errors. Their texts are valid until the error is freed. */

/* What a program compares: "NOT_FOUND", "PRECONDITION_FAILED", "CANCELLED" and so on (ErrorCodeName() in result.h). */
const char* gcsflux_error_code(const gcsflux_error* error);
/* For people: the operation, the object, what happened and what to do; without secrets. */
const char* gcsflux_error_message(const gcsflux_error* error);
/* What to do, alone; empty if the message says all that is known. */
const char* gcsflux_error_remedy(const gcsflux_error* error);
/* Of a write: "not stored", "stored" or "unknown". Delete nothing on "unknown". */
const char* gcsflux_error_outcome(const gcsflux_error* error);
/* 0 if the failure was not an HTTP answer. */
int gcsflux_error_http_status(const gcsflux_error* error);
/* NULL is allowed here and in all other functions that free. */
void gcsflux_error_free(gcsflux_error* error);

/* ---- Cancelling: give it to calls, and request the stop from another thread. They return CANCELLED within about 50
   ms. A stop cannot be taken back. NULL for `stop` in a call: it cannot be cancelled. */

gcsflux_error* gcsflux_stop_new(gcsflux_stop** stop);
void gcsflux_stop_request(gcsflux_stop* stop);
void gcsflux_stop_free(gcsflux_stop* stop);

/* ---- Clients: thread-safe. */

typedef struct gcsflux_option {
  const char* name;  /* Of a flag, without dashes: "endpoint", "credentials_file", "max_concurrency". */
  const char* value; /* As on the command line: "true", "16", "http://127.0.0.1:9000". */
} gcsflux_option;

/* Makes no request. The options are the flags that `gcsflux help_all` lists, with the same defaults and ranges;
   `options` may be NULL if `count` is 0. They hold for all that the client does. Returns INVALID_ARGUMENT for an
   unknown name (the message names the nearest one) or a value out of its range. */
gcsflux_error* gcsflux_client_new(const gcsflux_option* options, size_t count, gcsflux_client** client);
/* What was opened with the client stays usable. */
void gcsflux_client_free(gcsflux_client* client);

/* ---- Objects. */

/* The texts belong to who gave the object; see the functions. */
typedef struct gcsflux_object {
  const char* name;          /* Without the bucket. */
  uint64_t size;             /* In bytes, as stored. */
  int64_t generation;        /* Never 0 for a stored object. */
  int64_t updated_ms;        /* Since 1970. */
  const char* storage_class; /* "STANDARD" and so on. */
  uint32_t crc32c;
  int32_t has_crc32c; /* 0: the service gave none. */
} gcsflux_object;

/* The live object, or the generation if that is not 0. `object` is freed by gcsflux_object_free(). */
gcsflux_error* gcsflux_stat(const gcsflux_client* client, const char* uri, int64_t generation, gcsflux_stop* stop,
                            gcsflux_object** object);
void gcsflux_object_free(gcsflux_object* object);

/* Deletes the live object, or the generation if that is not 0. Only with a generation is it retried. */
gcsflux_error* gcsflux_delete(const gcsflux_client* client, const char* uri, int64_t generation, gcsflux_stop* stop);

/* Takes some objects of a listing, which are valid during the call. What it returns, if not 0, ends the listing: the
   listing then returns CANCELLED. */
typedef int (*gcsflux_on_objects)(void* context, const gcsflux_object* objects, size_t count);

/* Lists all objects under a prefix over many connections, in the order of their names. Calls `on_objects` in the
   calling thread. After an error some objects may be missing. */
gcsflux_error* gcsflux_list(const gcsflux_client* client, const char* prefix, gcsflux_on_objects on_objects,
                            void* context, gcsflux_stop* stop);
/* Lists one level: objects up to the next "/", and directories, which are objects of generation 0 whose names end with
   "/". */
gcsflux_error* gcsflux_list_directory(const gcsflux_client* client, const char* prefix, gcsflux_on_objects on_objects,
                                      void* context, gcsflux_stop* stop);

/* ---- Reads: compared with the object's CRC32C if the whole object is read. */

/* Reads the whole object: the live one, or the generation if that is not 0. `read` may be NULL. Returns
   INVALID_ARGUMENT if it does not fit into `size` bytes. */
gcsflux_error* gcsflux_read(const gcsflux_client* client, const char* uri, int64_t generation, void* buffer,
                            size_t size, gcsflux_stop* stop, size_t* read);

/* Reads many objects of one bucket at the same time, as gcsflux_list() gave them: name, size, generation and crc32c
   count. `buffers[i]` has `objects[i].size` bytes. Small objects may be fetched through temporary composites
   (option "composition"). */
gcsflux_error* gcsflux_read_objects(const gcsflux_client* client, const char* bucket, const gcsflux_object* objects,
                                    void* const* buffers, size_t count, gcsflux_stop* stop);

typedef struct gcsflux_range {
  uint64_t offset;
  uint64_t length;
  void* buffer;
} gcsflux_range;

/* Opens one generation of an object, the live one if `generation` is 0, for reads of ranges over many connections. All
   reads are of that generation: if it is gone, they return ABORTED. `stop` must outlive the reader. */
gcsflux_error* gcsflux_reader_open(const gcsflux_client* client, const char* uri, int64_t generation,
                                   gcsflux_stop* stop, gcsflux_reader** reader);
uint64_t gcsflux_reader_size(const gcsflux_reader* reader);
int64_t gcsflux_reader_generation(const gcsflux_reader* reader);
/* Fills all ranges; their requests run at the same time, and near ones are joined. Returns OUT_OF_RANGE if one ends
   behind the object. */
gcsflux_error* gcsflux_reader_read(const gcsflux_reader* reader, const gcsflux_range* ranges, size_t count);
/* Reads from front to back, and fetches ahead. `read` is smaller than `size` at the end of the object only. */
gcsflux_error* gcsflux_reader_read_next(gcsflux_reader* reader, void* buffer, size_t size, size_t* read);
void gcsflux_reader_free(gcsflux_reader* reader);

/* ---- Writes: visible whole or not at all. */

typedef enum gcsflux_write_mode {
  GCSFLUX_CREATE = 0,   /* PRECONDITION_FAILED if there is an object. */
  GCSFLUX_REPLACE = 1,  /* Only this generation; otherwise PRECONDITION_FAILED. */
  GCSFLUX_OVERWRITE = 2 /* Any object. */
} gcsflux_write_mode;

typedef struct gcsflux_write_options {
  int32_t mode;             /* A gcsflux_write_mode. */
  int64_t generation;       /* For GCSFLUX_REPLACE. */
  const char* content_type; /* NULL: application/octet-stream. */
} gcsflux_write_options;

/* Stores memory. `generation`, which may be NULL, is that of the new object. */
gcsflux_error* gcsflux_write(const gcsflux_client* client, const char* uri, const void* data, size_t size,
                             const gcsflux_write_options* options, gcsflux_stop* stop, int64_t* generation);

/* Streams an object of unknown length, in bounded memory, over many connections. Sends nothing before a part is full.
   `stop` must outlive the writer. */
gcsflux_error* gcsflux_writer_open(const gcsflux_client* client, const char* uri, const gcsflux_write_options* options,
                                   gcsflux_stop* stop, gcsflux_writer** writer);
/* Copies or sends the bytes. Waits while the memory for parts is used up. */
gcsflux_error* gcsflux_writer_write(gcsflux_writer* writer, const void* data, size_t size);
/* Makes the object visible. `generation` may be NULL. The writer must still be freed. */
gcsflux_error* gcsflux_writer_close(gcsflux_writer* writer, int64_t* generation);
/* Without a successful gcsflux_writer_close() nothing becomes visible, and what was sent is deleted. */
void gcsflux_writer_free(gcsflux_writer* writer);

#ifdef __cplusplus
}
#endif
#endif
