#include "CPostgreSQL.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define EACH(USE)                                                                                  \
    USE(PQconnectdbParams) USE(PQsetnonblocking) USE(PQenterPipelineMode) USE(PQsslStruct)         \
    USE(PQsetNoticeReceiver) USE(PQfinish) USE(PQstatus) USE(PQsocket) USE(PQerrorMessage)         \
    USE(PQbackendPID)                                                                              \
    USE(PQsendPrepare) USE(PQsendQueryPrepared) USE(PQsendQueryParams) USE(PQpipelineSync)         \
    USE(PQflush) USE(PQconsumeInput) USE(PQisBusy) USE(PQgetResult) USE(PQresultStatus)            \
    USE(PQresultErrorField) USE(PQntuples) USE(PQnfields) USE(PQgetisnull) USE(PQgetlength)        \
    USE(PQgetvalue) USE(PQclear)

#define MEMBER(name) __typeof__(name) *name;
static struct { EACH(MEMBER) } libpq;
static bool is_loaded;
static int (*ssl_pending)(const void *ssl);

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    // OpenSSL's, which libpq brings along where it has TLS.
    if (library) ssl_pending = dlsym(library, "SSL_pending");
    is_loaded = library != NULL;
#define FIND(name) is_loaded = is_loaded && (libpq.name = dlsym(library, #name));
    EACH(FIND)
}

bool cpostgresql_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

PGconn *cpostgresql_connect(const char *address) {
    // What stands before the address is a default, and what stands behind it is not the address's to say.
    // Bytes that GSSAPI has deciphered and libpq not yet taken could not be seen here.
    const char *keys[] = {
        "fallback_application_name", "connect_timeout", "tcp_user_timeout", "keepalives_idle",
        "keepalives_interval", "keepalives_count", "gssencmode", "dbname", "target_session_attrs",
        "client_encoding", NULL,
    };
    const char *values[] = {
        "statecast", "5", "5000", "5", "2", "3", "disable", address, "read-write", "UTF8", NULL,
    };
    return libpq.PQconnectdbParams(keys, values, 1);
}

static void receive(void *is_unreplicated, const PGresult *notice) {
    const char *function = libpq.PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
    if (function && strcmp(function, "SyncRepWaitForLSN") == 0) *(bool *)is_unreplicated = true;
}

bool cpostgresql_begin_pipeline(PGconn *connection, bool *is_unreplicated) {
    libpq.PQsetNoticeReceiver(connection, receive, is_unreplicated);
    return libpq.PQsetnonblocking(connection, 1) == 0 && libpq.PQenterPipelineMode(connection) == 1;
}

int cpostgresql_backend(const PGconn *connection) { return libpq.PQbackendPID(connection); }

void cpostgresql_finish(PGconn *connection) { libpq.PQfinish(connection); }

ConnStatusType cpostgresql_status(const PGconn *connection) { return libpq.PQstatus(connection); }

int cpostgresql_socket(const PGconn *connection) { return libpq.PQsocket(connection); }

const char *cpostgresql_error(const PGconn *connection) { return libpq.PQerrorMessage(connection); }

bool cpostgresql_prepare(PGconn *connection, const char *name, const char *text) {
    return libpq.PQsendPrepare(connection, name, text, 0, NULL) == 1;
}

bool cpostgresql_send(PGconn *connection, const char *name, const char *text, int parameter_count,
    const uint8_t *bytes, const int32_t *counts) {
    const char *values[32];
    int lengths[32], formats[32];
    if (parameter_count > 32) return false;
    if (!bytes) bytes = (const uint8_t *)"";
    for (int index = 0; index < parameter_count; index++) {
        values[index] = counts[index] < 0 ? NULL : (const char *)bytes;
        lengths[index] = counts[index] < 0 ? 0 : counts[index];
        formats[index] = 1;
        bytes += lengths[index];
    }
    int is_sent = *name
        ? libpq.PQsendQueryPrepared(
            connection, name, parameter_count, values, lengths, formats, 1)
        : libpq.PQsendQueryParams(
            connection, text, parameter_count, NULL, values, lengths, formats, 1);
    return is_sent == 1;
}

bool cpostgresql_sync(PGconn *connection) { return libpq.PQpipelineSync(connection) == 1; }

int cpostgresql_flush(PGconn *connection) { return libpq.PQflush(connection); }

bool cpostgresql_consume(PGconn *connection) { return libpq.PQconsumeInput(connection) == 1; }

bool cpostgresql_has_more(PGconn *connection) {
    void *ssl = ssl_pending ? libpq.PQsslStruct(connection, "OpenSSL") : NULL;
    return ssl && ssl_pending(ssl) > 0;
}

bool cpostgresql_is_busy(PGconn *connection) { return libpq.PQisBusy(connection) == 1; }

PGresult *cpostgresql_result(PGconn *connection) { return libpq.PQgetResult(connection); }

ExecStatusType cpostgresql_result_status(const PGresult *result) {
    return libpq.PQresultStatus(result);
}

const char *cpostgresql_result_error(const PGresult *result, int field) {
    const char *text = libpq.PQresultErrorField(result, field);
    return text ? text : "";
}

int cpostgresql_row_count(const PGresult *result) { return libpq.PQntuples(result); }

int cpostgresql_column_count(const PGresult *result) { return libpq.PQnfields(result); }

const uint8_t *cpostgresql_value(const PGresult *result, int row, int column, int *count) {
    *count = libpq.PQgetlength(result, row, column);
    return libpq.PQgetisnull(result, row, column)
        ? NULL : (const uint8_t *)libpq.PQgetvalue(result, row, column);
}

void cpostgresql_clear(PGresult *result) { libpq.PQclear(result); }
