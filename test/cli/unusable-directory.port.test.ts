// A config directory that cannot be used: one line that says why and what to do, and exit status 1.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, type Ended, run } from '../../harness/process/hookline.ts'

const WAYS_TO_START = [[], ['--strict'], ['listen'], ['exec', 'echo one'], ['hook', 'list']]

function expectOneClearLine({ stdout, stderr, code }: Ended, directory: string): void {
  expect(stderr).toMatch(/^error: hookline cannot start: [^\n]+\n$/)
  expect(stderr).toContain(directory)
  expect(stderr).toContain('set HOOKLINE_CONFIG_DIR to a directory of your own')
  expect([stdout, code]).toEqual(['', 1])
}

describe.each(WAYS_TO_START)('hookline %s %s', (...args) => {
  const argv = args.filter((arg) => arg !== undefined)

  it('refuses a HOOKLINE_CONFIG_DIR that is a file', async () => {
    const file = join(tempDirectory(), 'file')
    writeFileSync(file, '')
    expectOneClearLine(await run(file, argv), file)
  })

  it('refuses one that cannot be made', async () => {
    const file = join(tempDirectory(), 'file')
    writeFileSync(file, '')
    expectOneClearLine(await run(join(file, 'below'), argv), file)
  })

  it('refuses one that all users share', async () => {
    const directory = tempDirectory()
    chmodSync(directory, 0o1777)
    expectOneClearLine(await run(directory, argv), directory)
  })

  it('refuses one that belongs to somebody else', async ({ skip }) => {
    // Root may do everything, so that test drops its rights first; for others, `/` is somebody else's.
    const isRoot = process.getuid?.() === 0
    const mayDrop = spawnSync(process.execPath, ['-e', ''], { uid: NOBODY }).status === 0
    skip(isRoot && !mayDrop, 'this root cannot become another user here')
    expectOneClearLine(await run('/', argv, isRoot ? { uid: NOBODY, binary: readableBinary() } : {}), '/')
  })
})

const NOBODY = 65_534

/** The work tree may be closed to other users. */
function readableBinary(): string {
  const directory = tempDirectory()
  // Without the code cache: it starts without it too.
  for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(dirname(BINARY), file), join(directory, file))
  chmodSync(directory, 0o755)
  return join(directory, 'hookline.cjs')
}

describe('hookline hook --json', () => {
  it('tells of an unusable directory as JSON', async () => {
    const file = join(tempDirectory(), 'file')
    writeFileSync(file, '')
    const { stdout, stderr, code } = await run(file, ['hook', 'list', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'store-write-failed' } })
    expect([stderr, code]).toEqual(['', 1])
  })
})
