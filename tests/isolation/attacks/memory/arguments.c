// Starts itself with 100 MB of arguments.
// all: refused
#include "attack.h"

int main(int count, char **words) {
    if (count > 1) return reached();
    static char *arguments[1001];
    char *word = malloc(100001);
    memset(word, 'x', 100000);
    word[100000] = 0;
    for (int number = 0; number < 1000; number++) arguments[number] = word;
    execv("/proc/self/exe", arguments);
    return refused();
}
