// SECURITY.md promises tests by name: every name exists, in the file it is said to be in, and so does every file of a defence.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const document = readFileSync('SECURITY.md', 'utf8')
const rows = document
  .split('\n')
  .filter((line) => /^\| T\d+/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe('SECURITY.md', () => {
  it('has a row for each threat, with promise, defence, test and figure', () => {
    expect(rows.length).toBeGreaterThanOrEqual(20)
    for (const row of rows) {
      expect(row).toHaveLength(8)
      expect(row.slice(1, -1)).not.toContain('')
    }
  })

  it.each(rows.map((row) => [row[1] ?? '', row[4] ?? '']))('%s names files that exist', (_threat, defence) => {
    const files = [...defence.matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)].map((match) => match[1] ?? '')
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !existsSync(`src/${file}`))).toEqual([])
  })

  it.each(rows.map((row) => [row[1] ?? '', row[5] ?? '']))('%s names tests that exist', (_threat, tests) => {
    const named = [...tests.matchAll(/`((?:test|e2e)\/[\w./-]+\.ts)`: ([^;]+)/g)]
    expect(named.length).toBeGreaterThan(0)
    for (const [, file = '', title = ''] of named) {
      // Titles with a %s stand in the source as they stand here.
      expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title.trim())
    }
  })
})
