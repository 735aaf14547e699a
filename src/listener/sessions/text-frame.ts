/**
 * Whole unmasked text frames as a server sends them (RFC 6455, 5.2), one after another: built once, they can be written to any number
 * of sockets.
 */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const frames = Buffer.allocUnsafe(lengths.reduce((total, length) => total + headerLength(length) + length, 0))
  let at = 0
  for (const [index, text] of texts.entries()) {
    at = writeHeader(frames, at, lengths[index] ?? 0)
    at += frames.write(text, at)
  }
  return frames
}

function headerLength(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10
}

/** @returns where the text begins */
function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = 0x81
  if (length < 126) {
    frames[at + 1] = length
  } else if (length < 65_536) {
    frames[at + 1] = 126
    frames.writeUInt16BE(length, at + 2)
  } else {
    frames[at + 1] = 127
    frames.writeBigUInt64BE(BigInt(length), at + 2)
  }
  return at + headerLength(length)
}
