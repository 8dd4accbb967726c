// Gives the judge pages of its memory instead of a line, and changes what is written there before it is read.
// process: reached or refused (depending on which side reads first; it only changes its own answer); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(page, "refused: the first one\n");
    struct iovec { void *start; size_t size; } line = {page, 8};
    if (syscall(SYS_vmsplice, 1, &line, 1, 0) < 0) return refused();
    memcpy(page, "reached\n", 8);
    return reached();
}
