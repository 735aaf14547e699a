import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { beginReplacement } from '../../src/stores/atomic-write.ts'
import { bundleChild, startChild } from './child-program.ts'
import { increment, openCounter } from './counter-file.ts'

/** Begins a replacement, and is dead as soon as its temporary file is there. */
const dyingAfterOpen = `
  const promises = require('node:fs/promises')
  const { open } = promises
  promises.open = async (...args) => {
    await open(...args)
    process.kill(process.pid, 'SIGKILL')
  }
  const { beginReplacement } = require('./atomic-write.ts')
  void beginReplacement(process.argv[2] + '/counter.json')
`

const modeOf = (path: string): number => statSync(path).mode & 0o777

function setUmask(mask: number): void {
  const before = process.umask(mask)
  onTestFinished(() => {
    process.umask(before)
  })
}

test.each([0o000, 0o077, 0o277])('writes files of mode 0600 under umask %o', async (mask) => {
  const file = openCounter(tempDirectory())
  setUmask(mask)
  await file.update(increment)
  expect(modeOf(file.path)).toBe(0o600)
})

test('tightens a file that was readable by others', async () => {
  const file = openCounter(tempDirectory())
  writeFileSync(file.path, '{"count":1}', { mode: 0o644 })
  await file.update(increment)
  expect(modeOf(file.path)).toBe(0o600)
})

describe('a linked file', () => {
  test('is written at its target, and the link stays', async () => {
    const directory = tempDirectory()
    const file = openCounter(directory)
    const repository = join(directory, 'dotfiles')
    mkdirSync(repository)
    writeFileSync(join(repository, 'mine.json'), '{"count":1}')
    symlinkSync('dotfiles/mine.json', file.path)
    await file.update(increment)
    expect(lstatSync(file.path).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(repository, 'mine.json'), 'utf8'))).toEqual({ count: 2 })
    expect(readdirSync(repository)).toEqual(['mine.json'])
  })

  test('is not made where a dangling link points: what was there is not known', async () => {
    const directory = tempDirectory()
    const file = openCounter(directory)
    symlinkSync('later.json', file.path)
    await expect(file.update(increment)).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readdirSync(directory)).toEqual(['counter.json'])
  })
})

describe('temporary files', () => {
  const leftover = '.counter.json.0123456789abcdef.tmp'

  test('of crashed writers go with the next update, those of other files stay', async () => {
    const directory = tempDirectory()
    const others = ['.counter.json.txt', '.counters.json.0123456789abcdef.tmp', 'counter.json.tmp']
    for (const name of [leftover, ...others]) writeFileSync(join(directory, name), '')
    await openCounter(directory).update(increment)
    expect(readdirSync(directory).sort()).toEqual([...others, 'counter.json'].sort())
  })

  test('do not pile up when one process after another dies before its first write', async () => {
    const directory = tempDirectory()
    const program = await bundleChild(tempDirectory(), dyingAfterOpen)
    for (let death = 0; death < 3; death++) {
      const [, signal] = await once(startChild(program, [directory]), 'exit')
      expect(signal).toBe('SIGKILL')
      expect(readdirSync(directory)).toHaveLength(1)
    }
  })

  test('are gone after an update that failed', async () => {
    const directory = tempDirectory()
    const failed = openCounter(directory).update(() => {
      throw new RangeError('no')
    })
    await expect(failed).rejects.toThrow(RangeError)
    expect(readdirSync(directory)).toEqual([])
  })

  test('fence off a writer that was overtaken', async () => {
    const path = join(tempDirectory(), 'counter.json')
    const overtaken = await beginReplacement(path)
    const overtaking = await beginReplacement(path)
    await overtaking.commit(Buffer.from('new'))
    await expect(overtaken.commit(Buffer.from('old'))).rejects.toMatchObject({ code: 'ENOENT' })
    await overtaken.end()
    await overtaking.end()
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('are never seen under the name of the file', async () => {
    const path = join(tempDirectory(), 'counter.json')
    const replacement = await beginReplacement(path)
    expect(existsSync(path)).toBe(false)
    await replacement.end()
  })
})
