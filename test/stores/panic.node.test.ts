// `panic.json`: off where there is none, on where it cannot be read, and on at once in the process that says so.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openPanicStore } from '../../src/stores/panic.ts'

function open(content?: string) {
  const directory = tempDirectory()
  const path = join(directory, 'panic.json')
  if (content !== undefined) writeFileSync(path, content)
  return { directory, path, panic: openPanicStore(directory, () => 7), other: () => openPanicStore(directory) }
}

it('is off where there is no file', () => {
  expect(open().panic.read()).toBeUndefined()
})

it('is on at once for who says so, and for everyone else when it is saved; a second one changes nothing', async () => {
  const { panic, other } = open()
  const saved = panic.begin('the terminal')
  const on = { since: 7, by: 'the terminal', pid: process.pid }
  expect(panic.readOncePerTurn()).toEqual(on)
  await saved
  expect(other().read()).toEqual(on)
  await other().begin('hook dip')
  expect(panic.read()).toEqual(on)
})

it('ends for everyone, and says what has ended', async () => {
  const { panic, other, path } = open('{"since":5,"by":"hook dip","pid":3,"note":"mine"}')
  expect(await panic.end()).toEqual({ since: 5, by: 'hook dip', pid: 3 })
  expect([panic.read(), other().read()]).toEqual([undefined, undefined])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ note: 'mine', pid: process.pid, last: { since: 5 } })
  expect(await panic.end()).toBeUndefined()
})

test.each(['', '{', 'null', '[]', '{"since":"yes"}', '{"since":-1}', '{"since":1,"by":7}'])(
  'a file of %j counts as on, and can be ended',
  async (content) => {
    const { panic, other } = open(content)
    expect(panic.read()).toMatchObject({ since: 0, by: expect.stringContaining('cannot be read') })
    expect(panic.problem()).toBeDefined()
    await panic.begin('the terminal')
    await panic.end()
    expect([panic.read(), other().read()]).toEqual([undefined, undefined])
  },
)

it('holds in its own process though it cannot be saved', async () => {
  const { directory, panic } = open()
  rmSync(directory, { recursive: true })
  await expect(panic.begin('the terminal')).rejects.toMatchObject({ code: 'store-write-failed' })
  expect(panic.read()).toMatchObject({ by: 'the terminal' })
})

it('is on at the first look at a file that went bad while nothing was asked of it', () => {
  const { path, panic } = open('{"last":{"since":5}}')
  expect(panic.read()).toBeUndefined()
  writeFileSync(path, '{"la')
  expect(panic.read()).toMatchObject({ by: expect.stringContaining('cannot be read') })
})
