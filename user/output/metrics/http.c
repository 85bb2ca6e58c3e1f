// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "output/metrics/clients.h"
#include "output/metrics/expose.h"
#include "output/metrics/http.h"

#define BATCH	32 /* connections that are accepted before the next look at requests */
#define BATCHES 8

struct http {
	struct MHD_Daemon *daemon;
	struct clients clients;
	int fd;
	http_page_fn page;
	void *ctx;
};

static const char landing[] = "rqspin export: the metrics are at /metrics\n";

/* Cuts the text in two. */
static int address_split(char *where, char **host, char **port)
{
	char *colon = strrchr(where, ':');

	if (!colon || !colon[1])
		return -EINVAL;
	*colon = 0;
	*port = colon + 1;
	*host = where;
	if (*where == '[' && colon > where + 1 && colon[-1] == ']') {
		colon[-1] = 0;
		*host = where + 1;
	} else if (strchr(where, ':')) {
		return -EINVAL;
	}
	return 0;
}

static int listen_on(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, off = 0, err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, ai->ai_addr, ai->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* ":9743": the socket of IPv6 serves both, where there is IPv6. */
static int look_up(const char *host, const char *port, int family, struct addrinfo **found)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	};

	return getaddrinfo(*host ? host : NULL, port, &hints, found);
}

static int bind_host(const char *host, const char *port, int family)
{
	struct addrinfo *found;
	int err = look_up(host, port, family, &found);

	if (err == EAI_SYSTEM)
		return -errno;
	if (err)
		return -EADDRNOTAVAIL;
	err = listen_on(found);
	freeaddrinfo(found);
	return err;
}

static const char *bind_advice(int err)
{
	switch (-err) {
	case EADDRINUSE:
		return "; 'ss -tlnp' shows who has the port";
	case EADDRNOTAVAIL:
		return "; this machine has no such address";
	case EACCES:
		return "; ports below 1024 need CAP_NET_BIND_SERVICE";
	}
	return "";
}

static bool is_port(const char *port)
{
	char *end;
	unsigned long nr = strtoul(port, &end, 10);

	return *port >= '0' && *port <= '9' && !*end && nr <= 65535;
}

int http_bind(const char *where)
{
	char text[300], *host, *port;
	int fd;

	if (snprintf(text, sizeof(text), "%s", where) >= (int)sizeof(text) ||
	    address_split(text, &host, &port) || !is_port(port)) {
		pr_err("--listen: '%s' is not ADDRESS:PORT, as in 127.0.0.1:9743 or [::1]:9743",
		       where);
		return -EINVAL;
	}
	fd = bind_host(host, port, *host ? AF_UNSPEC : AF_INET6);
	if (fd < 0 && !*host && fd != -EADDRINUSE)
		fd = bind_host(host, port, AF_INET);
	if (fd < 0)
		pr_err("--listen %s: %s%s", where, strerror(-fd), bind_advice(fd));
	return fd;
}

static struct MHD_Response *text_response(const char *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	if (r)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	return r;
}

static struct MHD_Response *metrics_response(const struct http *h, bool openmetrics)
{
	struct MHD_Response *r;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	h->page(out, openmetrics, h->ctx);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	r = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	if (r)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
					openmetrics ? EXPOSE_OPENMETRICS : EXPOSE_PROMETHEUS);
	else
		free(text);
	return r;
}

static enum MHD_Result send_off(struct MHD_Connection *conn, unsigned int status,
				struct MHD_Response *r)
{
	enum MHD_Result done;

	if (!r)
		return MHD_NO; /* out of memory: the connection is closed */
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	done = MHD_queue_response(conn, status, r);
	MHD_destroy_response(r);
	return done;
}

static struct client *client_of(struct MHD_Connection *conn)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The connection may be used for another request. */
static void on_answered(void *ctx, struct MHD_Connection *conn, void **state,
			enum MHD_RequestTerminationCode why)
{
	struct client *client = client_of(conn);

	(void)ctx;
	(void)state;
	(void)why;
	if (client)
		client->until = now_s() + CLIENTS_REQUEST_S;
}

static void on_connection(void *ctx, struct MHD_Connection *conn, void **socket_context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *h = ctx;
	int fd = MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	const struct sockaddr *addr =
		MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context = clients_add(&h->clients, fd, clients_address(addr), now_s());
	else
		clients_remove(*socket_context);
}

static enum MHD_Result http_answer(void *ctx, struct MHD_Connection *conn, const char *url,
				   const char *method, const char *version, const char *upload,
				   size_t *upload_size, void **state)
{
	const char *accept =
		MHD_lookup_connection_value(conn, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	struct client *client = client_of(conn);

	(void)version;
	(void)upload;
	/* The first call comes before the body of a request is read; a body is thrown away. */
	if (!*state) {
		*state = ctx;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	/* The request is complete; the answer may be read slowly. */
	if (client)
		client->until = now_s() + CLIENTS_ANSWER_S;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_off(conn, MHD_HTTP_METHOD_NOT_ALLOWED,
				text_response("only GET and HEAD\n"));
	if (!strcmp(url, "/"))
		return send_off(conn, MHD_HTTP_OK, text_response(landing));
	if (strcmp(url, "/metrics"))
		return send_off(conn, MHD_HTTP_NOT_FOUND, text_response(landing));
	return send_off(conn, MHD_HTTP_OK,
			metrics_response(ctx, accept && strstr(accept, "openmetrics-text")));
}

struct http *http_start(int fd, http_page_fn page, void *ctx)
{
	struct http *h = calloc(1, sizeof(*h));

	if (h) {
		*h = (struct http){ .fd = fd, .page = page, .ctx = ctx };
		clients_init(&h->clients);
		/* We enforce CLIENTS_MAX: the library would cut new connections, not old ones. */
		h->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL,
					     NULL, http_answer, h, MHD_OPTION_NOTIFY_CONNECTION,
					     on_connection, h, MHD_OPTION_NOTIFY_COMPLETED,
					     on_answered, h, MHD_OPTION_CONNECTION_LIMIT,
					     2 * CLIENTS_MAX, MHD_OPTION_END);
	}
	if (h && h->daemon)
		return h;
	pr_err("cannot start the HTTP server: %s", strerror(errno ? errno : ENOMEM));
	free(h);
	close(fd);
	return NULL;
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	MHD_stop_daemon(h->daemon);
	close(h->fd);
	free(h);
}

/* Accepts a batch of new connections. Returns how many. */
static int take_batch(struct http *h)
{
	int nr = 0;

	for (; nr < BATCH; nr++) {
		struct sockaddr_storage addr;
		socklen_t len = sizeof(addr);
		int fd = accept4(h->fd, (struct sockaddr *)&addr, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			break;
		MHD_add_connection(h->daemon, fd, (struct sockaddr *)&addr, len);
	}
	return nr;
}

/* Requests that have arrived are answered before new connections can take their place. */
void http_poll(struct http *h)
{
	MHD_run(h->daemon);
	clients_expire(&h->clients, now_s());
	for (int i = 0; i < BATCHES && take_batch(h); i++)
		MHD_run(h->daemon);
}

void http_url(const struct http *h, char *buf, size_t size)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (!getsockname(h->fd, (struct sockaddr *)&addr, &len))
		getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(buf, size, strchr(host, ':') ? "http://[%s]:%s/metrics" : "http://%s:%s/metrics",
		 host, port);
}
