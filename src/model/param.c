// Parameters by name.
//
// Groups are sorted by name, so the plain name is found by bisection. A path may also name children
// by their own names, all or some of them: then all groups are searched.

#include "tactus/model.h"

#include "base/message.h"
#include "model/live_params.h"
#include "model/xml/old_names.h"
#include "shape/cloud/cloud_index.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- find -----------------------------------------

// "shape:cup/0/size[2]" is the group's name and 2; -1 without an index, -2 if it is none
static int split_index(const char* name, size_t* length) {
    const char* bracket = strrchr(name, '[');
    size_t end = strlen(name);
    int is_index = bracket && name[end - 1] == ']';
    *length = is_index ? (size_t)(bracket - name) : end;
    if (!is_index) return -1;
    const char* at = bracket + 1;
    int index = 0;
    if (*at == ']') return -2;
    for (; *at >= '0' && *at <= '9'; ++at) {
        if (index > 100000000) return -2;
        index = 10 * index + (*at - '0');
    }
    return at[0] == ']' && at[1] == '\0' ? index : -2;
}

static int compare_group_name(const char* text, size_t length, const char* name) {
    int order = strncmp(text, name, length);
    return order ? order : -(name[length] != '\0');
}

static int find_by_bisection(const tacModel* model, const char* text, size_t length) {
    int low = 0, high = model->nparamname;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = compare_group_name(text, length, model->paramname[middle].name);
        if (order == 0) return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

// length of the part of a path up to the next "/" or the end
static size_t part_length(const char* text, size_t length) {
    const char* slash = memchr(text, '/', length);
    return slash ? (size_t)(slash - text) : length;
}

// does each part of `text` equal that part of the name or of the alias?
static int matches_path(const tacParamName* group, const char* text, size_t length) {
    const char *name = group->name, *alias = group->alias;
    if (strlen(alias) == length && memcmp(alias, text, length) == 0) return 1;
    for (;;) {
        size_t part = part_length(text, length);
        size_t name_part = part_length(name, strlen(name));
        size_t alias_part = part_length(alias, strlen(alias));
        int by_name = part == name_part && memcmp(text, name, part) == 0;
        int by_alias = part == alias_part && memcmp(text, alias, part) == 0;
        if (!by_name && !by_alias) return 0;
        name += name_part;
        alias += alias_part;
        if (part == length) return !*name && !*alias;
        if (!*name || !*alias) return 0;
        ++name;
        ++alias;
        text += part + 1;
        length -= part + 1;
    }
}

// "detect/clash" is the old name of "detect/opposing"; -1: it is none, or there is no such group
static int find_old_name(const tacModel* model, const char* text, size_t length) {
    static const char group[] = "detect/";
    size_t skip = strlen(group);
    if (length <= skip || memcmp(text, group, skip) != 0) return -1;
    const char* attribute = tac_new_attribute_name(text + skip, length - skip);
    char name[64];
    if (!attribute) return -1;
    snprintf(name, sizeof name, "%s%s", group, attribute);
    return find_by_bisection(model, name, strlen(name));
}

static int find_group(const tacModel* model, const char* text, size_t length) {
    int found = find_by_bisection(model, text, length);
    if (found < 0) found = find_old_name(model, text, length);
    for (int i = 0; found < 0 && i < model->nparamname; ++i)
        if (model->paramname[i].alias && matches_path(&model->paramname[i], text, length))
            found = i;
    return found;
}

tacResult tac_param_find(const tacModel* model, const char* name, tacParam* out) {
    if (!model || !name || !out) return TAC_ERROR_VALUE;
    size_t length;
    int index = split_index(name, &length);
    int group = index < -1 ? -1 : find_group(model, name, length);
    if (group < 0) return TAC_ERROR_VALUE;
    tacParam param = model->paramname[group].param;
    if (index >= param.count) return TAC_ERROR_VALUE;
    if (index >= 0) {
        param.offset += index;
        param.count = 1;
    }
    *out = param;
    return TAC_OK;
}

//---------------------------------- name -----------------------------------------

tacResult tac_param_name(const tacModel* model, int offset, char* text, int size) {
    if (!model || offset < 0 || offset >= model->nparam || !text || size <= 0)
        return TAC_ERROR_VALUE;
    const tacParamName* group = &model->paramname[model->paramgroup[offset]];
    if (group->param.count == 1)
        snprintf(text, (size_t)size, "%s", group->name);
    else
        snprintf(text, (size_t)size, "%s[%d]", group->name, offset - group->param.offset);
    return TAC_OK;
}

//---------------------------------- ranges ---------------------------------------

static tacResult check_value(const tacModel* model, tacParam param, int i, double value,
                             tacMessage* message) {
    tacParam group = model->paramname[model->paramgroup[param.offset + i]].param;
    double lower = fmax(group.lower, param.lower), upper = fmin(group.upper, param.upper);
    if (value >= lower && value <= upper) return TAC_OK;
    char name[sizeof message->attribute];
    tac_param_name(model, param.offset + i, name, (int)sizeof name);
    return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, name,
                    "%g is out of range: it must be between %g and %g", value, lower, upper);
}

static int ends_in(const tacParamName* group, const char* end) {
    size_t length = strlen(group->name), tail = strlen(end);
    return length > tail && strcmp(group->name + length - tail, end) == 0;
}

// squared length of `count` numbers from `offset` on, with the new values
static double norm2_after(const tacModel* model, tacParam param, const double* values, int offset,
                          int count) {
    double norm2 = 0.0;
    for (int k = offset; k < offset + count; ++k) {
        int at = k - param.offset;
        double x = at >= 0 && at < param.count ? values[at] : model->param[k];
        norm2 += x * x;
    }
    return norm2;
}

// A quaternion set to 0, in parts or as a whole, is not a rotation, and an axis or a
// normal of length 0 has no direction.
static tacResult check_length(const tacModel* model, tacParam param, int i, const double* values,
                              tacMessage* message) {
    const tacParamName* group = &model->paramname[model->paramgroup[param.offset + i]];
    int is_quat = ends_in(group, "/quat"), is_plane = ends_in(group, "/planes");
    int is_axis = ends_in(group, "/axis");
    if (!is_quat && !is_plane && !is_axis) return TAC_OK;
    int within = param.offset + i - group->param.offset,
        first = group->param.offset + within / 4 * 4;
    if (norm2_after(model, param, values, first, is_quat ? 4 : 3) > 1e-24) return TAC_OK;
    char name[sizeof message->attribute];
    snprintf(name, sizeof name, "%s", group->name);
    return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, name,
                    is_quat   ? "a quaternion of length 0 is not a rotation"
                    : is_axis ? "an axis of length 0 has no direction"
                              : "plane %d would have a normal of length 0",
                    within / 4);
}

//---------------------------------- clouds ---------------------------------------

// the parameter at an offset, with the new values
static double value_after(const tacModel* model, tacParam param, const double* values, int at) {
    int k = at - param.offset;
    return k >= 0 && k < param.count ? values[k] : model->param[at];
}

// does the range overlap that from `first` on?
static int overlaps(tacParam param, int first, int count) {
    return param.offset < first + count && first < param.offset + param.count;
}

// metrics that change must stay positive definite
static tacResult check_metrics(const tacModel* model, tacParam param, const double* values,
                               const tacCloud* cloud, tacMessage* message) {
    int n = cloud->count, first = cloud->block + tac_cloud_metric_offset(cloud) * n;
    if (cloud->kernel != TAC_CLOUD_ANISOTROPIC || !overlaps(param, first, 6 * n)) return TAC_OK;
    for (int i = 0; i < n; ++i) {
        double metric[6], low, high;
        for (int k = 0; k < 6; ++k)
            metric[k] = value_after(model, param, values, first + k * n + i);
        tac_cloud_eigen(metric, &low, &high);
        if (low > 1e-12 * high) continue;
        char name[sizeof message->attribute];
        tac_param_name(model, first + i, name, (int)sizeof name);
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, name,
                        "the metric of this point would not be positive definite");
    }
    return TAC_OK;
}

static tacResult check_clouds(const tacModel* model, tacParam param, const double* values,
                              tacMessage* message) {
    tacResult result = TAC_OK;
    for (int i = 0; i < model->ncloud && result == TAC_OK; ++i)
        result = check_metrics(model, param, values, &model->cloud[i], message);
    return result;
}

// updates the boxes around their points
static void refresh_clouds(tacModel* model, tacParam param) {
    for (int i = 0; i < model->ncloud; ++i) {
        const tacCloud* cloud = &model->cloud[i];
        if (overlaps(param, cloud->block, tac_cloud_stride(cloud) * cloud->count))
            tac_cloud_refresh(cloud, model->param, &model->cloudpage[cloud->page]);
    }
}

//---------------------------------- set ------------------------------------------

// a parameter that contact holds constant keeps its value
static tacResult check_held(const tacModel* model, tacParam param, const double* values,
                            tacMessage* message) {
    for (int i = 0; i < param.count; ++i) {
        tacParam one = {param.offset + i, 1, param.lower, param.upper};
        if (values[i] == model->param[one.offset]) continue;
        tacResult result = tac_param_live(model, one, message);
        if (result != TAC_OK) return result;
    }
    return TAC_OK;
}

static void swap_values(tacModel* model, tacParam param, double* values) {
    for (int i = 0; i < param.count; ++i) {
        double before = model->param[param.offset + i];
        model->param[param.offset + i] = values[i];
        values[i] = before;
    }
}

// all or nothing: where contact has no geometry for the new values the old ones are set again
static tacResult set_checked(tacModel* model, tacParam param, const double* values,
                             tacMessage* message) {
    tacAllocator a = model->allocator;
    size_t bytes = sizeof(double) * (size_t)param.count;
    double* other = a.allocate(a.user, bytes);
    if (!other) return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
    memcpy(other, values, bytes);
    swap_values(model, param, other);
    refresh_clouds(model, param);
    tacResult result = tac_refresh_contact(model, param, message);
    if (result != TAC_OK) {
        swap_values(model, param, other);
        refresh_clouds(model, param);
        tac_refresh_contact(model, param, NULL);
    }
    a.release(a.user, other);
    return result;
}

tacResult tac_param_set(tacModel* model, tacParam param, const double* values,
                        tacMessage* message) {
    if (message) *message = (tacMessage){0};
    if (!model || !values)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, NULL,
                        "tac_param_set: model or values is NULL");
    if (param.offset < 0 || param.count < 1 || param.count > model->nparam - param.offset)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, NULL,
                        "there are no %d parameters at offset %d; get a handle from tac_param_find",
                        param.count, param.offset);
    for (int i = 0; i < param.count; ++i) {
        tacResult result = check_value(model, param, i, values[i], message);
        if (result == TAC_OK) result = check_length(model, param, i, values, message);
        if (result != TAC_OK) return result;
    }
    tacResult result = check_held(model, param, values, message);
    if (result == TAC_OK) result = check_clouds(model, param, values, message);
    if (result != TAC_OK) return result;
    return set_checked(model, param, values, message);
}
