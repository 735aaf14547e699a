import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { HISTORY_LINES, openHistory } from '../../src/repl/history.ts'

const unexpected = () => {
  throw new Error('no problem was expected')
}

describe('the history', () => {
  it('keeps lines over a restart, oldest first', () => {
    const path = join(tempDirectory(), 'history')
    const before = openHistory(path, unexpected)
    before.add('buy $250')
    before.add('status')
    expect(openHistory(path, unexpected).lines()).toEqual(['buy $250', 'status'])
  })

  it('leaves out blank lines, repetitions and lines that begin with a space', () => {
    const path = join(tempDirectory(), 'history')
    const history = openHistory(path, unexpected)
    for (const line of ['status', 'status', '', '   ', ' secret thing', 'price', 'status']) history.add(line)
    expect(history.lines()).toEqual(['status', 'price', 'status'])
    expect(readFileSync(path, 'utf8')).toBe('status\nprice\nstatus\n')
  })

  it('keeps no keys and no tokens', () => {
    const path = join(tempDirectory(), 'history')
    const history = openHistory(path, unexpected, (line) => line.replace('the-token', '<hidden>'))
    history.add('echo the-token')
    expect([history.lines(), readFileSync(path, 'utf8')]).toEqual([['echo <hidden>'], 'echo <hidden>\n'])
  })

  it('drops the oldest lines over the cap', () => {
    const path = join(tempDirectory(), 'history')
    const all = Array.from({ length: HISTORY_LINES + 5 }, (_, index) => `echo ${index}`)
    writeFileSync(path, `${all.join('\n')}\n`)
    const history = openHistory(path, unexpected)
    history.add('youngest')
    expect(history.lines()).toHaveLength(HISTORY_LINES)
    expect(history.lines().at(0)).toBe('echo 6')
    expect(history.lines().at(-1)).toBe('youngest')
  })

  it('goes on in memory when the disk refuses, and says so once', () => {
    const path = join(tempDirectory(), 'history')
    mkdirSync(path)
    const problems: string[] = []
    const history = openHistory(path, (problem) => problems.push(problem.path))
    history.add('status')
    history.add('price')
    expect(history.lines()).toEqual(['status', 'price'])
    expect(problems).toEqual([path])
  })
})
