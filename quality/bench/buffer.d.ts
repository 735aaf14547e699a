// What every Buffer of Node has and its types leave out: `toString('latin1', from, to)` without the look-up of the encoding.
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(from?: number, to?: number): string
}
