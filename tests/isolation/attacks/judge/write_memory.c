// Writes the judge's memory.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <sys/uio.h>

int main(void) {
    char mine[8] = "mine";
    struct iovec here = {mine, sizeof mine}, there = {(void *)(number("STACK") - sizeof mine), sizeof mine};
    return outcome(process_vm_writev(number("JUDGE"), &here, 1, &there, 1, 0));
}
