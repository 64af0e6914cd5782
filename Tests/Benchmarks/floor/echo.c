/* The floor that the bus is measured against: a C DEALER -> ROUTER echo over libzmq, two processes, a window of requests in flight.
 *
 *   minerva-floor --endpoint ipc:///tmp/x --size 64 --window 1 --count 100000 [--curve] [--batch 32]
 *   minerva-floor --endpoint ipc:///tmp/x --size 64 --window 1 --slices [--curve] [--batch 32]
 *
 * The server is this program again, started anew (a libzmq context does not survive fork). With --batch N the client puts up to N requests
 * into one frame and the server their answers, each request still copied and counted on its own. Both sides wait on ZMQ_FD, as an event loop
 * does. Prints one line: latency of the whole run divided by its count when window is 1, and calls per second. With --slices it reads counts
 * from its input, one a line, makes that many calls for each and prints the seconds they took, until the input ends: so its calls and those of
 * what is compared with it take turns.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

extern char **environ;

static const char *endpoint = "ipc:///tmp/minerva-floor";
static long size = 64, window = 1, count = 100000, batch = 1;
static int curve = 0, slices = 0;
static const char *server_secret = NULL;
static char server_public[41], client_public[41], client_secret[41];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "minerva-floor: %s: %s\n", what, zmq_strerror(zmq_errno()));
  exit(1);
}

static void *make_socket(void *context, int type, int is_server) {
  void *socket = zmq_socket(context, type);
  check(socket != NULL, "socket");
  int zero = 0, mark = 100000, one = 1;
  zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof zero);
  zmq_setsockopt(socket, ZMQ_SNDHWM, &mark, sizeof mark);
  zmq_setsockopt(socket, ZMQ_RCVHWM, &mark, sizeof mark);
  if (curve && is_server) {
    zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &one, sizeof one);
    check(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, server_secret, 40) == 0, "server key");
  } else if (curve) {
    check(zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server_public, 40) == 0, "server key");
    check(zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, client_public, 40) == 0, "public key");
    check(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, client_secret, 40) == 0, "secret key");
  }
  return socket;
}

/* Waits until the socket may be readable: ZMQ_FD is edge-triggered, so ZMQ_EVENTS is asked before each poll. */
static int wait_readable(void *socket, int timeout) {
  int descriptor;
  size_t length = sizeof descriptor;
  zmq_getsockopt(socket, ZMQ_FD, &descriptor, &length);
  for (;;) {
    int events;
    length = sizeof events;
    zmq_getsockopt(socket, ZMQ_EVENTS, &events, &length);
    if (events & ZMQ_POLLIN) return 1;
    struct pollfd item = {descriptor, POLLIN, 0};
    if (poll(&item, 1, timeout) == 0) return 0;
  }
}

/* Receives one part without waiting longer than the timeout; 0 when nothing came. */
static int receive(zmq_msg_t *message, void *socket, int timeout) {
  zmq_msg_init(message);
  while (zmq_msg_recv(message, socket, ZMQ_DONTWAIT) < 0) {
    check(zmq_errno() == EAGAIN || zmq_errno() == EINTR, "receive");
    if (!wait_readable(socket, timeout)) return 0;
  }
  return 1;
}

/* Echoes until nobody has said anything for two minutes or the parent ends it, which it does by ending. */
static int serve(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  void *context = zmq_ctx_new();
  void *socket = make_socket(context, ZMQ_ROUTER, 1);
  check(zmq_bind(socket, endpoint) == 0, "bind");
  zmq_msg_t route, body;
  while (receive(&route, socket, 120000)) {
    if (!receive(&body, socket, 10000)) break;
    if (batch > 1) {
      /* As a server of batched calls must: read each request, write each answer. */
      size_t length = zmq_msg_size(&body), offset = 0;
      const char *in = zmq_msg_data(&body);
      zmq_msg_t answer;
      zmq_msg_init_size(&answer, length);
      char *out = zmq_msg_data(&answer);
      while (offset + 4 <= length) {
        uint32_t part;
        memcpy(&part, in + offset, 4);
        if (part > length - offset - 4) break;
        memcpy(out + offset, &part, 4);
        memcpy(out + offset + 4, in + offset + 4, part);
        offset += 4 + part;
      }
      zmq_msg_close(&body);
      body = answer;
    }
    zmq_msg_send(&route, socket, ZMQ_SNDMORE);
    zmq_msg_send(&body, socket, 0);
  }
  zmq_close(socket);
  zmq_ctx_term(context);
  return 0;
}

/* Makes `total` calls, `window` of them under way; the seconds they took. */
static double run(void *socket, const char *payload, long total) {
  long sent = 0, got = 0;
  double start = now();
  while (got < total) {
    while (sent < total && sent - got < window) {
      long room = window - (sent - got), left = total - sent;
      long parts = batch < room ? batch : room;
      if (parts > left) parts = left;
      zmq_msg_t message;
      if (batch > 1) {
        zmq_msg_init_size(&message, (size_t)(parts * (size + 4)));
        char *out = zmq_msg_data(&message);
        uint32_t part = (uint32_t)size;
        for (long i = 0; i < parts; i++) {
          memcpy(out, &part, 4);
          memcpy(out + 4, payload, (size_t)size);
          out += 4 + size;
        }
      } else {
        parts = 1;
        zmq_msg_init_size(&message, (size_t)size);
        memcpy(zmq_msg_data(&message), payload, (size_t)size);
      }
      check(zmq_msg_send(&message, socket, 0) >= 0, "send");
      sent += parts;
    }
    zmq_msg_t answer;
    if (!receive(&answer, socket, 10000)) {
      fprintf(stderr, "minerva-floor: no answer within ten seconds\n");
      exit(1);
    }
    got += batch > 1 ? (long)(zmq_msg_size(&answer) / (size_t)(size + 4)) : 1;
    zmq_msg_close(&answer);
  }
  return now() - start;
}

static void measure(void) {
  void *context = zmq_ctx_new();
  void *socket = make_socket(context, ZMQ_DEALER, 0);
  check(zmq_connect(socket, endpoint) == 0, "connect");
  char *payload = malloc((size_t)size);
  memset(payload, 7, (size_t)size);
  if (slices) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
      long wanted = atol(line);
      if (wanted < 1) break;
      printf("%.9f\n", run(socket, payload, wanted));
      fflush(stdout);
    }
  } else {
    run(socket, payload, count / 10 > 0 ? count / 10 : 1);
    double seconds = run(socket, payload, count);
    printf("endpoint=%s curve=%d size=%ld window=%ld batch=%ld count=%ld latency_us=%.3f calls_per_s=%.0f\n", endpoint, curve, size, window, batch,
           count, seconds / (double)count * 1e6, (double)count / seconds);
  }
  zmq_close(socket);
  zmq_ctx_term(context);
  free(payload);
}

static long number(const char *text, long low, long high) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value < low || value > high) {
    fprintf(stderr, "minerva-floor: %s: a number from %ld to %ld is needed\n", text, low, high);
    exit(2);
  }
  return value;
}

static pid_t server;

static void end_server(void) {
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
}

int main(int argc, char **argv) {
  int is_server = 0;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--curve")) { curve = 1; continue; }
    if (!strcmp(argv[i], "--slices")) { slices = 1; continue; }
    if (!strcmp(argv[i], "--serve")) { is_server = 1; continue; }
    if (!strcmp(argv[i], "--endpoint")) endpoint = value;
    else if (!strcmp(argv[i], "--size")) size = number(value, 1, 64 << 20);
    else if (!strcmp(argv[i], "--window")) window = number(value, 1, 100000);
    else if (!strcmp(argv[i], "--count")) count = number(value, 10, 100000000);
    else if (!strcmp(argv[i], "--batch")) batch = number(value, 1, 10000);
    else {
      fprintf(stderr, "usage: minerva-floor --endpoint E --size N --window N (--count N | --slices) [--batch N] [--curve]\n");
      return 2;
    }
    i++;
  }
  if (is_server) {
    server_secret = getenv("MINERVA_FLOOR_KEY");
    if (curve && !server_secret) return 2;
    return serve();
  }
  if (curve) {
    char secret[41];
    check(zmq_curve_keypair(server_public, secret) == 0, "CURVE");
    check(zmq_curve_keypair(client_public, client_secret) == 0, "CURVE");
    setenv("MINERVA_FLOOR_KEY", secret, 1);
  }
  char batch_text[24];
  snprintf(batch_text, sizeof batch_text, "%ld", batch);
  char *arguments[] = {argv[0], "--serve", "--endpoint", (char *)endpoint, "--batch", batch_text, curve ? "--curve" : NULL, NULL};
  if (posix_spawn(&server, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) {
    perror("minerva-floor: server");
    return 1;
  }
  // Also when a check fails: a server left behind would hold the output open until its own deadline.
  atexit(end_server);
  measure();
  if (!strncmp(endpoint, "ipc://", 6)) unlink(endpoint + 6);
  return 0;
}
