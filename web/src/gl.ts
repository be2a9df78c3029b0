// The little of WebGL 2 that the views share.

export type Gl = WebGL2RenderingContext;

// Soft edges where a graphics card draws them; software needs twice as long for them.
export function context(canvas: HTMLCanvasElement): Gl | null {
  const options = { preserveDrawingBuffer: true };
  return (
    canvas.getContext('webgl2', { ...options, antialias: true, failIfMajorPerformanceCaveat: true }) ??
    canvas.getContext('webgl2', { ...options, antialias: false })
  );
}

function shader(gl: Gl, type: number, source: string): WebGLShader {
  const made = gl.createShader(type)!;
  gl.shaderSource(made, `#version 300 es\nprecision highp float;\n${source}`);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS) && !gl.isContextLost())
    throw new Error(`shader: ${gl.getShaderInfoLog(made)}`);
  return made;
}

export class Program {
  private readonly program: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();

  constructor(
    private readonly gl: Gl,
    vertex: string,
    fragment: string,
    attributes: string[],
  ) {
    this.program = gl.createProgram();
    gl.attachShader(this.program, shader(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(this.program, shader(gl, gl.FRAGMENT_SHADER, fragment));
    attributes.forEach((name, i) => gl.bindAttribLocation(this.program, i, name));
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`program: ${gl.getProgramInfoLog(this.program)}`);
  }

  use(): void {
    this.gl.useProgram(this.program);
  }

  place(name: string): WebGLUniformLocation | null {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name)!;
  }
}

export interface Pane {
  x: number; // CSS pixels from the upper left corner
  y: number;
  width: number;
  height: number;
}

// Panes in lines of at most `columns`.
export function grid(count: number, columns: number, width: number, height: number): Pane[] {
  const across = Math.min(count, columns);
  const lines = Math.ceil(count / Math.max(across, 1));
  return Array.from({ length: count }, (_, i) => ({
    x: ((i % across) * width) / across,
    y: (Math.floor(i / across) * height) / lines,
    width: width / across,
    height: height / lines,
  }));
}

// A canvas that is drawn when something has changed, as sharp as the screen.
export class Stage {
  private wanted = false;
  draws = 0; // for benchmarks

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly gl: Gl,
    private readonly draw: () => void,
  ) {
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  redraw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => this.draw_now());
  }

  draw_now(): void {
    this.wanted = false;
    const { canvas, gl } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (width === 0 || height === 0 || gl.isContextLost()) return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.draw();
    canvas.dataset.draws = String(++this.draws);
  }

  // Draws into one pane alone.
  enter(pane: Pane): void {
    const { canvas, gl } = this;
    const ratio = canvas.width / canvas.clientWidth;
    gl.viewport(
      Math.round(pane.x * ratio),
      Math.round((canvas.clientHeight - pane.y - pane.height) * ratio),
      Math.round(pane.width * ratio),
      Math.round(pane.height * ratio),
    );
  }

  // The picture as it is now.
  png(): Promise<Blob> {
    this.draw_now();
    return new Promise((done, fail) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture')))),
    );
  }
}
