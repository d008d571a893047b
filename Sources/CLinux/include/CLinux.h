#pragma once

#include "CLinuxRing.h"
#include <linux/openat2.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

/// accept4(2), which Glibc's module hides behind _GNU_SOURCE.
int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// openat2(2) with RESOLVE_BENEATH, which has no wrapper in glibc.
/// Answers a descriptor, or -1 with errno set (ENOSYS on a kernel before 5.6).
int clinux_open_beneath(int directory, const char *path, uint64_t flags);

/// Has two files of a directory trade their names, at once; where there is no other, and that is wished, one
/// gets its name: renameat2(2), which Glibc's module leaves out.
int clinux_exchange(int directory, const char *one, const char *other, bool makes);

/// 1 where some process has the file, which is open for reading here, open for writing; 0 where none has.
/// -1 with errno set where that cannot be asked: EACCES where the file is another user's, EINVAL or ENOLCK
/// where its file system has no leases.
int clinux_is_being_written(int file);

/// Names the calling thread, at most 15 bytes.
void clinux_name_thread(const char *name);

/// Copies the build id that the linker has written into the executable (NT_GNU_BUILD_ID).
/// Answers its length; 0 where there is none, or no room.
size_t clinux_build_id(uint8_t *bytes, size_t capacity);

/// Gives pages that the allocator has no use for back to the kernel: malloc_trim(3), which Glibc's
/// module leaves out.
void clinux_trim_memory(void);

/// Has the calling thread's signals handled on other memory than its stack, which may be used up; false
/// where they are already. With null they are handled on its stack again.
bool clinux_handle_signals_on(void *stack, size_t byte_count);

/// Has the word set to 1 where a trap or another fault ends the process, before whoever handled that
/// signal handles it; by one word of the process at a time. A thread that has used up its stack sets
/// none, unless it has another one for signals. With a bell, an eventfd, that is rung, and the thread waits
/// until another one sets the word to something else, for half a second at most.
void clinux_note_traps(int64_t *word, int bell);

/// The word goes, if it is still the one.
void clinux_forget_traps(int64_t *word);

/// The most return addresses of a crash.
static const uint64_t clinux_frame_count = 60;

/// What a trap, or another fault, adds to a page before whoever handled that signal handles it: the
/// thread's pthread_self(3), and the addresses at which its calls were, the innermost first.
struct clinux_crash {
    /// 0: there was none.
    uint64_t signal;
    uint64_t thread;
    /// The executable's code.
    uint64_t start, end;
    uint64_t frame_count;
    uint64_t frames[60];
    /// The signal was sent, and may not have ended the process: a fault takes its place.
    uint64_t is_sent;
    uint64_t is_done;
};

/// Has a page of the process note the first crash, beside the word.
void clinux_note_crash(struct clinux_crash *page);

/// The page goes, if it is still the one.
void clinux_forget_crash(struct clinux_crash *page);

/// Maps so many bytes of a file, which is made with them where it is missing, for its user alone; of no file
/// where the path is NULL. Answers NULL with errno set where it cannot.
void *clinux_map_file(const char *path, size_t byte_count);

/// Flags that Glibc's module hides or types in several ways.
static const int clinux_nonblock_cloexec = SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int clinux_path_only = 010000000; // O_PATH
