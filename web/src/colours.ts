// Colours suitable for the colour-blind: Okabe and Ito's for lines and objects, perceptually uniform maps for
// numbers.

export const LINES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#767676', '#882255'];
export const OBJECTS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#882255', '#8c8c28'];

export type Rgb = [number, number, number]; // 0 to 1

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

// The colour of a line on this page: dark pages need lighter ones.
export function lit(hex: string): string {
  if (!matchMedia('(prefers-color-scheme: dark)').matches) return hex;
  const [red, green, blue] = rgb(hex.slice(0, 7));
  const lightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const white = Math.max(0, (0.5 - lightness) / (1 - lightness));
  const part = (value: number) => Math.round(255 * (value + white * (1 - value))).toString(16).padStart(2, '0');
  return `#${part(red)}${part(green)}${part(blue)}${hex.slice(7)}`;
}

// Evenly spaced samples of each map.
const MAPS: Record<string, string[]> = {
  viridis: ['#440154', '#482475', '#414487', '#355f8d', '#2a788e', '#21918c', '#22a884', '#44bf70', '#7ad151', '#bddf26', '#fde725'],
  cividis: ['#00224e', '#123570', '#3b496c', '#575d6d', '#707173', '#8a8678', '#a59c74', '#c3b369', '#e1cc55', '#fee838'],
  magma: ['#000004', '#140e36', '#3b0f70', '#641a80', '#8c2981', '#b73779', '#de4968', '#f7705c', '#fe9f6d', '#fecf92', '#fcfdbf'],
  'blue – red': ['#3b4cc0', '#5977e3', '#7b9ff9', '#9ebeff', '#c0d4f5', '#dddcdc', '#f2cbb7', '#f7ac8e', '#ee8468', '#d65244', '#b40426'],
  'purple – orange': ['#2d004b', '#542788', '#8073ac', '#b2abd2', '#d8daeb', '#f7f7f7', '#fee0b6', '#fdb863', '#e08214', '#b35806', '#7f3b08'],
};

export const SEQUENTIAL = ['viridis', 'cividis', 'magma'];
export const DIVERGING = ['blue – red', 'purple – orange'];

// 256 colours of a map, as red, green, blue bytes.
export function colour_table(name: string): Uint8Array {
  const samples = MAPS[name].map(rgb);
  const table = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; ++i) {
    const place = (i / 255) * (samples.length - 1);
    const at = Math.min(Math.floor(place), samples.length - 2);
    for (let c = 0; c < 3; ++c)
      table[3 * i + c] = Math.round(255 * (samples[at][c] + (place - at) * (samples[at + 1][c] - samples[at][c])));
  }
  return table;
}

// The map as a CSS gradient, from left to right.
export function gradient(name: string): string {
  return `linear-gradient(to right, ${MAPS[name].join(', ')})`;
}
