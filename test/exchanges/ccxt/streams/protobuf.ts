// Fields of a protobuf message, as a venue writes them.

/** A field of text, or of a message within the message. */
export function text(field: number, value: string | Buffer): Buffer {
  const data = Buffer.from(value)
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data])
}

export function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
