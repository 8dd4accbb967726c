/* Plays any legal action, in C: cc -O2 -o random_bot random_bot.c && tkm match cmd:./random_bot random */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number after "name=" in the line; 0 if there is none. */
static uint64_t number(const char *line, const char *name) {
    const char *found = strstr(line, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "tkm ", 4) == 0) {
            puts("tkm 1 name=random-c version=1");
        } else if (strncmp(line, "go ", 3) == 0) {
            char *legal = strstr(line, " legal=");
            if (!legal) return 1;
            legal += strlen(" legal=");
            legal[strcspn(legal, " ")] = '\0';
            int count = 1;
            for (char *sign = legal; *sign; sign++) count += *sign == ',';
            /* One step of splitmix64, so that neighbouring seeds lead to different actions. */
            uint64_t bits = number(line, " seed=") + 0x9e3779b97f4a7c15u;
            bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
            bits ^= bits >> 27;
            char *action = strtok(legal, ",");
            for (int chosen = (int)(bits % (uint64_t)count); chosen > 0; chosen--) action = strtok(NULL, ",");
            printf("play %s\n", action);
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
