/* FMI 3.0: model exchange and co-simulation. */

#include "fmu_core.c"

typedef uint32_t fmi3ValueReference;
typedef bool fmi3Boolean;
typedef int fmi3Status; /* OK, Warning, Discard, Error, Fatal */
typedef void *fmi3Instance;
typedef const char *fmi3String;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, fmi3String, fmi3String);

static fmi3Status status_of(outcome found)
{
    return (found == DONE) ? 0 : (found == DISCARD) ? 2 : 3;
}

const char *fmi3GetVersion(void) { return "3.0"; }
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return 0;
}

static fmi3Instance with_messages(instance *made, void *environment, fmi3LogMessageCallback message)
{
    if (made != NULL) {
        made->environment = environment;
        memcpy(&made->message, &message, sizeof(made->message));
    }
    return made;
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, void *environment, fmi3LogMessageCallback message)
{
    (void)resources, (void)visible, (void)logging;
    return with_messages(create(name, token), environment, message);
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference intermediate[], size_t count, void *environment,
                                         fmi3LogMessageCallback message, void *update)
{
    (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate, (void)count;
    (void)update;
    return with_messages(create(name, token), environment, message);
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging, void *environment,
                                               fmi3LogMessageCallback message, void *update, void *lock, void *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)message;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerant, double tolerance, double start,
                                       fmi3Boolean stops, double stop)
{
    (void)tolerant, (void)tolerance, (void)stops, (void)stop;
    ((instance *)c)->time = start;
    return 0;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return status_of(update(c)); }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { (void)c; return 0; }
fmi3Status fmi3Terminate(fmi3Instance c) { (void)c; return 0; }
fmi3Status fmi3Reset(fmi3Instance c) { reset(c); return 0; }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { (void)c; return 3; }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { (void)c; return 3; }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { (void)c; return 0; }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, double values[], size_t count)
{
    return (n == count) ? status_of(get_numbers(c, vr, n, values)) : 3;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const double values[], size_t count)
{
    return (n == count) ? status_of(set_numbers(c, vr, n, values)) : 3;
}
/* There are no other variables. */
#define NO_VARIABLES(kind, type)                                                                                \
    fmi3Status fmi3Get##kind(fmi3Instance c, const fmi3ValueReference vr[], size_t n, type values[], size_t count) \
    {                                                                                                           \
        (void)c, (void)vr, (void)values, (void)count;                                                           \
        return (n == 0) ? 0 : 3;                                                                                \
    }                                                                                                           \
    fmi3Status fmi3Set##kind(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const type values[],        \
                             size_t count)                                                                      \
    {                                                                                                           \
        (void)c, (void)vr, (void)values, (void)count;                                                           \
        return (n == 0) ? 0 : 3;                                                                                \
    }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, fmi3Boolean)
NO_VARIABLES(String, fmi3String)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], const uint8_t *values[],
                         size_t count)
{
    (void)c, (void)vr, (void)sizes, (void)values, (void)count;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                         const uint8_t *const values[], size_t count)
{
    (void)c, (void)vr, (void)sizes, (void)values, (void)count;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, bool values[])
{
    (void)c, (void)vr, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const bool values[])
{
    (void)c, (void)vr, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *n)
{
    (void)c, (void)vr, (void)n;
    return 3;
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t a[], fmi3ValueReference b[],
                                       size_t d[], int kinds[], size_t n)
{
    (void)c, (void)vr, (void)a, (void)b, (void)d, (void)kinds, (void)n;
    return 3;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, void **state) { return status_of(keep(c, state)); }
fmi3Status fmi3SetFMUState(fmi3Instance c, void *state) { return status_of(restore(c, state)); }
fmi3Status fmi3FreeFMUState(fmi3Instance c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return 0;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(snapshot);
    return 0;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, void *state, uint8_t bytes[], size_t size)
{
    (void)c;
    return status_of(to_bytes(state, bytes, size));
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const uint8_t bytes[], size_t size, void **state)
{
    return status_of(from_bytes(c, bytes, size, state));
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count, const double seed[],
                                        size_t seed_count, double found[], size_t found_count)
{
    if (seed_count != known_count || found_count != unknown_count) {
        return 3;
    }
    return status_of(change(c, unknowns, unknown_count, knowns, known_count, seed, found));
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t a,
                                    const fmi3ValueReference knowns[], size_t b, const double seed[], size_t d,
                                    double found[], size_t e)
{
    (void)c, (void)unknowns, (void)a, (void)knowns, (void)b, (void)seed, (void)d, (void)found, (void)e;
    return 3;
}

/* Clocks: there are none. */
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, double values[], int kinds[])
{
    (void)c, (void)vr, (void)values, (void)kinds;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, uint64_t a[], uint64_t b[],
                                   int kinds[])
{
    (void)c, (void)vr, (void)a, (void)b, (void)kinds;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, double values[])
{
    (void)c, (void)vr, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, uint64_t a[], uint64_t b[])
{
    (void)c, (void)vr, (void)a, (void)b;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const double values[])
{
    (void)c, (void)vr, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const uint64_t a[],
                                   const uint64_t b[])
{
    (void)c, (void)vr, (void)a, (void)b;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const double values[])
{
    (void)c, (void)vr, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const uint64_t a[],
                                const uint64_t b[])
{
    (void)c, (void)vr, (void)a, (void)b;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference vr, double time)
{
    (void)c, (void)vr, (void)time;
    return 3;
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { (void)c; return 0; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needs, fmi3Boolean *terminates, fmi3Boolean *nominal,
                                    fmi3Boolean *values, fmi3Boolean *defined, double *next)
{
    (void)c;
    *needs = *terminates = *nominal = *values = *defined = false;
    *next = 0.0;
    return 0;
}

/* Model exchange. */
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { (void)c; return 0; }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean keeps, fmi3Boolean *enters, fmi3Boolean *terminates)
{
    (void)c, (void)keeps;
    *enters = *terminates = false;
    return 0;
}
fmi3Status fmi3SetTime(fmi3Instance c, double time) { ((instance *)c)->time = time; return 0; }
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const double x[], size_t n)
{
    if (n != STATES) {
        return 3;
    }
    set_states(c, x);
    return 0;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, double found[], size_t n)
{
    const outcome done = update(c);
    if (n != STATES) {
        return 3;
    }
    memcpy(found, ((instance *)c)->rate, sizeof(((instance *)c)->rate));
    return status_of(done);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, double found[], size_t n)
{
    (void)c, (void)found;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, double x[], size_t n)
{
    if (n != STATES) {
        return 3;
    }
    memcpy(x, ((instance *)c)->state, sizeof(((instance *)c)->state));
    return 0;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, double x[], size_t n)
{
    (void)c;
    if (n != STATES) {
        return 3;
    }
    memcpy(x, nominals, sizeof(nominals));
    return 0;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { (void)c; *n = 0; return 0; }
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) { (void)c; *n = STATES; return 0; }

/* Co-simulation. */
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const int32_t orders[],
                                    double values[], size_t count)
{
    (void)c, (void)vr, (void)orders, (void)values, (void)count;
    return (n == 0) ? 0 : 3;
}
fmi3Status fmi3DoStep(fmi3Instance c, double begin, double length, fmi3Boolean keeps, fmi3Boolean *events,
                      fmi3Boolean *terminates, fmi3Boolean *early, double *last)
{
    instance *of = c;
    const outcome done = go_on(of, begin, length);
    (void)keeps;
    *events = *terminates = *early = false;
    *last = of->time;
    if (done == ERROR && of->message != NULL) {
        fmi3LogMessageCallback message;
        memcpy(&message, &of->message, sizeof(message));
        message(of->environment, 3, "logStatusError", STEP_RULE);
    }
    return status_of(done);
}
