// Preloaded into a process: fails the n-th system call of one kind on files of one folder.
//
//   FAULT_FOLDER  files below this path count (required)
//   FAULT_CALL    pwrite | pread | fdatasync | open | ftruncate
//   FAULT_AT      the n-th such call fails (from 1); 0: none does
//   FAULT_ERRNO   5: EIO, 28: ENOSPC, 122: EDQUOT; 0: a write of half of the bytes
//   FAULT_LASTING set: and all behind it; as many as its value says
//   FAULT_COUNTS  a file that gets the number of calls of each kind at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
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
    return code ? code : -1;
}

static int fault_on(int kind, int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fault(kind, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(expression) do { int code_ = (expression); if (code_ > 0) { errno = code_; return -1; } } while (0)

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    int code = fault_on(PWRITE, file);
    FAIL_IF(code);
    return NEXT(pwrite)(file, bytes, code < 0 ? count / 2 : count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    int code = fault_on(PWRITE, file);
    FAIL_IF(code);
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
int fdatasync(int file) { FAIL_IF(fault_on(FDATASYNC, file)); return NEXT(fdatasync)(file); }
int fsync(int file) { FAIL_IF(fault_on(FDATASYNC, file)); return NEXT(fsync)(file); }
int ftruncate(int file, off_t size) { FAIL_IF(fault_on(FTRUNCATE, file)); return NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { FAIL_IF(fault_on(FTRUNCATE, file)); return NEXT(ftruncate64)(file, size); }

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
