/* Starts a program on a Cortex-M7: the table of vectors and the floating-point unit; output goes to the host. */

#include <stdint.h>
#include <stdlib.h>

extern uint32_t stack_top, bss_begin, bss_end;
extern void initialise_monitor_handles(void);
extern int main(void);

void _init(void);
void _fini(void);
void _init(void) {}
void _fini(void) {}

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED88U |= (0xFU << 20); /* CPACR: full access to CP10 and CP11 */
    __asm volatile("dsb\nisb");
    for (uint32_t *at = &bss_begin; at < &bss_end; at++) {
        *at = 0U;
    }
    initialise_monitor_handles();
    exit(main());
}

static void fault(void)
{
    exit(99);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))&stack_top, reset, fault, fault, fault, fault, fault,
};
