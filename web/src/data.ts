// Numbers of the page, as gcan/report/page_data.cpp writes them: one base64 text, and the position and
// packing of each block in it.

export interface Block {
  at: number; // byte, a multiple of 3
  bytes: number;
  type: 'f32' | 'u16';
  shape: number[];
  low?: number; // of u16: value = low + step * code
  step?: number;
  packed?: boolean; // differences along the last axis, low bytes before high bytes, zlib
}

export interface Numbers {
  values: Float32Array;
  shape: number[];
}

const NOT_FINITE = 65535; // code of u16

function bytes_of(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Undoes the differences along rows.
function codes_of(bytes: Uint8Array, row: number): Uint16Array {
  const count = bytes.length / 2;
  const codes = new Uint16Array(count);
  for (let start = 0; start < count; start += row) {
    let last = 0;
    for (let i = start; i < start + row; ++i) {
      last = (last + bytes[i] + 256 * bytes[count + i]) & 65535;
      codes[i] = last;
    }
  }
  return codes;
}

export class PageData {
  private readonly made = new Map<number, Promise<Numbers>>();

  constructor(
    private readonly blocks: Block[],
    private readonly text: string,
  ) {}

  numbers(index: number): Promise<Numbers> {
    let found = this.made.get(index);
    if (!found) {
      found = this.decode(this.blocks[index]);
      this.made.set(index, found);
    }
    return found;
  }

  private async decode(block: Block): Promise<Numbers> {
    const from = (block.at / 3) * 4;
    let bytes = bytes_of(this.text.slice(from, from + 4 * Math.ceil(block.bytes / 3)));
    bytes = bytes.slice(0, block.bytes);
    if (block.type === 'f32')
      return { values: new Float32Array(bytes.buffer, 0, bytes.length / 4), shape: block.shape };
    const row = block.shape[block.shape.length - 1];
    const codes = block.packed
      ? codes_of(await unpacked(bytes), row)
      : new Uint16Array(bytes.buffer, 0, bytes.length / 2);
    const values = new Float32Array(codes.length);
    const low = block.low ?? 0;
    const step = block.step ?? 1;
    for (let i = 0; i < codes.length; ++i) values[i] = codes[i] === NOT_FINITE ? NaN : low + step * codes[i];
    return { values, shape: block.shape };
  }
}
