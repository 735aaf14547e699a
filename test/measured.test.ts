// What the papers say was measured is what the last runs wrote down.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { measuredPage, PAGE, readMeasured, SECURITY, short, withVerdicts } from '../scripts/measured.mjs'

const read = (path: string) => readFileSync(path, 'utf8')
const measured = readMeasured()
const { bench, faults, fuzz } = measured

describe('docs/measured.md', () => {
  it('is what `npm run measured` writes', () => {
    expect(read(PAGE)).toBe(measuredPage(measured))
    expect(existsSync('docs/growth.svg')).toBe(true)
  })

  it('has every scenario of the list, and none that fails', () => {
    const numbers = new Set(faults.rows.map(({ number }) => number))
    const list = Array.from({ length: 46 }, (_, index) => String(index + 1))
    expect(list.filter((number) => !numbers.has(number))).toEqual([])
    expect(faults.rows.filter(({ verdict }) => verdict === 'FAILS')).toEqual([])
  })

  it('says of every row that falls short, or was left out, why', () => {
    const unexplained = [...faults.rows, ...bench.rows].filter(({ verdict, reason }) => verdict !== 'holds' && !reason)
    expect(unexplained).toEqual([])
  })

  it('says of every room whose code falls short of 80 % why', () => {
    const rooms = Object.values(measured.mutation.rooms)
    expect(rooms.length).toBeGreaterThan(0)
    expect(rooms.filter(({ killed, of, reason }) => killed < 0.8 * of && !reason)).toEqual([])
  })

  it('has no crash of the fuzzer that is still one', () => {
    expect(fuzz.rows.length).toBeGreaterThan(5)
    expect(fuzz.rows.filter(({ crashes }) => crashes.length > 0)).toEqual([])
  })
})

describe('the verdicts of SECURITY.md', () => {
  it('are those of the last `npm run faults`, each a link to its row', () => {
    expect(read(SECURITY)).toBe(withVerdicts(read(SECURITY), faults.rows))
    const linked = [...read(SECURITY).matchAll(/\(docs\/measured\.md#([\w-]+)\)/g)].map(([, anchor = '']) => anchor)
    expect(linked.length).toBeGreaterThan(26)
    expect(linked.filter((anchor) => !read(PAGE).includes(`<a id="${anchor}"></a>`))).toEqual([])
  })

  it('tell of a scenario that does not hold', () => {
    const row = { title: '', wanted: '', reason: '' }
    const rows = [
      { ...row, number: '7', verdict: 'holds' },
      { ...row, number: '7', verdict: 'FALLS SHORT' },
    ]
    expect(withVerdicts('| T1 | a | b | c | d | #7 |', rows)).toBe(
      '| T1 | a | b | c | d | [#7](docs/measured.md#7) **falls short** |',
    )
    expect(() => withVerdicts('| T1 | a | b | c | d | #8 |', rows)).toThrow('names scenario 8')
  })
})

describe('the figures of README.md', () => {
  const section = /^## What was measured\n(.*?)^## /ms.exec(read('README.md'))?.[1] ?? ''
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| `(npm run .+?)` \|$/gm)].map((match) => match.slice(1, 4))

  it('are three, each with the command that made it', () => {
    const { scripts } = JSON.parse(read('package.json'))
    expect(rows).toHaveLength(3)
    for (const [, , command = ''] of rows) expect(Object.keys(scripts)).toContain(command.split(' ')[2])
  })

  it.each(rows)('%s: %s', (what, figure) => {
    const claim = bench.rows.find((row) => row.claim === what)
    const fault = faults.rows.find((row) => row.title === what)
    expect(figure).toBe(claim?.got ? short(claim.got.median) : fault?.finding?.got)
  })
})
