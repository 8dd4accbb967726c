// Gives a file 3,000 names of 250 letters in its temporary folder, and the kernel as much to remember.
// all: reached or refused (within its memory; from here on they are only to be removed again)
#include "attack.h"

int main(void) {
    if (chdir(text("TMPDIR"))) return refused();
    close(open("file", O_CREAT | O_WRONLY, 0600));
    char name[251] = {0};
    memset(name, 'x', 250);
    for (int count = 0; count < 3000; count++) {
        sprintf(name, "%05d", count);
        name[5] = 'x';
        if (link("file", name)) return refused();
    }
    return reached();
}
