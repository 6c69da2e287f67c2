// How vertices are placed and pixels shaded: programs for the graphics card.

const PUPPET = `#version 300 es
  precision highp float;
  precision highp sampler2D;
  layout(location = 0) in vec3 place; layout(location = 1) in vec3 normal;
  layout(location = 2) in vec3 hangs; layout(location = 3) in vec3 colour;
  uniform mat4 matrix; uniform sampler2D poses; uniform sampler2D shades;
  out vec3 n; out vec3 p; out vec3 c;
  ivec2 cell(int k) { return ivec2(k % 1024, k / 1024); }
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  void main() {
    int disc = int(hangs.x);
    vec3 here = texelFetch(poses, cell(2 * disc), 0).xyz;
    vec4 q = texelFetch(poses, cell(2 * disc + 1), 0);
    float t = hangs.y;
    if (t > 0.0) {  // on the arc to the next disc: a cubic that leaves and arrives square to the discs
      vec3 there = texelFetch(poses, cell(2 * disc + 2), 0).xyz;
      vec4 r = texelFetch(poses, cell(2 * disc + 3), 0);
      vec3 from = turned(q, vec3(0, 0, 1)), to = turned(r, vec3(0, 0, 1));
      float steep = 2.0 * distance(here, there) / (1.0 + sqrt(max(0.5 + 0.5 * dot(from, to), 0.0)));
      float s = 1.0 - t;
      here = s * s * (1.0 + 2.0 * t) * here + t * t * (1.0 + 2.0 * s) * there + s * t * steep * (s * from - t * to);
      q = normalize(mix(q, dot(q, r) < 0.0 ? -r : r, t));
    }
    p = here + turned(q, place);
    n = turned(q, normal);
    c = hangs.z < 0.0 ? colour : texelFetch(shades, cell(int(hangs.z)), 0).rgb;
    gl_Position = matrix * vec4(p, 1.0);
  }`;
const STILL = `#version 300 es
  precision highp float;
  layout(location = 0) in vec3 place; layout(location = 1) in vec3 normal;
  uniform mat4 matrix; uniform vec3 tint;
  out vec3 n; out vec3 p; out vec3 c;
  void main() { n = normal; p = place; c = tint; gl_Position = matrix * vec4(place, 1.0); }`;
const LIT = `#version 300 es
  precision highp float;
  in vec3 n; in vec3 p; in vec3 c;
  uniform vec3 eye; uniform vec3 sun; uniform vec3 up; uniform float opacity;
  out vec4 shade;
  void main() {
    vec3 m = normalize(n), view = normalize(eye - p);
    if (!gl_FrontFacing) m = -m;  // the inside of a tube
    float sky = 0.5 + 0.5 * dot(m, up), lit = max(dot(m, sun), 0.0), face = max(dot(m, view), 0.0);
    float gloss = pow(max(dot(m, normalize(sun + view)), 0.0), 40.0);
    float cover = opacity < 1.0 ? mix(0.9, opacity, pow(face, 0.5)) : 1.0;  // a shell is denser at its edge
    shade = vec4(c * (0.42 + 0.22 * sky + 0.3 * lit + 0.12 * face) + 0.1 * gloss, 1.0) * cover;
  }`;
const FLAT = `#version 300 es
  precision highp float;
  in vec3 p;
  uniform vec4 paint; uniform vec3 centre; uniform vec3 east; uniform vec3 north; uniform float cell;
  out vec4 shade;
  float line(float x) { return 1.0 - min(abs(fract(x - 0.5) - 0.5) / fwidth(x), 1.0); }
  void main() {
    float alpha = paint.a;
    if (cell > 0.0) {  // lines of a grid, fading away from its centre
      vec3 away = (p - centre) / cell;
      vec2 at = vec2(dot(away, east), dot(away, north));
      float thin = max(line(at.x), line(at.y)), thick = max(line(at.x / 5.0), line(at.y / 5.0));
      alpha *= max(0.5 * thin, thick) * (1.0 - smoothstep(4.0, 24.0, length(away)));
    }
    shade = vec4(paint.rgb, 1.0) * alpha;
  }`;
