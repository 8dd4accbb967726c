// Has the machine write a whole file system to its disk, which makes others wait.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) { return outcome(syncfs(open(text("LIBRARY"), O_RDONLY))); }
