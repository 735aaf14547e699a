import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { configDirectory, prepareDirectory } from '../../src/stores/directory.ts'

const modeOf = (path: string): number => statSync(path).mode & 0o7777

test.each([
  [{}, join(homedir(), '.hookline')],
  [{ HOOKLINE_CONFIG_DIR: '' }, join(homedir(), '.hookline')],
  [{ HOOKLINE_CONFIG_DIR: '/srv/hooks' }, '/srv/hooks'],
  [{ HOOKLINE_CONFIG_DIR: 'here' }, resolve('here')],
])('%j means %s', (env, directory) => {
  expect(configDirectory(env)).toBe(directory)
})

test.each([0o000, 0o022, 0o077, 0o277])('is made with mode 0700 under umask %o', (mask) => {
  const path = join(tempDirectory(), 'config')
  const before = process.umask(mask)
  onTestFinished(() => {
    process.umask(before)
  })
  prepareDirectory(path)
  expect(modeOf(path)).toBe(0o700)
})

test.each([0o777, 0o755, 0o750, 0o500])('is set to 0700 when it has mode %o', (mode) => {
  const path = join(tempDirectory(), 'config')
  mkdirSync(path)
  chmodSync(path, mode)
  prepareDirectory(path)
  expect(modeOf(path)).toBe(0o700)
})

test('that all users share is refused and left alone', () => {
  const path = join(tempDirectory(), 'shared')
  mkdirSync(path)
  chmodSync(path, 0o1777)
  expect(() => prepareDirectory(path)).toThrow(
    expect.objectContaining({ code: 'store-write-failed', message: `${path} is shared with other users` }),
  )
  expect(modeOf(path)).toBe(0o1777)
})

test('that is a file is refused', () => {
  const path = join(tempDirectory(), 'config')
  writeFileSync(path, '')
  expect(() => prepareDirectory(path)).toThrow(
    expect.objectContaining({ code: 'store-write-failed', hint: expect.stringContaining('HOOKLINE_CONFIG_DIR') }),
  )
})

test.each(['/proc/x', '/proc/x/y'])(
  'that cannot be made is refused, where the system says that nothing is there: %s',
  (path) => {
    expect(() => prepareDirectory(path)).toThrow(
      expect.objectContaining({
        code: 'store-write-failed',
        message: expect.stringContaining('nothing can be made in /proc'),
      }),
    )
  },
)

test('of another user is refused and left alone, also for root', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can give a directory away')
  const path = join(tempDirectory(), 'theirs')
  mkdirSync(path)
  chownSync(path, 65_534, 65_534)
  chmodSync(path, 0o755)
  expect(() => prepareDirectory(path)).toThrow(
    expect.objectContaining({ code: 'store-write-failed', message: `${path} belongs to another user (uid 65534)` }),
  )
  expect(modeOf(path)).toBe(0o755)
})

test('may be a link', () => {
  const target = join(tempDirectory(), 'target')
  mkdirSync(target)
  const path = join(tempDirectory(), 'link')
  symlinkSync(target, path)
  prepareDirectory(path)
  expect(modeOf(target)).toBe(0o700)
})
