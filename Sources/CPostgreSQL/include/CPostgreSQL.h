#pragma once
#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

// libpq, which is loaded when it is asked for: a program that keeps nothing in PostgreSQL has none of
// it, and starts where it is not installed.

/// Loads libpq 14 or later; false where there is none. Comes before all others.
bool cpostgresql_load(void);

/// Connects to a server that may be written to, and waits for it, 5 s for each address that the hosts
/// have unless said otherwise, and for who knows the addresses; `address` is a URL, or words
/// `host=… dbname=…`.
PGconn *cpostgresql_connect(const char *address);
/// Turns a new connection to pipelines, and has its notices printed nowhere. One that says that a commit
/// was not waited for until the standby had it sets `is_unreplicated`.
bool cpostgresql_begin_pipeline(PGconn *connection, bool *is_unreplicated);
/// The process at the other end.
int cpostgresql_backend(const PGconn *connection);
void cpostgresql_finish(PGconn *connection);
ConnStatusType cpostgresql_status(const PGconn *connection);
int cpostgresql_socket(const PGconn *connection);
const char *cpostgresql_error(const PGconn *connection);

bool cpostgresql_prepare(PGconn *connection, const char *name, const char *text);
/// Sends a statement with parameters in binary form, whose bytes follow one another; a count of -1 is null.
/// A statement without a name has its text.
bool cpostgresql_send(PGconn *connection, const char *name, const char *text, int parameter_count,
    const uint8_t *bytes, const int32_t *counts);
bool cpostgresql_sync(PGconn *connection);
/// 1: the socket takes no more now; -1: the connection is lost.
int cpostgresql_flush(PGconn *connection);
bool cpostgresql_consume(PGconn *connection);
/// Bytes have come of which the socket knows nothing any more: TLS has deciphered more than libpq has taken.
bool cpostgresql_has_more(PGconn *connection);
bool cpostgresql_is_busy(PGconn *connection);

PGresult *cpostgresql_result(PGconn *connection);
ExecStatusType cpostgresql_result_status(const PGresult *result);
/// A field of an error; an empty text where it has none.
const char *cpostgresql_result_error(const PGresult *result, int field);
int cpostgresql_row_count(const PGresult *result);
int cpostgresql_column_count(const PGresult *result);
/// The bytes of a value, and in `count` their number; NULL for null.
const uint8_t *cpostgresql_value(const PGresult *result, int row, int column, int *count);
void cpostgresql_clear(PGresult *result);
