/* The instance of an FMU and what both versions of FMI ask of it. */

#include "@PREFIX@.c"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Value references: a kind in the thousands, and a place. */
enum { TIME = 0, INPUT = 1, STATE = 2, RATE = 3, TIP = 4, LENGTH = 5, ENERGY = 6, PARAMETER = 7 };
#define KIND(reference) ((reference) / 10000U)
#define PLACE(reference) ((reference) % 10000U)

#define INPUTS @COMMANDS@U
#define STATES @STATE@U
#define SECTIONS @SECTIONS@U
#define MUSCLES @MUSCLES@U
#define COORDINATES @COORDINATES@U
#define NUMBERS (sizeof(@PREFIX@_arm) / sizeof(real))

static const double nominals[STATES] = {@NOMINALS@};

typedef enum { DONE, DISCARD, ERROR } outcome;

typedef struct {
    void *environment; /* of the importer, for messages */
    void *message;
    char name[256];
    double time;
    @PREFIX@_arm arm;
    real commands[INPUTS];
    real state[STATES];
    real rate[STATES];
    real tips[16 * SECTIONS];
    real lengths[MUSCLES];
    real energies[3];
    bool is_current; /* whether what is computed belongs to commands and state */
    @PREFIX@_workspace work;
    @PREFIX@_derivative_workspace derivatives;
} instance;

/* What a state of an FMU is: all that what comes after depends on, and whose it is; no addresses, so that it can be
 * kept in a file. */
typedef struct {
    char token[64];
    double time;
    @PREFIX@_arm arm;
    real commands[INPUTS];
    real state[STATES];
} snapshot;

static const char TOKEN[] = "@DIGEST@";

static instance *create(const char *name, const char *token)
{
    instance *made = NULL;
    if (name != NULL && token != NULL && strcmp(token, TOKEN) == 0) {
        made = calloc(1, sizeof(instance));
    }
    if (made != NULL) {
        strncpy(made->name, name, sizeof(made->name) - 1);
        made->arm = constants;
    }
    return made;
}

static void reset(instance *of)
{
    of->time = 0.0;
    of->arm = constants;
    memset(of->commands, 0, sizeof(of->commands));
    memset(of->state, 0, sizeof(of->state));
    of->is_current = false;
}

static bool belongs(const snapshot *kept) { return memcmp(kept->token, TOKEN, sizeof(kept->token)) == 0; }

/* Whether all numbers of a snapshot that was kept as bytes are finite: one at a time, as bytes may lie anywhere. */
static bool holds_finite(const char *bytes)
{
    bool holds = true;
    for (size_t at = offsetof(snapshot, time); at < sizeof(snapshot); at += sizeof(real)) {
        real number;
        memcpy(&number, &bytes[at], sizeof(real));
        holds = holds && all_finite(&number, 1U) == @MACRO@_OK;
    }
    return holds;
}

/* Into *kept, which is made where it is NULL. */
static outcome keep(const instance *of, void **kept)
{
    snapshot *made = (*kept != NULL) ? *kept : malloc(sizeof(snapshot));
    if (made == NULL) {
        return ERROR;
    }
    memcpy(made->token, TOKEN, sizeof(made->token));
    made->time = of->time;
    made->arm = of->arm;
    memcpy(made->commands, of->commands, sizeof(of->commands));
    memcpy(made->state, of->state, sizeof(of->state));
    *kept = made;
    return DONE;
}

static outcome restore(instance *of, const snapshot *kept)
{
    if (kept == NULL || !belongs(kept)) {
        return ERROR;
    }
    of->time = kept->time;
    of->arm = kept->arm;
    memcpy(of->commands, kept->commands, sizeof(of->commands));
    memcpy(of->state, kept->state, sizeof(of->state));
    of->is_current = false;
    return DONE;
}

static outcome to_bytes(const snapshot *kept, void *bytes, size_t size)
{
    if (size < sizeof(snapshot)) {
        return ERROR;
    }
    memcpy(bytes, kept, sizeof(snapshot));
    return DONE;
}

static outcome from_bytes(const instance *of, const void *bytes, size_t size, void **kept)
{
    if (size != sizeof(snapshot) || !belongs(bytes) || !holds_finite(bytes) || keep(of, kept) != DONE) {
        return ERROR;
    }
    memcpy(*kept, bytes, size);
    return DONE;
}

/* Everything that depends on commands and state. */
static outcome update(instance *of)
{
    bool good = true;
    if (!of->is_current) {
        good = in_range(&of->arm, of->state);
        if (good) {
            plant_rate(&of->arm, of->commands, of->state, of->rate, &of->work);
            tips(&of->arm, of->state, of->tips, &of->work);
            lengths(&of->arm, of->state, of->lengths);
            energies(&of->arm, of->state, &of->state[COORDINATES], of->energies, &of->work);
            good = all_finite(of->rate, STATES) == @MACRO@_OK && all_finite(of->tips, 16U * SECTIONS) == @MACRO@_OK
                   && all_finite(of->lengths, MUSCLES) == @MACRO@_OK && all_finite(of->energies, 3U) == @MACRO@_OK;
            of->is_current = good;
        }
    }
    return good ? DONE : DISCARD;
}

/* Where a number is kept, or NULL. */
static double *place_of(instance *of, uint32_t reference)
{
    const uint32_t k = PLACE(reference);
    double *found = NULL;
    switch (KIND(reference)) {
        case TIME: found = (k == 0U) ? &of->time : NULL; break;
        case INPUT: found = (k < INPUTS) ? &of->commands[k] : NULL; break;
        case STATE: found = (k < STATES) ? &of->state[k] : NULL; break;
        case RATE: found = (k < STATES) ? &of->rate[k] : NULL; break;
        case TIP: found = (k < 3U * SECTIONS) ? &of->tips[16U * (k / 3U) + 4U * (k % 3U) + 3U] : NULL; break;
        case LENGTH: found = (k < MUSCLES) ? &of->lengths[k] : NULL; break;
        case ENERGY: found = (k < 3U) ? &of->energies[k] : NULL; break;
        case PARAMETER: found = (k < NUMBERS) ? &((double *)&of->arm)[k] : NULL; break;
        default: break;
    }
    return found;
}

static outcome get_numbers(instance *of, const uint32_t references[], size_t count, double values[])
{
    outcome found = DONE;
    for (size_t k = 0; k < count; k++) {
        const uint32_t kind = KIND(references[k]);
        const double *place = place_of(of, references[k]);
        if (place == NULL) {
            return ERROR;
        }
        if (kind >= RATE && kind <= ENERGY && update(of) != DONE) {
            found = DISCARD;
        }
        values[k] = *place;
    }
    return found;
}

static outcome set_numbers(instance *of, const uint32_t references[], size_t count, const double values[])
{
    for (size_t k = 0; k < count; k++) {
        const uint32_t kind = KIND(references[k]);
        double *place = place_of(of, references[k]);
        if (place == NULL || (kind >= RATE && kind <= ENERGY) || all_finite(&values[k], 1U) != @MACRO@_OK) {
            return ERROR;
        }
        *place = values[k];
        of->is_current = false;
    }
    return DONE;
}

static void set_states(instance *of, const double values[])
{
    memcpy(of->state, values, sizeof(of->state));
    of->is_current = false;
}

/* The change of unknowns (rates and outputs) as knowns (states and inputs) change. */
static outcome change(instance *of, const uint32_t unknowns[], size_t unknown_count, const uint32_t knowns[],
                      size_t known_count, const double seed[], double found[])
{
    real commands_dot[INPUTS] = {0}, state_dot[STATES] = {0}, rate_dot[STATES], tips_dot[16 * SECTIONS];
    real lengths_dot[MUSCLES], energies_dot[3];
    @PREFIX@_derivative_workspace *w = &of->derivatives;
    if (!in_range(&of->arm, of->state)) {
        return DISCARD;
    }
    for (size_t k = 0; k < known_count; k++) {
        const uint32_t place = PLACE(knowns[k]);
        if (KIND(knowns[k]) == STATE && place < STATES) {
            state_dot[place] += seed[k];
        } else if (KIND(knowns[k]) == INPUT && place < INPUTS) {
            commands_dot[place] += seed[k];
        } else {
            return ERROR;
        }
    }
    join(of->commands, commands_dot, INPUTS, w->inputs);
    join(of->state, state_dot, STATES, &w->inputs[INPUTS]);
    zero_along(STATES, w->outputs);
    plant_rate_along(&of->arm, w->inputs, &w->inputs[INPUTS], w->outputs, w);
    changes(w->outputs, STATES, rate_dot);
    tips_along(&of->arm, &w->inputs[INPUTS], w->outputs, w);
    changes(w->outputs, 16U * SECTIONS, tips_dot);
    energies_along(&of->arm, &w->inputs[INPUTS], &w->inputs[INPUTS + COORDINATES], w->outputs, w);
    changes(w->outputs, 3U, energies_dot);
    lengths(&of->arm, state_dot, lengths_dot); /* linear */
    for (size_t k = 0; k < unknown_count; k++) {
        const uint32_t place = PLACE(unknowns[k]);
        if (place_of(of, unknowns[k]) == NULL) {
            return ERROR;
        }
        switch (KIND(unknowns[k])) {
            case RATE: found[k] = rate_dot[place]; break;
            case STATE: found[k] = state_dot[place]; break;
            case TIP: found[k] = tips_dot[16U * (place / 3U) + 4U * (place % 3U) + 3U]; break;
            case LENGTH: found[k] = lengths_dot[place]; break;
            case ENERGY: found[k] = energies_dot[place]; break;
            default: return ERROR;
        }
    }
    return DONE;
}

/* Implicit steps, as many as there are in a communication step: a whole number of them. */
static outcome go_on(instance *of, double begin, double length)
{
    const double wanted = length / of->arm.step;
    const long count = (long)(wanted + 0.5);
    if (count < 1 || wanted - (double)count > 1e-6 || (double)count - wanted > 1e-6) {
        return ERROR;
    }
    for (long k = 0; k < count; k++) {
        if (!in_range(&of->arm, of->state)) {
            return DISCARD;
        }
        plant_step(&of->arm, of->commands, of->state, &of->work);
        if (all_finite(of->state, STATES) != @MACRO@_OK) {
            return DISCARD;
        }
    }
    of->time = begin + length;
    of->is_current = false;
    return DONE;
}

static const char STEP_RULE[] = "a communication step must be a whole number of steps of @STEP@ s";
