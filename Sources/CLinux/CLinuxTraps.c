#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void *clinux_map_file(const char *path, size_t byte_count) {
    if (path == NULL) {
        void *memory = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory == MAP_FAILED ? NULL : memory;
    }
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return NULL;
    // What has no room on the disk cannot be written to in memory either.
    int error = posix_fallocate(file, 0, (off_t)byte_count);
    void *start = error ? NULL : mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (start == MAP_FAILED) (error = errno, start = NULL);
    close(file);
    errno = error;
    return start;
}

static int64_t *volatile trap_word;
static volatile int trap_bell = -1;
static struct clinux_crash *volatile crash_page;
static struct sigaction before_traps[NSIG];

// The chain of frame pointers is followed through the kernel, which knows where no memory is: it may lead
// anywhere.
static void note_crash(struct clinux_crash *page, int signal, bool is_sent, const ucontext_t *context) {
    bool is_first = __sync_bool_compare_and_swap(&page->signal, 0, signal);
    if (!is_first && (is_sent || !__sync_bool_compare_and_swap(&page->is_sent, 1, 0))) {
        // Who goes on may end the process, before the first one has noted all.
        const struct timespec pause = {0, 1000000};
        for (int count = 0; count < 100 && !page->is_done; count++) nanosleep(&pause, NULL);
        return;
    }
    page->signal = signal;
    page->is_sent = is_sent;
    page->thread = (uint64_t)pthread_self();
#if defined(__x86_64__)
    uint64_t address = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    uint64_t frame = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
#else
    uint64_t address = context->uc_mcontext.pc, frame = context->uc_mcontext.regs[29];
#endif
    for (uint64_t count = 0; count < clinux_frame_count;) {
        page->frames[count++] = address;
        page->frame_count = count;
        uint64_t next[2];
        struct iovec to = {next, sizeof next}, from = {(void *)frame, sizeof next};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof next) break;
        address = next[1];
        if (address == 0) break;
        // Frames of callers lie above.
        frame = next[0] > frame ? next[0] : 0;
    }
    page->is_done = 1;
}

// Whoever is rung for goes on, as one thread alone has trapped, and may tell others of it.
static void ring(volatile int64_t *word, int bell) {
    const uint64_t one = 1;
    if (__sync_bool_compare_and_swap(word, 0, 1) && write(bell, &one, sizeof one) < 0) return;
    const struct timespec pause = {0, 1000000};
    for (int count = 0; count < 500 && *word == 1; count++) nanosleep(&pause, NULL);
}

static void note_trap(int signal, siginfo_t *info, void *context) {
    int64_t *word = trap_word;
    struct clinux_crash *page = crash_page;
    int error = errno;
    bool is_sent = info->si_code <= 0;
    if (word && trap_bell < 0) *word = 1;
    if (page) note_crash(page, signal, is_sent, context);
    if (word && trap_bell >= 0) ring(word, trap_bell);
    sigaction(signal, &before_traps[signal], NULL);
    // A fault comes again by itself, one that was sent does not, nor a breakpoint, which is behind already.
    if (is_sent || signal == SIGTRAP) raise(signal);
    errno = error;
}

static void install_traps(void) {
    static const int traps[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t index = 0; index < sizeof traps / sizeof traps[0]; index++) {
        sigaction(traps[index], &action, &before_traps[traps[index]]);
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void clinux_note_traps(int64_t *word, int bell) {
    trap_bell = bell;
    trap_word = word;
    pthread_once(&once, install_traps);
}

void clinux_forget_traps(int64_t *word) {
    if (trap_word == word) trap_word = NULL;
}

void clinux_note_crash(struct clinux_crash *page) {
    extern char __executable_start, etext;
    page->start = (uint64_t)&__executable_start;
    page->end = (uint64_t)&etext;
    crash_page = page;
    pthread_once(&once, install_traps);
}

void clinux_forget_crash(struct clinux_crash *page) {
    if (crash_page == page) crash_page = NULL;
}
