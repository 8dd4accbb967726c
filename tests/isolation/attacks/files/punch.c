// Punches a hole into the results.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int results = open(text("RESULTS"), O_RDWR);
    return results < 0 ? refused() : outcome(fallocate(results, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
}
