#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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

int clinux_exchange(int directory, const char *one, const char *other, bool makes) {
    int result = renameat2(directory, one, directory, other, RENAME_EXCHANGE);
    if (result == 0 || !makes || errno != ENOENT) return result;
    return renameat2(directory, one, directory, other, RENAME_NOREPLACE);
}

int clinux_is_being_written(int file) {
    // Whoever opens the file for writing during the lease sends this process a signal: one that nobody
    // handles, and not SIGIO, which would end it.
    if (fcntl(file, F_SETSIG, SIGURG) != 0) return -1;
    if (fcntl(file, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 1 : -1;
    fcntl(file, F_SETLEASE, F_UNLCK);
    return 0;
}

void clinux_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

void clinux_trim_memory(void) {
    malloc_trim(0);
}

bool clinux_handle_signals_on(void *stack, size_t byte_count) {
    stack_t next = {.ss_sp = stack, .ss_size = byte_count, .ss_flags = stack ? 0 : SS_DISABLE}, former;
    if (stack && (sigaltstack(NULL, &former) != 0 || !(former.ss_flags & SS_DISABLE))) return false;
    return sigaltstack(&next, NULL) == 0;
}

typedef struct {
    uint8_t *bytes;
    size_t capacity, count;
} build_id;

static int find_build_id(struct dl_phdr_info *object, size_t size, void *context) {
    build_id *found = context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_NOTE) continue;
        const uint8_t *note = (const uint8_t *)(object->dlpi_addr + part->p_vaddr);
        const uint8_t *end = note + part->p_memsz;
        while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
            const uint8_t *name = note + sizeof *head;
            const uint8_t *value = name + ((head->n_namesz + 3) & ~3u);
            if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
                    head->n_descsz <= found->capacity) {
                memcpy(found->bytes, value, head->n_descsz);
                found->count = head->n_descsz;
                return 1;
            }
            note = value + ((head->n_descsz + 3) & ~3u);
        }
    }
    // The first object is the executable; the others are libraries.
    return 1;
}

size_t clinux_build_id(uint8_t *bytes, size_t capacity) {
    build_id found = {bytes, capacity, 0};
    dl_iterate_phdr(find_build_id, &found);
    return found.count;
}
