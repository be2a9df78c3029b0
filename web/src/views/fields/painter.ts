import { Gl, Program } from '../../gl';
import { Mesh, Projection } from './projection';

// Draws a coloured grid on the mesh of a projection, and lines over it.

const SURFACE_VERTEX = `
in vec3 point; in vec2 place; uniform mat4 view; uniform float shift;
out vec2 at; out vec3 outward;
void main() { gl_Position = view * vec4(point, 1.0); at = vec2(place.x + shift, place.y); outward = point; }`;
const SURFACE_FRAGMENT = `
in vec2 at; in vec3 outward; out vec4 result;
uniform sampler2D field; uniform vec3 light; uniform float lit;
void main() {
  vec4 colour = texture(field, at);
  float shade = mix(1.0, 0.72 + 0.30 * max(0.0, dot(normalize(outward), light)), lit);
  result = vec4(colour.rgb * min(shade, 1.0), 1.0);
}`;
const LINE_VERTEX = `
in vec4 point; uniform mat4 view; uniform float size; out float strength;
void main() { gl_Position = view * vec4(point.xyz, 1.0); gl_PointSize = size; strength = point.w; }`;
const LINE_FRAGMENT = `
in float strength; out vec4 result; uniform vec4 colour;
void main() { float a = colour.a * strength; result = vec4(colour.rgb * a, a); }`;

export class FieldPainter {
  private readonly surface: Program;
  private readonly lines: Program;
  private readonly moving: WebGLBuffer;
  private readonly moving_array: WebGLVertexArrayObject;
  private readonly textures: WebGLTexture[] = [];
  private readonly meshes = new Map<Mesh, { surface: WebGLVertexArrayObject; lines: WebGLVertexArrayObject }>();

  constructor(private readonly gl: Gl) {
    this.surface = new Program(gl, SURFACE_VERTEX, SURFACE_FRAGMENT, ['point', 'place']);
    this.lines = new Program(gl, LINE_VERTEX, LINE_FRAGMENT, ['point']);
    this.moving = gl.createBuffer();
    this.moving_array = this.line_array(this.moving);
  }

  private line_array(buffer: WebGLBuffer): WebGLVertexArrayObject {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 16, 0);
    return array;
  }

  private arrays(mesh: Mesh) {
    const { gl } = this;
    const known = this.meshes.get(mesh);
    if (known) return known;
    const surface = gl.createVertexArray();
    gl.bindVertexArray(surface);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, mesh.points, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 20, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, 20, 12);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
    const buffer = gl.createBuffer();
    const lines = this.line_array(buffer);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.lines, gl.STATIC_DRAW);
    const made = { surface, lines };
    this.meshes.set(mesh, made);
    return made;
  }

  // Red, green, blue, alpha of each point of the grid.
  set_colours(index: number, columns: number, rows: number, colours: Uint8Array, sphere: boolean): void {
    const { gl } = this;
    const fresh = !this.textures[index];
    if (fresh) this.textures[index] = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.textures[index]);
    if (fresh) {
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, sphere ? gl.REPEAT : gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, columns, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours);
    } else {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, gl.RGBA, gl.UNSIGNED_BYTE, colours);
    }
  }

  draw_surface(index: number, projection: Projection, view: Float32Array, light: [number, number, number]): void {
    const { gl } = this;
    this.surface.use();
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[index]);
    gl.uniformMatrix4fv(this.surface.place('view'), false, view);
    gl.uniform1f(this.surface.place('shift'), projection.shift());
    gl.uniform1f(this.surface.place('lit'), projection.flat ? 0 : 1);
    gl.uniform3fv(this.surface.place('light'), light);
    gl.bindVertexArray(this.arrays(projection.mesh).surface);
    gl.drawElements(gl.TRIANGLES, projection.mesh.triangles.length, gl.UNSIGNED_INT, 0);
    if (projection.mesh.lines.length)
      this.draw(this.arrays(projection.mesh).lines, gl.LINES, projection.mesh.lines.length / 4, view, [1, 1, 1, 0.45]);
  }

  private draw(array: WebGLVertexArrayObject, kind: number, count: number, view: Float32Array, colour: number[], size = 1): void {
    const { gl } = this;
    this.lines.use();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniformMatrix4fv(this.lines.place('view'), false, view);
    gl.uniform4fv(this.lines.place('colour'), colour);
    gl.uniform1f(this.lines.place('size'), size);
    gl.bindVertexArray(array);
    gl.drawArrays(kind, 0, count);
  }

  // x, y, z and strength of each end.
  draw_lines(ends: Float32Array, view: Float32Array, colour: number[]): void {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.moving);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, ends, this.gl.STREAM_DRAW);
    this.draw(this.moving_array, this.gl.LINES, ends.length / 4, view, colour);
  }

  draw_mark(point: [number, number, number], view: Float32Array): void {
    const { gl } = this;
    for (const [colour, size] of [[[0, 0, 0, 1], 11], [[1, 1, 1, 1], 7]] as [number[], number][]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.moving);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...point, 1]), gl.STREAM_DRAW);
      gl.depthFunc(gl.LEQUAL);
      this.draw(this.moving_array, gl.POINTS, 1, view, colour, size * (window.devicePixelRatio || 1));
    }
  }
}
