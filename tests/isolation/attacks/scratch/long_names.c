// Leaves 200 folders in each other, each with a name as long as can be, of line ends and quotes, and enters where no path leads.
// all: refused
#include "attack.h"

int main(void) {
    char name[256];
    for (int place = 0; place < 255; place++) name[place] = "\n'\"\\$ *-"[place % 8];
    name[255] = 0;
    if (chdir(text("TMPDIR"))) return refused();
    for (int depth = 0; depth < 200; depth++) {
        close(open("file", O_CREAT | O_WRONLY, 0));
        if (mkdir(name, 0700) || chdir(name)) return refused();
    }
    return tried();
}
