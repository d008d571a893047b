#pragma once

#include <stdint.h>

/// One send(2) or recv(2) among many: its socket and its bytes. A send only reads them.
struct clinux_transfer {
    void *bytes;
    uint32_t count;
    int32_t descriptor;
};

/// The result of a call that the kernel has not come to.
static const int32_t clinux_not_made = INT32_MIN;

/// A ring of io_uring(7), used for sends and receives only and by one thread at a time.
struct clinux_ring;

/// A ring that takes `capacity` calls at once, a power of two. NULL with errno set where there is
/// none: ENOSYS and EINVAL on a kernel before 6.1, EPERM where it is forbidden, ENOMEM.
struct clinux_ring *clinux_ring_open(uint32_t capacity);

/// Gives the ring back to the kernel.
void clinux_ring_close(struct clinux_ring *ring);

/// Makes up to `capacity` sends, none of which waits, by one system call, and waits for their
/// ends: the kernel keeps nothing of what it was given.
///
/// `results` gets for each what send(2) would have come to, or minus its error number, or
/// `clinux_not_made`. Answers 0, or -1 with errno set when the kernel took fewer than all.
int clinux_ring_send(struct clinux_ring *ring, const struct clinux_transfer *sends,
                     uint32_t count, int32_t *results);

/// As `clinux_ring_send`, for receives: each brings at most `count` bytes.
int clinux_ring_receive(struct clinux_ring *ring, const struct clinux_transfer *receives,
                        uint32_t count, int32_t *results);
