// Files of older and newer versions, while processes of both write them.
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { checkedBy } from '../../src/stores/json-decode.ts'
import { createJsonFile, type JsonFile } from '../../src/stores/json-file.ts'
import { bundleChild, runChild, startChild } from './child-program.ts'

const program = `
  import { createRequire, syncBuiltinESMExports } from 'node:module'
  import fs from 'node:fs/promises'
  import { join } from 'node:path'
  import { createJsonFile } from './json-file.ts'
  const [directory, version, rounds, dieBefore] = process.argv.slice(2)
  // The writer is killed at the moment when it would rename its new content over this file.
  const rename = fs.rename
  fs.rename = async (from, to) => {
    if (dieBefore !== undefined && to.endsWith(dieBefore)) process.kill(process.pid, 'SIGKILL')
    return rename(from, to)
  }
  const isNew = version === '2'
  const file = createJsonFile({
    path: join(directory, 'count.json'),
    parse: (value) => {
      if (typeof value[isNew ? 'total' : 'count'] !== 'number') throw new Error('has no count')
      return value
    },
    defaults: isNew ? { total: 0 } : { count: 0 },
    version: Number(version),
    migrate: isNew ? [({ count, ...rest }) => ({ ...rest, total: count })] : [],
  })
  const next = isNew
    ? (content) => ({ ...content, total: content.total + 1 })
    : (content) => ({ ...content, count: content.count + 1 })
  async function main() {
    let made = 0
    let refused = ''
    while (made < Number(rounds) && refused === '') {
      await file.update(next).then(() => made++, (error) => { refused = error.code })
    }
    process.stdout.write(JSON.stringify({ made, refused }))
  }
  void main()
`

describe('between two processes', () => {
  test.each([
    ['before the backup is there', 'count.json.v1', false],
    ['between the backup and the write', 'count.json', true],
  ])(
    'a writer that is killed %s leaves the old file, and the next one migrates it',
    async (_when, dieBefore, kept) => {
      const directory = tempDirectory()
      const child = await bundleChild(directory, program)
      const config = join(directory, 'config')
      mkdirSync(config)
      const path = join(config, 'count.json')
      writeFileSync(path, '{"count": 7}')
      const killed = startChild(child, [config, '2', '1', dieBefore])
      const [, signal] = await once(killed, 'exit')
      expect(signal).toBe('SIGKILL')
      expect(readFileSync(path, 'utf8')).toBe('{"count": 7}')
      expect(existsSync(`${path}.v1`)).toBe(kept)
      expect(JSON.parse(await runChild(child, [config, '2', '1']))).toEqual({ made: 1, refused: '' })
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 2, total: 8 })
      expect(readFileSync(`${path}.v1`, 'utf8')).toBe('{"count": 7}')
    },
    60_000,
  )

  test('of different versions nothing is lost: the old one goes on until the new one writes, then it is refused', async () => {
    const directory = tempDirectory()
    const child = await bundleChild(directory, program)
    const config = join(directory, 'config')
    mkdirSync(config)
    const path = join(config, 'count.json')
    const older = runChild(child, [config, '1', '1000000'])
    const seen: JsonFile<{ readonly count: number }> = createJsonFile({
      path,
      parse: checkedBy(z.looseObject({ count: z.number() })),
      defaults: { count: 0 },
    })
    await new Promise<void>((resolve) => {
      const stop = seen.watch(() => {
        if (seen.read().count < 5) return
        stop()
        resolve()
      })
    })
    const newer = await runChild(child, [config, '2', '50'])
    const [before, after] = [JSON.parse(await older), JSON.parse(newer)]
    expect(after).toEqual({ made: 50, refused: '' })
    expect(before.refused).toBe('store-newer')
    expect(before.made).toBeGreaterThanOrEqual(5)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 2, total: before.made + 50 })
    expect(JSON.parse(readFileSync(`${path}.v1`, 'utf8'))).toEqual({ count: before.made })
  }, 60_000)
})
