// Makes what it may only read writable.
// process: refused or reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/mount.h>

int main(void) {
    const char *places[] = {"/usr", "/proc/sys", "/nonexistent"};
    for (int number = 0; number < 2; number++)
        if (!mount("none", places[number], NULL, MS_REMOUNT | MS_BIND, NULL)) return reached();
    return refused();
}
