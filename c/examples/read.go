// Prints an object: CGO_LDFLAGS=-lgcsflux_c go run read.go gs://bucket/name
package main

// #include <gcsflux.h>
// #include <stdlib.h>
import "C"
import (
	"log"
	"os"
	"unsafe"
)

func check(err *C.gcsflux_error) {
	if err != nil {
		log.Fatal(C.GoString(C.gcsflux_error_message(err)))
	}
}

func main() {
	var client *C.gcsflux_client
	var reader *C.gcsflux_reader
	check(C.gcsflux_client_new(nil, 0, &client))
	check(C.gcsflux_reader_open(client, C.CString(os.Args[1]), 0, nil, &reader))
	buffer, read := make([]byte, 65536), C.size_t(1)
	for read > 0 {
		check(C.gcsflux_reader_read_next(reader, unsafe.Pointer(&buffer[0]), C.size_t(len(buffer)), &read))
		os.Stdout.Write(buffer[:read])
	}
}
