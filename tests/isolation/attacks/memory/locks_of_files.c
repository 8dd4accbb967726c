// Has the kernel keep 10,000 locks of parts of a file.
// all: reached or refused or fault memory (they count as its memory)
#include "attack.h"

int main(void) {
    char own[4096];
    snprintf(own, sizeof own, "%s/own", text("TMPDIR"));
    int file = open(own, O_CREAT | O_RDWR, 0600);
    for (int number = 0; number < 10000; number++) {
        struct flock part = {.l_type = F_WRLCK, .l_start = 2 * number, .l_len = 1};
        if (fcntl(file, F_SETLK, &part)) return refused();
    }
    return reached();
}
