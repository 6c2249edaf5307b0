#define _GNU_SOURCE
#include "CScriptedNetwork.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { MAX_NAMES = 512 };

struct script {
  char name[256];
  char answers[512];
  int lookups;
};

struct dial {
  int port;
  char address[INET6_ADDRSTRLEN];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct script scripts[MAX_NAMES];
static int script_count;
static struct dial *dials;
static int dial_count;
static int dial_capacity;

static struct script *find(const char *name) {
  for (int i = 0; i < script_count; i++)
    if (strcasecmp(scripts[i].name, name) == 0) return &scripts[i];
  return NULL;
}

int enclosure_script_name(const char *name, const char *answers) {
  if (strlen(name) >= sizeof scripts[0].name || strlen(answers) >= sizeof scripts[0].answers) return 0;
  pthread_mutex_lock(&lock);
  struct script *script = find(name);
  if (!script && script_count < MAX_NAMES) script = &scripts[script_count++];
  if (script) {
    strcpy(script->name, name);
    strcpy(script->answers, answers);
    script->lookups = 0;
  }
  pthread_mutex_unlock(&lock);
  return script != NULL;
}

int enclosure_lookups(const char *name) {
  pthread_mutex_lock(&lock);
  struct script *script = find(name);
  int lookups = script ? script->lookups : -1;
  pthread_mutex_unlock(&lock);
  return lookups;
}

// Copies the answers whose turn it is. Returns 0 when the name is in no script.
static int next_answers(const char *name, char *answers, size_t size) {
  pthread_mutex_lock(&lock);
  struct script *script = find(name);
  if (script) {
    const char *start = script->answers;
    for (int i = 0; i < script->lookups; i++) {
      const char *end = strchr(start, ';');
      if (end) start = end + 1;
    }
    script->lookups++;
    snprintf(answers, size, "%.*s", (int)strcspn(start, ";"), start);
  }
  pthread_mutex_unlock(&lock);
  return script != NULL;
}

typedef int (*getaddrinfo_function)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(
    const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result) {
  getaddrinfo_function real = (getaddrinfo_function)dlsym(RTLD_NEXT, "getaddrinfo");
  char answers[sizeof scripts[0].answers];
  if (!name || !next_answers(name, answers, sizeof answers)) return real(name, service, hints, result);

  // Each is a list of its own, which freeaddrinfo frees entry by entry.
  struct addrinfo **end = result;
  *result = NULL;
  char *rest = NULL;
  for (char *address = strtok_r(answers, ",", &rest); address; address = strtok_r(NULL, ",", &rest)) {
    struct addrinfo numeric = {.ai_socktype = SOCK_STREAM};
    if (hints) numeric = *hints;
    numeric.ai_flags = AI_NUMERICHOST;
    if (real(address, service, &numeric, end) != 0) continue;
    while (*end) end = &(*end)->ai_next;
  }
  return *result ? 0 : EAI_NONAME;
}

typedef int (*connect_function)(int, const struct sockaddr *, socklen_t);

// Whether the address is on loopback.
static int note(const struct sockaddr *address) {
  struct dial dial = {0};
  int is_loopback;
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    inet_ntop(AF_INET, &v4->sin_addr, dial.address, sizeof dial.address);
    dial.port = ntohs(v4->sin_port);
    is_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  } else {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    inet_ntop(AF_INET6, &v6->sin6_addr, dial.address, sizeof dial.address);
    dial.port = ntohs(v6->sin6_port);
    is_loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  }
  pthread_mutex_lock(&lock);
  if (dial_count == dial_capacity) {
    int capacity = dial_capacity ? 2 * dial_capacity : 1024;
    struct dial *more = realloc(dials, (size_t)capacity * sizeof *dials);
    if (!more) abort();
    dials = more;
    dial_capacity = capacity;
  }
  dials[dial_count++] = dial;
  pthread_mutex_unlock(&lock);
  return is_loopback;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  connect_function real = (connect_function)dlsym(RTLD_NEXT, "connect");
  int type = 0;
  socklen_t size = sizeof type;
  getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size);
  int is_internet = address->sa_family == AF_INET || address->sa_family == AF_INET6;
  if (type == SOCK_STREAM && is_internet && !note(address)) {
    errno = ECONNREFUSED;
    return -1;
  }
  return real(socket, address, length);
}

void enclosure_dialled(int port, char *text, unsigned long size) {
  size_t used = 0;
  text[0] = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < dial_count; i++) {
    if (dials[i].port != port || used + strlen(dials[i].address) + 2 > size) continue;
    used += (size_t)sprintf(text + used, "%s ", dials[i].address);
  }
  pthread_mutex_unlock(&lock);
}
