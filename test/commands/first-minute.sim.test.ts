// What a newcomer types first goes through as it stands: none of these lines asks anything, wherever the practice market is.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')

async function firstLines(): Promise<readonly (readonly string[])[]> {
  const [, block = ''] = /^## Five minutes\n[^#]*?^```hookline\n([\s\S]*?)^```$/m.exec(readme) ?? []
  const [, lead = ''] = /by intent \(`([^`]+)`\)/.exec(readme) ?? []
  const help = (await (await createSession()).run('help')).join('\n')
  const [, first = '', second = '', last = ''] = /Try `([^`]+)`, then `([^`]+)`; `([^`]+)` ends it/.exec(help) ?? []
  return [block.trim().split('\n'), [lead], [first, second, last]]
}

describe("a newcomer's first lines", () => {
  it.each(['50000', '53999', '58400', '63100', '65000', '68345', '71999', '80000'])(
    'ask nothing at %s',
    async (price) => {
      for (const lines of await firstLines()) {
        expect(lines.join(' ')).toMatch(/buy \$/)
        const { terminal, asked } = deciding([])
        const session = await createSession({ terminal, prices: { BTCUSDT: price } })
        const output: string[] = []
        for (const line of lines) output.push(...(await session.run(line)))
        expect(asked).toEqual([])
        expect(output.filter((line) => line.startsWith('error'))).toEqual([])
      }
    },
  )
})
