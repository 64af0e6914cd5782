#pragma once
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

// libedit is configured through variadic functions, and C's standard streams are mutable globals; neither exists in Swift.

static inline EditLine *cel_open(const char *program) {
  setlocale(LC_CTYPE, "C.UTF-8");
  return el_init(program, stdin, stdout, stderr);
}

static inline void cel_set_prompt(EditLine *line, char *(*prompt)(EditLine *)) { el_set(line, EL_PROMPT, prompt); }
static inline void cel_use_emacs_keys(EditLine *line) { el_set(line, EL_EDITOR, "emacs"); }
static inline void cel_set_context(EditLine *line, void *context) { el_set(line, EL_CLIENTDATA, context); }

static inline void *cel_context(EditLine *line) {
  void *context = NULL;
  el_get(line, EL_CLIENTDATA, &context);
  return context;
}

static inline void cel_set_reader(EditLine *line, int (*reader)(EditLine *, wchar_t *)) { el_set(line, EL_GETCFN, reader); }

static inline void cel_add_function(EditLine *line, const char *name, const char *help, unsigned char (*function)(EditLine *, int)) {
  el_set(line, EL_ADDFN, name, help, function);
}

static inline void cel_bind(EditLine *line, const char *key, const char *function) { el_set(line, EL_BIND, key, function, NULL); }
static inline void cel_refresh(EditLine *line) { el_set(line, EL_REFRESH); }

static inline History *cel_history(int size) {
  HistEvent event;
  History *past = history_init();
  if (past) {
    history(past, &event, H_SETSIZE, size);
    history(past, &event, H_SETUNIQUE, 1);
  }
  return past;
}

static inline void cel_use_history(EditLine *line, History *past) { el_set(line, EL_HIST, history, past); }

static inline void cel_remember(History *past, const char *text) {
  HistEvent event;
  history(past, &event, H_ENTER, text);
}
