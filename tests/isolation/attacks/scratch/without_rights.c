// Leaves folders that have no rights at all, with folders in them that have none, 50 deep.
// all: refused
#include "attack.h"

static void leave(int depth) {
    if (depth == 50 || mkdir("folder", 0700) || chdir("folder")) return;
    close(open("file", O_CREAT | O_WRONLY, 0));
    leave(depth + 1);
    chdir("..");
    umask(0777);
    mkdir("other", 0);
    umask(0);
    chmod("folder", 0);
}

int main(void) {
    if (chdir(text("TMPDIR"))) return refused();
    leave(0);
    return tried();
}
