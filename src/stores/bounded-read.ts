// A file whose size is not known before it is read, as those of the kernel are.
import { open } from 'node:fs/promises'

const CHUNK_BYTES = 65_536

/** @returns its bytes as Latin-1; undefined: it has more than `maxBytes` @throws the system's error */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path)
  try {
    const chunks: string[] = []
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let length = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) return chunks.join('')
      length += bytesRead
      if (length > maxBytes) return undefined
      chunks.push(buffer.toString('latin1', 0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
