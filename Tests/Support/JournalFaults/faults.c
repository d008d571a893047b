// Preloaded into a process: fails the n-th system call of one kind on files of one folder, tells what is
// written there, has the clock jump, or leads it to proxies of other servers.
//
//   FAULT_FOLDER  files below this path count (required)
//   FAULT_CALL    pwrite | pread | fdatasync | open | ftruncate
//   FAULT_AT      the n-th such call fails (from 1); 0: none does
//   FAULT_ERRNO   5: EIO, 28: ENOSPC, 122: EDQUOT; 0: a write of half of the bytes; -1: it never returns
//   FAULT_LASTING set: and all behind it; as many as its value says
//   FAULT_COUNTS  a file that gets the number of calls of each kind at the end
//   FAULT_RECORD  a file that gets what is written and synced, and what the process prints, as it comes:
//                 "KIND OFFSET COUNT PATH\n" and COUNT bytes; w: written, t: cut, u: removed, s: synced,
//                 p: printed
//   FAULT_CLOCK   so many seconds are added to the wall clock in every other second
//   FAULT_PEERS   set: who connects to 127.0.0.N, N at least 2, reaches 127.0.1.N
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { PWRITE, PREAD, FDATASYNC, OPEN, FTRUNCATE, KINDS };
static const char *const names[KINDS] = {"pwrite", "pread", "fdatasync", "open", "ftruncate"};
static atomic_long counts[KINDS];

static int is_in_folder(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && !strncmp(path, folder, strlen(folder)) && !strstr(path, ".lock") && !strstr(path, ".reserve");
}

// The error of this call; 0 for none, -1 for a short write.
static int fault(int kind, const char *path) {
    if (!is_in_folder(path)) return 0;
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *lasting = getenv("FAULT_LASTING");
    if (!call || !at || strcmp(call, names[kind])) return 0;
    long first = atol(at), last = first + (lasting ? atol(lasting) : 0);
    if (first == 0 || number < first || number > last) return 0;
    int code = atoi(getenv("FAULT_ERRNO"));
    while (code == -1) pause();
    return code ? code : -1;
}

static int path_of(int file, char path[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int fault_on(int kind, int file) {
    char path[4096];
    return path_of(file, path) ? fault(kind, path) : 0;
}

static int record = -1;

__attribute__((constructor)) static void open_record(void) {
    const char *path = getenv("FAULT_RECORD");
    if (path) record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Each in one call, so that none comes between.
static void note(char kind, const char *path, off_t offset, const void *bytes, size_t count) {
    char *buffer = record < 0 || !is_in_folder(path) ? NULL : malloc(count + 4200);
    if (!buffer) return;
    int head = sprintf(buffer, "%c %lld %zu %s\n", kind, (long long)offset, count, path);
    memcpy(buffer + head, bytes, count);
    syscall(SYS_write, record, buffer, head + count);
    free(buffer);
}

static void note_on(char kind, int file, off_t offset, const void *bytes, size_t count) {
    char path[4096];
    if (record >= 0 && path_of(file, path)) note(kind, path, offset, bytes, count);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(expression) do { int code_ = (expression); if (code_ > 0) { errno = code_; return -1; } } while (0)

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    int code = fault_on(PWRITE, file);
    FAIL_IF(code);
    note_on('w', file, offset, bytes, code < 0 ? count / 2 : count);
    return NEXT(pwrite)(file, bytes, code < 0 ? count / 2 : count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    int code = fault_on(PWRITE, file);
    FAIL_IF(code);
    note_on('w', file, offset, bytes, code < 0 ? count / 2 : count);
    return NEXT(pwrite64)(file, bytes, code < 0 ? count / 2 : count, offset);
}
ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    FAIL_IF(fault_on(PREAD, file));
    return NEXT(pread)(file, bytes, count, offset);
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    FAIL_IF(fault_on(PREAD, file));
    return NEXT(pread64)(file, bytes, count, offset);
}
// Noted once it is done: nobody is told before.
static int synced(int result, int file) {
    if (result == 0) note_on('s', file, 0, "", 0);
    return result;
}
int fdatasync(int file) { FAIL_IF(fault_on(FDATASYNC, file)); return synced(NEXT(fdatasync)(file), file); }
int fsync(int file) { FAIL_IF(fault_on(FDATASYNC, file)); return synced(NEXT(fsync)(file), file); }
int ftruncate(int file, off_t size) {
    FAIL_IF(fault_on(FTRUNCATE, file));
    note_on('t', file, size, "", 0);
    return NEXT(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
    FAIL_IF(fault_on(FTRUNCATE, file));
    note_on('t', file, size, "", 0);
    return NEXT(ftruncate64)(file, size);
}
int unlink(const char *path) {
    note('u', path, 0, "", 0);
    return NEXT(unlink)(path);
}
ssize_t write(int file, const void *bytes, size_t count) {
    if (file == 1) note('p', getenv("FAULT_FOLDER") ?: "", 0, bytes, count);
    return syscall(SYS_write, file, bytes, count);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    const char *jump = getenv("FAULT_CLOCK");
    struct timespec now;
    if (jump && clock == CLOCK_REALTIME && syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now)) return -1;
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (jump && clock == CLOCK_REALTIME && now.tv_sec & 1) time->tv_sec += atol(jump);
    return result;
}

int connect(int file, __CONST_SOCKADDR_ARG address, socklen_t count) {
    struct sockaddr_in other;
    const struct sockaddr *own = address.__sockaddr__;
    if (getenv("FAULT_PEERS") && count == sizeof other && own->sa_family == AF_INET) {
        memcpy(&other, own, sizeof other);
        in_addr_t number = ntohl(other.sin_addr.s_addr);
        if (number >= 0x7F000002 && number <= 0x7F0000FF) other.sin_addr.s_addr = htonl(number | 0x100);
        own = (struct sockaddr *)&other;
    }
    return (int)syscall(SYS_connect, file, own, count);
}

#define OPENER(name) \
    int name(const char *path, int flags, ...) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
        FAIL_IF(fault(OPEN, path)); \
        return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); \
    }
OPENER(open)
OPENER(open64)

__attribute__((destructor)) static void write_counts(void) {
    const char *path = getenv("FAULT_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", names[kind], atomic_load(&counts[kind]));
    fclose(file);
}
