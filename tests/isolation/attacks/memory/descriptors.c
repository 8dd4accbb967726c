// Opens 5,000 files at a time.
// all: refused
#include "attack.h"

int main(void) {
    for (int number = 0; number < 5000; number++)
        if (open("/dev/null", O_RDONLY) < 0) return refused();
    return reached();
}
