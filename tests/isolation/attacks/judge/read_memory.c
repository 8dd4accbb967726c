// Reads the judge's memory.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/uio.h>

int main(void) {
    char found[64];
    struct iovec here = {found, sizeof found}, there = {(void *)(number("STACK") - sizeof found), sizeof found};
    return outcome(process_vm_readv(number("JUDGE"), &here, 1, &there, 1, 0));
}
