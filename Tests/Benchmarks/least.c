/* The least that a server of this task can do: one thread, epoll, one read and one write for each
 * request, one write for each event. It believes its clients (this project's load generator), keeps
 * one integer a session, and sends a constant beside it. What it costs is the kernel's price, and
 * the measure of what Statecast adds.
 *
 *     clang -O2 -o least least.c && ./least PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 1 << 17, MAX_SESSIONS = 1 << 16, MAX_NAME = 64 };

struct session {
    char name[MAX_NAME];
    long version;
    int first_watcher; /* of a list through `next_watcher`; 0: none */
};

static struct session sessions[MAX_SESSIONS];
static int next_watcher[MAX_CONNECTIONS];
static char items[4096];
static char request[1 << 16], frame[8192];

static struct session *find(const char *name, size_t length) {
    unsigned long hash = 5381;
    for (size_t i = 0; i < length; i++) hash = hash * 33 + (unsigned char)name[i];
    for (unsigned slot = hash % MAX_SESSIONS;; slot = (slot + 1) % MAX_SESSIONS) {
        struct session *s = &sessions[slot];
        if (!s->name[0]) memcpy(s->name, name, length);
        if (!strncmp(s->name, name, length) && !s->name[length]) return s;
    }
}

static size_t make_frame(const struct session *s) {
    return (size_t)snprintf(frame, sizeof frame, "id: least-%ld\ndata: {\"counter\":%ld,%s}\n\n",
                            s->version, s->version, items);
}

static void answer(int fd, const char *status, const char *body) {
    char out[512];
    int n = snprintf(out, sizeof out,
                     "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n%s", status, strlen(body), body);
    if (send(fd, out, (size_t)n, MSG_NOSIGNAL) != n) shutdown(fd, SHUT_RDWR);
}

static void publish(const struct session *s) {
    size_t length = make_frame(s);
    for (int fd = s->first_watcher; fd; fd = next_watcher[fd])
        if (send(fd, frame, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) shutdown(fd, SHUT_RDWR);
}

static void serve(int fd) {
    ssize_t n = recv(fd, request, sizeof request - 1, 0);
    if (n <= 0) { close(fd); return; }
    request[n] = 0;
    char *path = strchr(request, ' ');
    char *name = path ? strstr(path, "/sessions/") : NULL;
    if (!name) { answer(fd, "404 Not Found", "{}"); return; }
    name += strlen("/sessions/");
    size_t length = strcspn(name, "/ ");
    if (length >= MAX_NAME) { answer(fd, "404 Not Found", "{}"); return; }
    struct session *s = find(name, length);
    if (request[0] == 'P' && request[1] == 'O') {
        char body[64];
        s->version++;
        snprintf(body, sizeof body, "{\"version\":%ld}", s->version);
        answer(fd, "200 OK", body);
        if (s->first_watcher) publish(s);
    } else if (request[0] == 'P') {
        answer(fd, "201 Created", "{}");
    } else {
        char out[sizeof frame + 128];
        size_t size = make_frame(s);
        int head = snprintf(out, 128, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                      "Connection: close\r\n\r\n");
        memcpy(out + head, frame, size);
        if (send(fd, out, (size_t)head + size, MSG_NOSIGNAL) < 0) shutdown(fd, SHUT_RDWR);
        next_watcher[fd] = s->first_watcher;
        s->first_watcher = fd;
    }
}

int main(int count, char **arguments) {
    if (count != 2) { fprintf(stderr, "usage: least PORT\n"); return 2; }
    size_t at = (size_t)sprintf(items, "\"items\":[");
    for (int i = 0; i < 20; i++)
        at += (size_t)sprintf(items + at, "%s{\"id\":%d,\"name\":\"item-%d\",\"done\":%s,\"n\":%d}",
                              i ? "," : "", i, i, i % 2 ? "false" : "true", i * 7);
    sprintf(items + at, "]");

    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < MAX_CONNECTIONS ? files.rlim_max : MAX_CONNECTIONS - 1;
    setrlimit(RLIMIT_NOFILE, &files);

    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror("bind");
        return 1;
    }
    int queue = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN, .data.fd = listener }, ready[512];
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int n = epoll_wait(queue, ready, 512, -1);
        for (int i = 0; i < n; i++) {
            if (ready[i].data.fd != listener) { serve(ready[i].data.fd); continue; }
            int fd = accept(listener, NULL, NULL);
            if (fd < 0) continue;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            event.data.fd = fd;
            epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event);
        }
    }
}
