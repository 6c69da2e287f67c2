static void copy(const real *from, uint32_t count, real *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k] = from[k];
    }
}

static void zero(uint32_t count, real *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k] = (real)0.0;
    }
}

static bool any(const real *from, uint32_t count)
{
    bool found = false;
    for (uint32_t k = 0U; k < count; k++) {
        found = found || (from[k] > (real)0.0) || (from[k] < (real)0.0);
    }
    return found;
}

static void write_block(const real *block, uint32_t size, real *above, real *below)
{
    for (uint32_t row = 0U; row < 3U; row++) {
        for (uint32_t column = 0U; column < 3U; column++) {
            above[(size * row) + column] = block[(3U * row) + column];
            below[(size * column) + row] = block[(3U * row) + column];
        }
    }
}

static void write_pose(const PREFIX_frame *frame, real *pose)
{
    pose[0] = frame->entry_0_00;
    pose[1] = frame->entry_0_01;
    pose[2] = frame->entry_0_02;
    pose[3] = frame->entry_1_0;
    pose[4] = frame->entry_0_10;
    pose[5] = frame->entry_0_11;
    pose[6] = frame->entry_0_12;
    pose[7] = frame->entry_1_1;
    pose[8] = frame->entry_0_20;
    pose[9] = frame->entry_0_21;
    pose[10] = frame->entry_0_22;
    pose[11] = frame->entry_1_2;
    pose[12] = (real)0.0;
    pose[13] = (real)0.0;
    pose[14] = (real)0.0;
    pose[15] = (real)1.0;
}

static void copy_along(const dual *from, uint32_t count, dual *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k] = from[k];
    }
}

static void zero_along(uint32_t count, dual *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k].v = (real)0.0;
        to[k].d = (real)0.0;
    }
}

static bool any_along(const dual *from, uint32_t count)
{
    bool found = false;
    for (uint32_t k = 0U; k < count; k++) {
        found = found || any(&from[k].v, 1U) || any(&from[k].d, 1U);
    }
    return found;
}

static void write_pose_along(const PREFIX_frame_along *frame, dual *pose)
{
    zero_along(16U, pose);
    pose[0] = frame->entry_0_00;
    pose[1] = frame->entry_0_01;
    pose[2] = frame->entry_0_02;
    pose[3] = frame->entry_1_0;
    pose[4] = frame->entry_0_10;
    pose[5] = frame->entry_0_11;
    pose[6] = frame->entry_0_12;
    pose[7] = frame->entry_1_1;
    pose[8] = frame->entry_0_20;
    pose[9] = frame->entry_0_21;
    pose[10] = frame->entry_0_22;
    pose[11] = frame->entry_1_2;
    pose[15].v = (real)1.0;
}

static void join(const real *value, const real *change, uint32_t count, dual *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k].v = value[k];
        to[k].d = (change == NULL) ? (real)0.0 : change[k];
    }
}

static void changes(const dual *from, uint32_t count, real *to)
{
    for (uint32_t k = 0U; k < count; k++) {
        to[k] = from[k].d;
    }
}
