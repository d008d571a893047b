#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}

int clinux_open_beneath(int directory, const char *path, uint64_t flags) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = flags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

void clinux_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

void clinux_trim_memory(void) {
    malloc_trim(0);
}
