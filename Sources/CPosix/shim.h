#pragma once
/*
 * No feature macro here: with _GNU_SOURCE the C library's types are other ones than in Swift's own Glibc module, and
 * a program that sees both does not build. What hides behind that macro is reached by system call or declared below.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
extern const char *strerrordesc_np(int);

/* The magic number of the file system that a path lies on (statfs(2)), or -1 and errno. */
static inline long long cposix_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (long long)(unsigned int)status.f_type : -1;
}

/* A pipe whose ends no child inherits. */
static inline int cposix_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/* The environment of this process: the C global is a concurrency error in Swift. */
static inline char **cposix_environ(void) { return environ; }

/* A descriptor that becomes readable when the child ends; -1 and errno otherwise. */
static inline int cposix_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/* Signals the very process behind the descriptor, never one that got its number later. */
static inline int cposix_pidfd_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0);
}

/* How a child ended, or that it has not. */
struct cposix_exit {
  int ended;  /* 0: still running, 1: ended, -1: errno */
  int status; /* exit status, when signal is 0 */
  int signal; /* the signal that ended it, or 0 */
};

static inline struct cposix_exit cposix_reap(pid_t pid) {
  struct cposix_exit result = {0, 0, 0};
  int status = 0;
  pid_t got;
  do {
    got = waitpid(pid, &status, WNOHANG);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return result;
  if (got < 0) {
    result.ended = -1;
    return result;
  }
  if (WIFEXITED(status)) {
    result.ended = 1;
    result.status = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    result.ended = 1;
    result.signal = WTERMSIG(status);
  }
  return result;
}

/* What a child is started with; descriptors of -1 become /dev/null. */
struct cposix_spawn_request {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory; /* or NULL */
  int input;
  int output;
  int error;
  int inherited; /* given to the child as descriptor 3, or -1 */
  int own_group;
};

/* Starts a child with no other descriptor of ours, an empty signal mask and default dispositions. Returns 0 or an errno. */
static inline int cposix_spawn(const struct cposix_spawn_request *request, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure) {
    posix_spawn_file_actions_destroy(&actions);
    return failure;
  }
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (request->own_group) flags |= POSIX_SPAWN_SETPGROUP;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);

  int sources[3] = {request->input, request->output, request->error};
  for (int target = 0; target < 3 && !failure; target++) {
    if (sources[target] < 0)
      failure = posix_spawn_file_actions_addopen(&actions, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0);
    else
      failure = posix_spawn_file_actions_adddup2(&actions, sources[target], target);
  }
  if (!failure && request->inherited >= 0)
    failure = posix_spawn_file_actions_adddup2(&actions, request->inherited, 3);
  if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(&actions, request->inherited >= 0 ? 4 : 3);
  if (!failure && request->directory) failure = posix_spawn_file_actions_addchdir_np(&actions, request->directory);
  if (!failure) failure = posix_spawnattr_setflags(&attributes, flags);
  if (!failure) failure = posix_spawnattr_setsigmask(&attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!failure) failure = posix_spawnattr_setpgroup(&attributes, 0);
  if (!failure)
    failure = posix_spawn(pid, request->path, &actions, &attributes, request->arguments, request->environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/*
 * The write end of the pipe that signals are told through. One copy for each object file that uses it,
 * so only TerminationSignals.swift may.
 */
static volatile int cposix_signal_pipe = -1;

static inline void cposix_signal_arrived(int signal) {
  int saved = errno;
  unsigned char byte = (unsigned char)signal;
  ssize_t ignored = write(cposix_signal_pipe, &byte, 1);
  (void)ignored;
  errno = saved;
}

/* Sends a signal's number down the pipe whenever it arrives. Returns 0 or an errno. */
static inline int cposix_tell_signal(int signal, int write_end) {
  cposix_signal_pipe = write_end;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = cposix_signal_arrived;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, NULL) == 0 ? 0 : errno;
}

static inline int cposix_default_signal(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  return sigaction(signal, &action, NULL) == 0 ? 0 : errno;
}

/* The wall time as "2026-11-30T20:21:05.123Z" and a zero byte. */
static inline void cposix_stamp(char text[32]) {
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &parts);
  size_t count = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + count, 32 - count, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

/* fopencookie(3) stands behind a feature macro; these are its types under names of our own. */
struct cposix_cookie_functions {
  ssize_t (*read)(void *, char *, size_t);
  ssize_t (*write)(void *, const char *, size_t);
  int (*seek)(void *, long *, int);
  int (*close)(void *);
};
extern FILE *cposix_open_cookie(void *, const char *, struct cposix_cookie_functions) __asm__("fopencookie");

static inline void cposix_write_whole(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = write(descriptor, bytes, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent;
    count -= (size_t)sent;
  }
}

/* Writes lines to standard output, each behind the time at which it begins, and a short one in one piece with it. */
static inline ssize_t cposix_write_stamped(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  static int is_inside = 0;
  size_t done = 0;
  while (done < count) {
    const char *start = bytes + done;
    const char *end = (const char *)memchr(start, '\n', count - done);
    size_t length = end ? (size_t)(end - start) + 1 : count - done;
    char piece[1024];
    size_t used = 0;
    if (!is_inside) {
      cposix_stamp(piece);
      used = strlen(piece);
      piece[used++] = ' ';
    }
    if (used + length <= sizeof piece) {
      memcpy(piece + used, start, length);
      cposix_write_whole(STDOUT_FILENO, piece, used + length);
    } else {
      cposix_write_whole(STDOUT_FILENO, piece, used);
      cposix_write_whole(STDOUT_FILENO, start, length);
    }
    is_inside = end == NULL;
    done += length;
  }
  return (ssize_t)count;
}

/*
 * Has what is printed leave with each line, behind the time, also into a file: a process that crashes loses what its
 * buffer holds.
 */
static inline void cposix_print_by_line(void) {
  struct cposix_cookie_functions functions = {NULL, cposix_write_stamped, NULL, NULL};
  FILE *lines = cposix_open_cookie(NULL, "w", functions);
  if (lines) stdout = lines;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/* A write to a peer that left is an error to handle, not the end of the process. */
static inline void cposix_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

/* Names the calling thread, for debuggers and /proc. */
static inline void cposix_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* The words for an error number; the GNU and the POSIX strerror_r differ, this is either. */
static inline const char *cposix_error_text(int number) {
  const char *text = strerrordesc_np(number);
  return text ? text : "unknown error";
}

static inline int cposix_is_socket(mode_t mode) { return S_ISSOCK(mode); }
static inline int cposix_is_directory(mode_t mode) { return S_ISDIR(mode); }
static inline int cposix_is_link(mode_t mode) { return S_ISLNK(mode); }

/*
 * Lets this process keep up to so many bytes of freed memory at the end of each of malloc's arenas, and take blocks below another size from
 * there. Setting either also ends malloc's own adjusting of both.
 */
static inline void cposix_keep_memory(int freed, int block) {
  mallopt(M_TRIM_THRESHOLD, freed);
  mallopt(M_MMAP_THRESHOLD, block);
}
