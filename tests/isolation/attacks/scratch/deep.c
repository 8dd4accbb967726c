// Leaves 3,000 folders inside each other, too deep for a path.
// all: refused
#include "attack.h"

int main(void) {
    if (chdir(text("TMPDIR"))) return refused();
    for (int depth = 0; depth < 3000; depth++)
        if (mkdir("a", 0700) || chdir("a")) break;
    return tried();
}
