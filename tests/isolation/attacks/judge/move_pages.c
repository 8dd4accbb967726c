// Moves the judge's memory to another node.
// process: reached or refused (where the kernel can); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    unsigned long all = 1;
    return outcome(syscall(SYS_migrate_pages, number("JUDGE"), 64, &all, &all));
}
