// Prints an object: rustc read.rs -l gcsflux_c && ./read gs://bucket/name
use std::ffi::{c_char, c_void, CStr, CString};
use std::io::Write;
type Ptr = *mut c_void;
extern "C" {
    fn gcsflux_client_new(options: Ptr, count: usize, client: *mut Ptr) -> Ptr;
    fn gcsflux_reader_open(client: Ptr, uri: *const c_char, generation: i64, stop: Ptr, reader: *mut Ptr) -> Ptr;
    fn gcsflux_reader_read_next(reader: Ptr, buffer: *mut u8, size: usize, read: *mut usize) -> Ptr;
    fn gcsflux_error_message(error: Ptr) -> *const c_char;
}

fn check(error: Ptr) {
    if !error.is_null() {
        panic!("{}", unsafe { CStr::from_ptr(gcsflux_error_message(error)) }.to_string_lossy());
    }
}

fn main() {
    let uri = CString::new(std::env::args().nth(1).expect("usage: read gs://bucket/name")).unwrap();
    let (mut client, mut reader) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (mut buffer, mut read) = (vec![0u8; 65536], 1);
    check(unsafe { gcsflux_client_new(std::ptr::null_mut(), 0, &mut client) });
    check(unsafe { gcsflux_reader_open(client, uri.as_ptr(), 0, std::ptr::null_mut(), &mut reader) });
    while read > 0 {
        check(unsafe { gcsflux_reader_read_next(reader, buffer.as_mut_ptr(), buffer.len(), &mut read) });
        std::io::stdout().write_all(&buffer[..read]).unwrap();
    }
}
