#pragma once
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <zmq.h>

/* libzmq 4.3 keeps this number among its drafts and takes the option all the same. */
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif

/* Names the calling thread; prctl itself is variadic, which Swift does not import. */
static inline void minerva_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Gives the pages that hold nothing any more back to the system, of all of malloc's arenas; Swift's Glibc module lacks it. */
static inline void minerva_return_memory(void) { malloc_trim(0); }
