import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

describe('symbol', () => {
  it('shows the focus and keeps a new one in config.json', async () => {
    const session = await createSession()
    expect(await session.run('symbol')).toEqual(['print BTCUSDT 65,000.0'])
    expect(await session.run('symbol ethusdt')).toEqual(['print ETHUSDT 3,000.00'])
    expect(session.ports.config.read().defaultSymbol).toBe('ETHUSDT')
  })

  it.each(['symbol NOPE', 'symbol BTCX', 'symbol BTCUSDT,ETHUSDT', 'symbol BTCUSDT ETHUSDT', 'symbol $5'])(
    'refuses `%s` and keeps the focus',
    async (line) => {
      const session = await createSession()
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error /)])
      expect(session.ports.config.read().defaultSymbol).toBe('BTCUSDT')
    },
  )
})
