/* Names two of the three functions, and asks for the policies before it calls any. */
#include <stdio.h>

extern unsigned call_one(void);
extern unsigned call_two(void);
extern unsigned known_breakers(void);

int main(int argc, char **argv) {
    (void)argv;
    unsigned known = known_breakers();
    if (argc > 1) {
        call_two();
    }
    unsigned called = call_one();
    printf("%u known before the first call, %u called, %u known after it\n", known, called, known_breakers());
    return known >= 2 && known_breakers() == known && called == 1 ? 0 : 1;
}
