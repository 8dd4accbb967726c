/* Plays any legal action. A request is: WORDS | POSITION | ACTIONS; docs/protocol.md describes them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows "name=" among the words of a request; an empty text if it is not there. */
static const char *value(const char *words, const char *name) {
    const char *found = strstr(words, name);
    return found ? found + strlen(name) : "";
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "tkm ", 4) == 0) {
            puts("tkm 1 name=random-c version=1");
        } else if (strncmp(line, "go ", 3) == 0) {
            const char *legal = value(line, " legal=");
            unsigned long long seed = strtoull(value(line, " seed="), NULL, 10);
            size_t length = strcspn(legal, " "), count = 1;
            for (size_t at = 0; at < length; at++) count += legal[at] == ',';
            for (size_t skipped = seed % count; skipped > 0; skipped--) legal = strchr(legal, ',') + 1;
            printf("play %d\n", atoi(legal));
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
