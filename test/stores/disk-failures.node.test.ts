// A disk that refuses to write: the old content stands and serves, and the error says why and what to do.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { bundleChild, runChild } from './child-program.ts'
import { increment, openCounter } from './counter-file.ts'

/** A disk of 64 KiB of the test's own; skips where mounting is not permitted. */
function tinyDisk(context: TestContext): string {
  const directory = tempDirectory()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    context.skip('mounting a file system is not permitted here')
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory])
  })
  return directory
}

function fillUp(directory: string): string {
  const path = join(directory, 'ballast')
  const handle = openSync(path, 'w')
  try {
    for (;;) writeSync(handle, Buffer.alloc(4_096))
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  } finally {
    closeSync(handle)
  }
  return path
}

test('a full disk keeps the old content, and is written to again when there is space', async (context) => {
  const directory = tinyDisk(context)
  const file = openCounter(directory)
  await file.update(increment)
  const before = readFileSync(file.path, 'utf8')
  const ballast = fillUp(directory)
  await expect(file.update(increment)).rejects.toMatchObject({
    code: 'store-write-failed',
    message: 'cannot write counter.json: the disk is full (ENOSPC)',
    hint: 'free some space and try again',
    cause: expect.objectContaining({ code: 'ENOSPC' }),
  })
  expect(readFileSync(file.path, 'utf8')).toBe(before)
  expect(file.read().count).toBe(1)
  expect(file.problem()).toBeUndefined()
  expect(readdirSync(directory).sort()).toEqual(['ballast', 'counter.json'])
  unlinkSync(ballast)
  await expect(file.update(increment)).resolves.toEqual({ count: 2 })
})

test('a read-only disk is read, and an update says why it fails', async (context) => {
  const directory = tinyDisk(context)
  const file = openCounter(directory)
  await file.update(increment)
  execFileSync('mount', ['-o', 'remount,ro', directory])
  await expect(file.update(increment)).rejects.toMatchObject({
    code: 'store-write-failed',
    message: 'cannot write counter.json: the file system is read-only (EROFS)',
    cause: expect.objectContaining({ code: 'EROFS' }),
  })
  expect(file.read().count).toBe(1)
})

describe('without permission', () => {
  const program = `
    import { openConfigStore } from './config.ts'
    const config = openConfigStore(process.argv[2])
    async function main() {
      const { defaultSymbol, listener } = config.read()
      const error = await config.focus({ symbol: 'ETHUSDT' }).catch((error) => error)
      const { code, message, cause } = error ?? {}
      const problem = config.problem()?.message
      console.log(JSON.stringify({ defaultSymbol, enabled: listener.enabled, code, message, cause: cause?.code, problem }))
    }
    void main()
  `
  let directory: string
  /** Root may do everything: the program then runs as nobody. */
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

  beforeEach(() => {
    directory = tempDirectory()
    chmodSync(directory, 0o755)
  })

  async function runIn(config: string): Promise<unknown> {
    return JSON.parse(await runChild(await bundleChild(directory, program), [config], asNobody))
  }

  test('to write the directory, the file is read, and an update says why it fails', async () => {
    const config = join(directory, 'config')
    mkdirSync(config)
    writeFileSync(join(config, 'config.json'), '{"defaultSymbol":"SOLUSDT"}', { mode: 0o644 })
    chmodSync(config, 0o555)
    expect(await runIn(config)).toEqual({
      defaultSymbol: 'SOLUSDT',
      enabled: true,
      code: 'store-write-failed',
      message: 'cannot write config.json: permission denied (EACCES)',
      cause: 'EACCES',
    })
    chmodSync(config, 0o755)
  })

  test('to read the file, the problem says so and the flags fail closed', async () => {
    const config = join(directory, 'config')
    mkdirSync(config)
    writeFileSync(join(config, 'config.json'), '{"defaultSymbol":"SOLUSDT"}')
    chmodSync(join(config, 'config.json'), 0o000)
    chmodSync(config, 0o777)
    expect(await runIn(config)).toMatchObject({
      defaultSymbol: 'BTCUSDT',
      enabled: false,
      code: 'store-corrupt',
      problem: 'cannot be read: permission denied (EACCES)',
    })
  })
})
