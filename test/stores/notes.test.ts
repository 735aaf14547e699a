// `notes.jsonl`: what people note of their orders, kept for every process that shares the directory.
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { faultOfNote, isTag, type NoteLine, openNoteStore, tagsOf } from '../../src/stores/notes.ts'

const LINE: NoteLine = { at: 1, account: 'paper', symbol: 'BTCUSDT', orderId: 'p1', note: 'late', source: 'repl' }

function open(directory: string) {
  const store = openNoteStore(directory)
  onTestFinished(() => store.close())
  return store
}

it('is read by another process, by account, and is private', async () => {
  const directory = tempDirectory()
  const [first, second] = [open(directory), open(directory)]
  await first.add(LINE)
  await second.add({ ...LINE, account: 'swing', note: 'other' })
  await first.add({ ...LINE, at: 2, tags: ['fomo'] })
  expect(await second.read('paper')).toEqual([LINE, { ...LINE, at: 2, tags: ['fomo'] }])
  expect(await open(directory).read('swing')).toMatchObject([{ note: 'other' }])
  expect(statSync(join(directory, 'notes.jsonl')).mode & 0o777).toBe(0o600)
})

it('adds no more than there may be, and loses none for it', async () => {
  const directory = tempDirectory()
  const store = open(directory)
  await store.add(LINE, 2)
  await store.add(LINE, 2)
  await expect(store.add(LINE, 2)).rejects.toMatchObject({ code: 'too-many' })
  expect(await store.read('paper')).toHaveLength(2)
})

it('skips what is no line of it, and what could not have been typed', async () => {
  const directory = tempDirectory()
  const store = open(directory)
  await store.add(LINE)
  const strange = { ...LINE, note: 'a\u001b[31m', tags: ['ok', 'NO', 7].filter((each) => typeof each === 'string') }
  appendFileSync(join(directory, 'notes.jsonl'), `{"at":1\n[]\n${JSON.stringify(strange)}\n`)
  const { note: _, ...bare } = LINE
  expect(await store.read('paper')).toEqual([LINE, { ...bare, tags: ['ok'] }])
  expect(readFileSync(join(directory, 'notes.jsonl'), 'utf8')).toContain('{"at":1\n')
})

it.each(['breakout', 'a-1', 'x'.repeat(32)])('%s is a tag', (text) => expect(isTag(text)).toBe(true))
it.each(['', 'A', 'a b', 'a_b', 'é', 'x'.repeat(33), '#a', 'a\n', 7, undefined])('%s is none', (text) => {
  expect(isTag(text)).toBe(false)
})

it('keeps each tag once, and eight of them', () => {
  expect(tagsOf(['a', 'a', 'B', 'b'])).toEqual(['a', 'b'])
  expect(tagsOf('abcdefghij'.split(''))).toHaveLength(8)
  expect(tagsOf('a')).toEqual([])
})

it.each([
  ['', 'the note is empty'],
  ['  ', 'the note is empty'],
  ['x'.repeat(301), 'the note has 301 characters, at most 300 are allowed'],
  ['a\u0000', 'the note has control characters'],
  ['a\u202eb', 'the note has control characters'],
  ['a\u2028b', 'the note has control characters'],
  ['x'.repeat(300), undefined],
  ['spät eingestiegen 🙈', undefined],
])('%j: %s', (text, fault) => expect(faultOfNote(text)).toBe(fault))
