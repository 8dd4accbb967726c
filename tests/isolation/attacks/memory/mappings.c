// Maps 100,000 pieces of memory.
// all: refused
#include "attack.h"

int main(void) {
    for (int number = 0; number < 100000; number++)
        if (mmap(NULL, 4096, number % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return refused();
    return reached();
}
