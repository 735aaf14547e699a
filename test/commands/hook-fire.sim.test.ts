import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { FireOutcome } from '../../src/commands/kit/ports.ts'

const ALERT = 'hook create alert "buy {size:usd<=500} BTCUSDT"'

async function firing(outcome: FireOutcome | undefined) {
  const asked: [string, string][] = []
  const session = await createSession({
    fireHook: async ({ name }, body) => {
      asked.push([name, body])
      return outcome
    },
  })
  await session.run(ALERT)
  return { session, asked }
}

describe('hook fire', () => {
  it('hands over what the alert says, and tells which run it became', async () => {
    const { session, asked } = await firing({ runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90' })
    expect(await session.run('hook fire alert size=250', { source: 'web' })).toEqual([
      'success fired hook alert: `runs show 5a0e81c2` shows the result',
    ])
    expect(asked).toEqual([['alert', 'size=250']])
  })

  it('fails where it is refused, and where this process does not listen', async () => {
    const refused = await firing({ why: 'bad alert: size `501` is above 500' })
    expect((await refused.session.run('hook fire alert size=501')).at(-1)).toBe(
      'error not-fired: hook alert was not fired: bad alert: size `501` is above 500',
    )
    const deaf = await firing(undefined)
    expect((await deaf.session.run('hook fire alert size=5')).at(-1)).toMatch(
      /^error not-fired: hook alert was not fired: this hookline does not listen \| type it in the hookline that holds the port/,
    )
  })

  it.each(['repl', 'exec', 'web'] as const)('that never began fails with the reason, from %s', async (source) => {
    const { session } = await firing({
      runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90',
      unbegun: { why: 'BTCUSDT is long' },
    })
    expect(await session.run('hook fire alert size=250', { source })).toEqual([
      'error not-fired: hook alert did not run: BTCUSDT is long',
    ])
  })

  it('that a limit skips fails with a code of its own', async () => {
    const { session } = await firing({ runId: 'x', unbegun: { why: 'BTCUSDT is long', isSkipped: true } })
    expect(await session.run('hook fire alert size=250')).toEqual([
      'error fire-skipped: hook alert did not run: BTCUSDT is long',
    ])
  })

  it('stays out of hooks, where two could fire each other for ever', async () => {
    const { session, asked } = await firing({ runId: 'x' })
    const [line] = await session.run('hook create echo "hook fire alert size=5"')
    expect(line).toMatch(/^error bad-argument: `hook fire` runs only by hand, not from hooks/)
    expect((await session.run('hook fire alert size=5', { source: 'hook' })).at(-1)).toMatch(/not from hooks/)
    expect(asked).toEqual([])
  })
})
