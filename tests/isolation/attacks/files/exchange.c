// Exchanges the results with a file of its own in one step.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    char own[4096];
    snprintf(own, sizeof own, "%s/own", text("TMPDIR"));
    close(open(own, O_CREAT | O_WRONLY, 0600));
    return outcome(renameat2(AT_FDCWD, own, AT_FDCWD, text("RESULTS"), RENAME_EXCHANGE));
}
