// Joins the judge's namespace of files.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/ns/mnt", number("JUDGE"));
    int found = open(path, O_RDONLY);
    return found < 0 ? refused() : outcome(setns(found, 0));
}
