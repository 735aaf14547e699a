import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { runsOf } from '../../harness/tiers/runs.ts'
import { linesBackwards, withBackup } from '../../src/stores/journal-file.ts'

async function read(files: readonly string[], chunkBytes?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const chunk of linesBackwards(files, chunkBytes)) lines.push(...chunk)
  return lines
}

describe('reading lines from the end', () => {
  it('gives every whole line once, the last first, wherever chunks are cut', async () => {
    const path = join(tempDirectory(), 'a.jsonl')
    const line = fc.string({ unit: fc.constantFrom('a', '{', 'é', '€', '😀', ' '), maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        line,
        fc.integer({ min: 1, max: 40 }),
        async (lines, torn, size) => {
          writeFileSync(path, lines.map((text) => `${text}\n`).join('') + torn)
          expect(await read([path], size)).toEqual(lines.filter(Boolean).reverse())
        },
      ),
      { numRuns: runsOf(200) },
    )
  })

  it('reads the file, then its backup', async () => {
    const path = join(tempDirectory(), 'a.jsonl')
    writeFileSync(`${path}.1`, 'one\ntwo\n')
    writeFileSync(path, 'three\nfour\n')
    expect(await read(withBackup(path))).toEqual(['four', 'three', 'two', 'one'])
  })

  it('gives nothing twice of a file that becomes the backup meanwhile', async () => {
    const path = join(tempDirectory(), 'a.jsonl')
    writeFileSync(path, 'one\ntwo\n')
    const lines: string[] = []
    for await (const chunk of linesBackwards(withBackup(path), 4)) {
      if (lines.length === 0) {
        renameSync(path, `${path}.1`)
        appendFileSync(path, 'three\n')
      }
      lines.push(...chunk)
    }
    expect(lines).toEqual(['two', 'one'])
  })

  it('counts absent files as empty', async () => {
    expect(await read(withBackup(join(tempDirectory(), 'none.jsonl')))).toEqual([])
  })
})
