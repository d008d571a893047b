#define _GNU_SOURCE
#include "CLinuxRing.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The indices count up and wrap at 2^32; `mask` makes a position of one. We write what the kernel
/// reads (`sent_tail`, `done_head`), and it writes the other two.
struct clinux_ring {
    int descriptor;
    uint32_t capacity;
    void *rings;
    size_t rings_size;
    struct io_uring_sqe *entries;
    size_t entries_size;
    uint32_t *sent_head, *sent_tail, sent_mask;
    uint32_t *done_head, *done_tail, done_mask;
    const struct io_uring_cqe *done;
};

static void *map(int descriptor, size_t size, off_t offset) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, offset);
}

/// Maps both rings and the entries. 0, or -1 with errno set.
static int map_all(struct clinux_ring *ring, const struct io_uring_params *made) {
    size_t sent_size = made->sq_off.array + made->sq_entries * sizeof(uint32_t);
    size_t done_size = made->cq_off.cqes + made->cq_entries * sizeof(struct io_uring_cqe);
    ring->rings_size = sent_size > done_size ? sent_size : done_size;
    ring->entries_size = made->sq_entries * sizeof(struct io_uring_sqe);
    ring->rings = map(ring->descriptor, ring->rings_size, IORING_OFF_SQ_RING);
    ring->entries = map(ring->descriptor, ring->entries_size, IORING_OFF_SQES);
    if (ring->rings == MAP_FAILED || ring->entries == MAP_FAILED) {
        return -1;
    }
    char *base = ring->rings;
    ring->sent_head = (uint32_t *)(base + made->sq_off.head);
    ring->sent_tail = (uint32_t *)(base + made->sq_off.tail);
    ring->sent_mask = *(uint32_t *)(base + made->sq_off.ring_mask);
    ring->done_head = (uint32_t *)(base + made->cq_off.head);
    ring->done_tail = (uint32_t *)(base + made->cq_off.tail);
    ring->done_mask = *(uint32_t *)(base + made->cq_off.ring_mask);
    ring->done = (const struct io_uring_cqe *)(base + made->cq_off.cqes);
    uint32_t *order = (uint32_t *)(base + made->sq_off.array);
    for (uint32_t position = 0; position < made->sq_entries; position++) {
        order[position] = position;
    }
    return 0;
}

struct clinux_ring *clinux_ring_open(uint32_t capacity) {
    struct clinux_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) {
        return NULL;
    }
    // SUBMIT_ALL: a refused call does not keep those behind it from being made.
    struct io_uring_params made = {
        .flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
                 IORING_SETUP_DEFER_TASKRUN};
    ring->capacity = capacity;
    ring->rings = MAP_FAILED;
    ring->entries = MAP_FAILED;
    ring->descriptor = (int)syscall(SYS_io_uring_setup, capacity, &made);
    if (ring->descriptor < 0 || map_all(ring, &made) < 0) {
        int code = errno;
        clinux_ring_close(ring);
        errno = code;
        return NULL;
    }
    return ring;
}

void clinux_ring_close(struct clinux_ring *ring) {
    if (ring->rings != MAP_FAILED) {
        munmap(ring->rings, ring->rings_size);
    }
    if (ring->entries != MAP_FAILED) {
        munmap(ring->entries, ring->entries_size);
    }
    if (ring->descriptor >= 0) {
        close(ring->descriptor);
    }
    free(ring);
}

static int enter(struct clinux_ring *ring, uint32_t offered, uint32_t awaited) {
    return (int)syscall(SYS_io_uring_enter, ring->descriptor, offered, awaited,
                        IORING_ENTER_GETEVENTS, NULL, 0);
}

/// Takes the results that have come; answers how many.
static uint32_t take_results(struct clinux_ring *ring, int32_t *results) {
    uint32_t head = *ring->done_head;
    uint32_t tail = __atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE);
    for (uint32_t next = head; next != tail; next++) {
        const struct io_uring_cqe *end = &ring->done[next & ring->done_mask];
        results[end->user_data] = end->res;
    }
    __atomic_store_n(ring->done_head, tail, __ATOMIC_RELEASE);
    return tail - head;
}

/// Makes one call of each entry; `opcode` says which.
static int make(struct clinux_ring *ring, uint8_t opcode, uint32_t flags,
                const struct clinux_transfer *transfers, uint32_t count, int32_t *results) {
    uint32_t tail = *ring->sent_tail;
    for (uint32_t index = 0; index < count; index++) {
        struct io_uring_sqe *entry = &ring->entries[(tail + index) & ring->sent_mask];
        memset(entry, 0, sizeof *entry);
        entry->opcode = opcode;
        entry->fd = transfers[index].descriptor;
        entry->addr = (uintptr_t)transfers[index].bytes;
        entry->len = transfers[index].count;
        entry->msg_flags = flags;
        entry->user_data = index;
        results[index] = clinux_not_made;
    }
    __atomic_store_n(ring->sent_tail, tail + count, __ATOMIC_RELEASE);
    int entered = enter(ring, count, count);
    int code = errno;
    // What the kernel has not taken is taken back; it looks at the ring only inside the call.
    uint32_t taken = __atomic_load_n(ring->sent_head, __ATOMIC_ACQUIRE) - tail;
    __atomic_store_n(ring->sent_tail, tail + taken, __ATOMIC_RELEASE);
    uint32_t ended = take_results(ring, results);
    while (ended < taken) {
        // Returning now would leave the kernel with bytes that are no longer there.
        if (enter(ring, 0, taken - ended) < 0 && errno != EINTR) {
            abort();
        }
        ended += take_results(ring, results);
    }
    if (taken == count) {
        return 0;
    }
    // EINTR only when nothing was made: the caller then makes the call again.
    errno = entered < 0 && taken == 0 ? code : EAGAIN;
    return -1;
}

int clinux_ring_send(struct clinux_ring *ring, const struct clinux_transfer *sends,
                     uint32_t count, int32_t *results) {
    return make(ring, IORING_OP_SEND, MSG_NOSIGNAL | MSG_DONTWAIT, sends, count, results);
}

int clinux_ring_receive(struct clinux_ring *ring, const struct clinux_transfer *receives,
                        uint32_t count, int32_t *results) {
    return make(ring, IORING_OP_RECV, MSG_DONTWAIT, receives, count, results);
}
