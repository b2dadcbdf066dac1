// The colour that a ray sees.
//
//   rays --trace--> hits --occlude--> light, ambient --[this file]--> colour
//
// Lambert and Blinn-Phong for each light, light of the sky from above and of the ground from below,
// a weak reflection of the sky, all in linear light (docs/render.md eq. 7 to 10).

#include "draw/shade.h"

#include <math.h>

#define LAYERS 6 // transparent items that a ray passes

static const tacVec3 zenith = {0.22, 0.40, 0.72}, horizon = {0.80, 0.87, 0.95};
static const tacVec3 floor_light = {0.42, 0.40, 0.38};

static tacVec3 lerp_colour(tacVec3 a, tacVec3 b, double s) {
    return tac_add_scaled(tac_scale(a, 1.0 - s), s, b);
}

static double smooth_step(double low, double high, double x) {
    double s = fmax(0.0, fmin(1.0, (x - low) / (high - low)));
    return s * s * (3.0 - 2.0 * s);
}

//---------------------------------- sky ------------------------------------------

// background
static tacVec3 sky(tacVec3 along) {
    double up = fmax(along.z, 0.0);
    return lerp_colour(horizon, zenith, 1.0 - exp(-2.2 * up));
}

// reflection: sky above, ground below
static tacVec3 surroundings(tacVec3 along) {
    return lerp_colour(floor_light, sky(along), smooth_step(-0.12, 0.12, along.z));
}

//---------------------------------- ground ---------------------------------------

// mean of a square wave of period 2 over a width around x
static double wave_mean(double x, double width) {
    double a = 0.5 * (x - 0.5 * width), b = 0.5 * (x + 0.5 * width);
    a = fabs(a - floor(a) - 0.5);
    b = fabs(b - floor(b) - 0.5);
    return 2.0 * (a - b) / width;
}

// brightness of the checker pattern, averaged over a pixel
static double checker(const tacStage* stage, const tacStageItem* plane, const tacRays* rays,
                      int i) {
    tacVec3 along = tac_vectors_get(&rays->along, i);
    tacVec3 x = tac_sub(tac_ray_point(rays, i, rays->distance[i]), plane->pose.position);
    // a curved mirror spreads the rays of a pixel
    double spread = rays->eye_distance[i] > 0.0 ? 6.0 : 1.2;
    double pixel = spread * rays->pixel * (rays->eye_distance[i] + rays->distance[i]);
    double fall = fabs(tac_dot(along, plane->axes[2]));
    double wave = 1.0;
    for (int k = 0; k < 2; ++k) {
        double lean = tac_dot(along, plane->axes[k]) / fmax(fall, 1e-6);
        double width = pixel * sqrt(1.0 + lean * lean) / stage->cell;
        wave *= wave_mean(tac_dot(x, plane->axes[k]) / stage->cell, fmax(width, 1e-9));
    }
    return 1.0 + 0.10 * wave;
}

// share of the sky in front of something that reaches to the horizon
static double haze(const tacStage* stage, const tacStageItem* item, tacVec3 x) {
    if (isfinite(item->ball.radius)) return 0.0;
    double away = tac_distance(x, stage->centre) / stage->radius;
    return smooth_step(2.5, TAC_HAZE_END, away);
}

//---------------------------------- surfaces -------------------------------------

// gathers the hits of a packet as surfels slightly above the surface
static void collect_surfels(const tacRays* rays, tacShadeWorkspace* workspace) {
    tacSurfels* surfels = &workspace->surfels;
    surfels->count = 0;
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] < 0) continue;
        int k = surfels->count++;
        tacVec3 n = tac_vectors_get(&rays->normal, i),
                x = tac_ray_point(rays, i, rays->distance[i]);
        x = tac_add_scaled(x, 1e-7 * rays->distance[i], n);
        tac_vectors_set(&surfels->normal, k, n);
        tac_vectors_set(&surfels->x, k, x);
        workspace->surfel_ray[k] = i;
    }
    tac_surfels_measure(surfels);
}

static tacVec3 base_colour(const tacStage* stage, const tacRays* rays, int i) {
    const tacStageItem* item = &stage->items[rays->item[i]];
    tacVec3 rgb = tac_vec3(item->rgb[0], item->rgb[1], item->rgb[2]);
    return item->kind == TAC_STAGE_PLANE ? tac_scale(rgb, checker(stage, item, rays, i)) : rgb;
}

// reflection of each surfel: other items, or the sky
static void reflect_surfels(const tacStage* stage, const tacRays* rays,
                            tacShadeWorkspace* workspace, tacScratch* scratch) {
    tacRays* out = &workspace->mirrored;
    out->count = workspace->surfels.count;
    out->pixel = rays->pixel;
    for (int k = 0; k < out->count; ++k) {
        int i = workspace->surfel_ray[k];
        tacVec3 n = tac_vectors_get(&workspace->surfels.normal, k),
                along = tac_vectors_get(&rays->along, i);
        along = tac_add_scaled(along, -2.0 * fmin(0.0, tac_dot(n, along)), n);
        tac_vectors_set(&out->origin, k, tac_vectors_get(&workspace->surfels.x, k));
        tac_vectors_set(&out->along, k, tac_normalize(along));
        out->start[k] = 0.0;
        out->eye_distance[k] = rays->eye_distance[i] + rays->distance[i];
        tac_store3(workspace->surfel_mirror[k], surroundings(along));
    }
    if (!workspace->mirror) return;
    tac_shade(stage, out, workspace->mirror, scratch);
    for (int k = 0; k < out->count; ++k)
        if (out->item[k] >= 0)
            tac_store3(workspace->surfel_mirror[k], tac_load3(workspace->mirror->colour[k]));
}

// ambient light
static tacVec3 ambient_light(const tacStage* stage, const tacRays* rays, const tacSurfels* surfels,
                             const double mirrored[3], int k, int i) {
    tacVec3 n = tac_vectors_get(&surfels->normal, k), along = tac_vectors_get(&rays->along, i);
    double open = surfels->ambient[k], facing = fmax(0.0, -tac_dot(n, along));
    int is_plane = stage->items[rays->item[i]].kind == TAC_STAGE_PLANE;
    tacVec3 around = lerp_colour(floor_light, tac_vec3(0.62, 0.72, 0.90), 0.5 + 0.5 * n.z);
    tacVec3 colour = tac_scale(tac_mul(base_colour(stage, rays, i), around), 0.50 * open);
    // Fresnel's part of a smooth dielectric
    double part = (0.04 + 0.55 * pow(1.0 - facing, 5.0)) * (is_plane ? 0.4 : 1.0);
    return tac_add_scaled(colour, part, tac_load3(mirrored));
}

static tacVec3 direct_light(const tacStage* stage, const tacRays* rays, const tacSurfels* surfels,
                            const tacLight* light, int k, int i) {
    if (surfels->light[k] <= 0.0) return tac_vec3_zero();
    tacVec3 n = tac_vectors_get(&surfels->normal, k), to = tac_vectors_get(&surfels->to_light, k);
    tacVec3 half = tac_normalize(tac_sub(to, tac_vectors_get(&rays->along, i)));
    int is_plane = stage->items[rays->item[i]].kind == TAC_STAGE_PLANE;
    double lambert = fmax(0.0, tac_dot(n, to));
    double shine = is_plane ? 0.0 : 0.55 * pow(fmax(0.0, tac_dot(n, half)), 70.0);
    tacVec3 rgb = tac_add(tac_scale(base_colour(stage, rays, i), 1.75 * lambert),
                          tac_vec3(shine, shine, shine));
    return tac_scale(tac_mul(rgb, tac_load3(light->diffuse)), surfels->light[k]);
}

static void set_light_directions(const tacLight* light, tacSurfels* surfels) {
    for (int k = 0; k < surfels->count; ++k) {
        tacVec3 to = tac_neg(tac_load3(light->direction));
        if (!light->directional) {
            to = tac_sub(tac_load3(light->position), tac_vectors_get(&surfels->x, k));
            surfels->light_distance[k] = tac_norm(to);
        } else {
            surfels->light_distance[k] = INFINITY;
        }
        tac_vectors_set(&surfels->to_light, k, tac_normalize(to));
    }
}

// colours of all hits of a packet
static void light_surfels(const tacStage* stage, const tacRays* rays, tacShadeWorkspace* workspace,
                          tacScratch* scratch) {
    tacSurfels* surfels = &workspace->surfels;
    // reflections go without ambient occlusion
    for (int k = 0; k < surfels->count; ++k) surfels->ambient[k] = 0.8;
    if (workspace->mirror) tac_occlude_ambient(stage, surfels, &workspace->occlude, scratch);
    reflect_surfels(stage, rays, workspace, scratch);
    for (int k = 0; k < surfels->count; ++k)
        tac_store3(workspace->surfel_colour[k],
                   ambient_light(stage, rays, surfels, workspace->surfel_mirror[k], k,
                                 workspace->surfel_ray[k]));
    for (int l = 0; l < stage->nlight; ++l) {
        set_light_directions(&stage->lights[l], surfels);
        if (stage->lights[l].castshadow)
            tac_occlude_shadows(stage, surfels, &workspace->occlude, scratch);
        else
            for (int k = 0; k < surfels->count; ++k) surfels->light[k] = 1.0;
        for (int k = 0; k < surfels->count; ++k) {
            tacVec3 add =
                direct_light(stage, rays, surfels, &stage->lights[l], k, workspace->surfel_ray[k]);
            tac_store3(workspace->surfel_colour[k],
                       tac_add(tac_load3(workspace->surfel_colour[k]), add));
        }
    }
}

//---------------------------------- tone -----------------------------------------

// a shoulder keeps highlights from clipping: x for small x, 1 at infinity
double tac_tone_map(double x) {
    const double knee = 0.60, rest = 1.0 - knee;
    return x <= knee ? x : 1.0 - rest * rest / (rest + x - knee);
}

unsigned char tac_srgb_byte(double linear) {
    double x = fmax(0.0, fmin(1.0, linear));
    double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
    return (unsigned char)(255.0 * y + 0.5);
}

//---------------------------------- rays -----------------------------------------

// adds the light of a layer of hits and misses; keeps the rays that pass through a transparent item
static void add_layer(const tacStage* stage, tacRays* rays, const int* owner,
                      tacShadeWorkspace* workspace) {
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] >= 0) continue;
        double* colour = workspace->colour[owner[i]];
        tacVec3 seen = sky(tac_vectors_get(&rays->along, i));
        tac_store3(colour, tac_add_scaled(tac_load3(colour), workspace->left[owner[i]], seen));
        workspace->left[owner[i]] = 0.0;
    }
    for (int k = 0; k < workspace->surfels.count; ++k) {
        int i = workspace->surfel_ray[k];
        const tacStageItem* item = &stage->items[rays->item[i]];
        tacVec3 lit = tac_load3(workspace->surfel_colour[k]),
                along = tac_vectors_get(&rays->along, i);
        double far = haze(stage, item, tac_vectors_get(&workspace->surfels.x, k));
        double *colour = workspace->colour[owner[i]], *left = &workspace->left[owner[i]];
        lit = lerp_colour(lit, sky(along), far);
        tac_store3(colour, tac_add_scaled(tac_load3(colour), *left * item->alpha, lit));
        *left *= 1.0 - item->alpha;
    }
}

// the rays of `from` that continue behind their hits
static void continue_rays(const tacRays* from, tacShadeWorkspace* workspace, tacRays* out) {
    int count = 0;
    out->pixel = from->pixel;
    for (int i = 0; i < from->count; ++i) {
        int owner = from == out ? workspace->owner[i] : i;
        if (workspace->left[owner] < 1.0 / 512.0) continue;
        tac_vectors_set(&out->origin, count, tac_vectors_get(&from->origin, i));
        tac_vectors_set(&out->along, count, tac_vectors_get(&from->along, i));
        out->start[count] = from->distance[i] * (1.0 + 1e-6);
        out->eye_distance[count] = from->eye_distance[i];
        workspace->owner[count++] = owner;
    }
    out->count = count;
}

void tac_shade(const tacStage* stage, tacRays* rays, tacShadeWorkspace* workspace,
               tacScratch* scratch) {
    for (int i = 0; i < rays->count; ++i) {
        workspace->owner[i] = i;
        workspace->left[i] = 1.0;
        for (int c = 0; c < 3; ++c) workspace->colour[i][c] = 0.0;
    }
    tacRays* now = rays;
    for (int layer = 0; layer < LAYERS && now->count > 0; ++layer) {
        tac_trace(stage, now, &workspace->trace, scratch);
        collect_surfels(now, workspace);
        light_surfels(stage, now, workspace, scratch);
        add_layer(stage, now, workspace->owner, workspace);
        continue_rays(now, workspace, &workspace->layer);
        now = &workspace->layer;
    }
}
