/* FMI 2.0: model exchange and co-simulation. */

#include "fmu_core.c"

typedef unsigned int fmi2ValueReference;
typedef int fmi2Boolean;
typedef int fmi2Status; /* OK, Warning, Discard, Error, Fatal, Pending */
typedef void *fmi2Component;
typedef const char *fmi2String;
typedef struct {
    void (*logger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} fmi2EventInfo;

static fmi2Status status_of(outcome found)
{
    return (found == DONE) ? 0 : (found == DISCARD) ? 2 : 3;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return 0;
}

fmi2Component fmi2Instantiate(fmi2String name, int type, fmi2String token, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    instance *made = create(name, token);
    (void)type, (void)resources, (void)visible, (void)logging;
    if (made != NULL && callbacks != NULL) {
        made->environment = callbacks->componentEnvironment;
        memcpy(&made->message, &callbacks->logger, sizeof(made->message));
    }
    return made;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerant, double tolerance, double start, fmi2Boolean stops,
                               double stop)
{
    (void)tolerant, (void)tolerance, (void)stops, (void)stop;
    ((instance *)c)->time = start;
    return 0;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return 0; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return status_of(update(c)); }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return 0; }
fmi2Status fmi2Reset(fmi2Component c) { reset(c); return 0; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, double values[])
{
    return status_of(get_numbers(c, vr, n, values));
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const double values[])
{
    return status_of(set_numbers(c, vr, n, values));
}
/* There are no other variables. */
#define NO_VARIABLES(kind, type)                                                                          \
    fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, type values[])       \
    {                                                                                                     \
        (void)c, (void)vr, (void)values;                                                                  \
        return (n == 0) ? 0 : 3;                                                                          \
    }                                                                                                     \
    fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference vr[], size_t n, const type values[]) \
    {                                                                                                     \
        (void)c, (void)vr, (void)values;                                                                  \
        return (n == 0) ? 0 : 3;                                                                          \
    }
NO_VARIABLES(Integer, int)
NO_VARIABLES(Boolean, fmi2Boolean)
NO_VARIABLES(String, fmi2String)

fmi2Status fmi2GetFMUstate(fmi2Component c, void **state) { return status_of(keep(c, state)); }
fmi2Status fmi2SetFMUstate(fmi2Component c, void *state) { return status_of(restore(c, state)); }
fmi2Status fmi2FreeFMUstate(fmi2Component c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return 0;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(snapshot);
    return 0;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, void *state, char bytes[], size_t size)
{
    (void)c;
    return status_of(to_bytes(state, bytes, size));
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const char bytes[], size_t size, void **state)
{
    return status_of(from_bytes(c, bytes, size, state));
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count, const double seed[],
                                        double found[])
{
    return status_of(change(c, unknowns, unknown_count, knowns, known_count, seed, found));
}

/* Model exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component c) { (void)c; return 0; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    (void)c;
    memset(info, 0, sizeof(*info));
    return 0;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { (void)c; return 0; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keeps, fmi2Boolean *enters, fmi2Boolean *terminates)
{
    (void)c, (void)keeps;
    *enters = 0;
    *terminates = 0;
    return 0;
}
fmi2Status fmi2SetTime(fmi2Component c, double time) { ((instance *)c)->time = time; return 0; }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const double x[], size_t n)
{
    if (n != STATES) {
        return 3;
    }
    set_states(c, x);
    return 0;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, double found[], size_t n)
{
    const outcome done = update(c);
    if (n != STATES) {
        return 3;
    }
    memcpy(found, ((instance *)c)->rate, sizeof(((instance *)c)->rate));
    return status_of(done);
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, double found[], size_t n)
{
    (void)c, (void)found;
    return (n == 0) ? 0 : 3;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, double x[], size_t n)
{
    if (n != STATES) {
        return 3;
    }
    memcpy(x, ((instance *)c)->state, sizeof(((instance *)c)->state));
    return 0;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, double x[], size_t n)
{
    (void)c;
    if (n != STATES) {
        return 3;
    }
    memcpy(x, nominals, sizeof(nominals));
    return 0;
}

/* Co-simulation. */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const int order[],
                                       const double values[])
{
    (void)c, (void)vr, (void)order, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const int order[],
                                        double values[])
{
    (void)c, (void)vr, (void)order, (void)values;
    return (n == 0) ? 0 : 3;
}
fmi2Status fmi2DoStep(fmi2Component c, double begin, double length, fmi2Boolean keeps)
{
    instance *of = c;
    const outcome done = go_on(of, begin, length);
    (void)keeps;
    if (done == ERROR && of->message != NULL) {
        void (*logger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
        memcpy(&logger, &of->message, sizeof(logger));
        logger(of->environment, of->name, 3, "logStatusError", "%s", STEP_RULE);
    }
    return status_of(done);
}
fmi2Status fmi2CancelStep(fmi2Component c) { (void)c; return 3; }
#define NO_STATUS(kind, type)                                             \
    fmi2Status fmi2Get##kind##Status(fmi2Component c, int what, type *value) \
    {                                                                     \
        (void)c, (void)what, (void)value;                                 \
        return 2;                                                         \
    }
fmi2Status fmi2GetStatus(fmi2Component c, int what, fmi2Status *value)
{
    (void)c, (void)what, (void)value;
    return 2;
}
NO_STATUS(Real, double)
NO_STATUS(Integer, int)
NO_STATUS(Boolean, fmi2Boolean)
NO_STATUS(String, fmi2String)
