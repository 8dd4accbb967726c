// Calls itself without end.
// all: fault crash
#include "attack.h"

static int deeper(volatile char *above) {
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here) + here[0];
}

int main(void) {
    volatile char first[1] = {0};
    return deeper(first);
}
