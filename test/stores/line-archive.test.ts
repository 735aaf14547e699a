import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openLineArchive } from '../../src/stores/paper-state.ts'

function open(maxBytes = 1000) {
  const path = join(tempDirectory(), 'old.jsonl')
  return { path, archive: openLineArchive({ path, maxBytes }), another: openLineArchive({ path, maxBytes }) }
}

describe('a line archive', () => {
  test('touches nothing before something is added, and is private', async () => {
    const { path, archive } = open()
    expect(archive.readNew()).toEqual([])
    expect(existsSync(path)).toBe(false)
    await archive.append(['a'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('gives each line once, whoever added it', async () => {
    const { archive, another } = open()
    await archive.append(['a', 'b'])
    expect(another.readNew()).toEqual(['a', 'b'])
    await another.append(['c'])
    await archive.append(['d'])
    expect(another.readNew()).toEqual(['c', 'd'])
    expect(another.readNew()).toEqual([])
    expect(archive.readNew()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('loses no line of many that are added at once', async () => {
    const { archive, another } = open(100_000)
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`)
    await Promise.all(lines.map((line, index) => (index % 2 === 0 ? archive : another).append([line])))
    expect([...archive.readNew()].sort()).toEqual([...lines].sort())
  })

  test('keeps one backup, and a reader goes on from it', async () => {
    const { path, archive, another } = open(100)
    const line = (name: string) => name.repeat(40)
    await archive.append([line('a')])
    expect(another.readNew()).toEqual([line('a')])
    await archive.append([line('b')])
    await archive.append([line('c')])
    expect(readFileSync(`${path}.1`, 'utf8')).toContain(line('b'))
    expect(another.readNew()).toEqual([line('b'), line('c')])
    expect(openLineArchive({ path, maxBytes: 100 }).readNew()).toEqual([line('a'), line('b'), line('c')])
    await archive.append([line('d'), line('e')])
    await archive.append([line('f')])
    expect(readdirSync(join(path, '..')).sort()).toEqual(['old.jsonl', 'old.jsonl.1'])
    expect(openLineArchive({ path, maxBytes: 100 }).readNew()).toEqual([line('d'), line('e'), line('f')])
  })

  test('reads a line when it is whole, and goes on after one that never became it', async () => {
    const { path, archive, another } = open()
    await archive.append(['a'])
    appendFileSync(path, 'half of ')
    expect(another.readNew()).toEqual(['a'])
    await archive.append(['b'])
    expect(another.readNew()).toEqual(['half of ', 'b'])
  })

  test('says why when nothing can be added', async () => {
    const path = join(tempDirectory(), 'missing', 'old.jsonl')
    await expect(openLineArchive({ path, maxBytes: 100 }).append(['a'])).rejects.toMatchObject({
      code: 'store-write-failed',
    })
  })
})
