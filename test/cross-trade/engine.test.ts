import { describe, expect, it } from 'vitest'
import { rowOf, stageCopier } from '../../harness/cross-trade/copier-stage.ts'

describe('the copier', () => {
  it('follows the master from where it was when the row was enabled', async () => {
    const stage = stageCopier()
    await stage.trade('master', 'buy', '1')
    const engine = await stage.started()
    expect(engine.copied()).toEqual([])
    await stage.trade('master', 'buy', '0.5')
    await stage.advance(200)
    expect(engine.copied()).toEqual(['buy 0.5'])
    expect(await stage.position('copier')).toBe('0.5')
    expect(engine.state()).toEqual({
      ...{ configId: rowOf().id, account: 'copier', symbol: 'BTCUSDT', state: 'in-step' },
      ...{ desired: '0.5', owned: '0.5' },
    })
    expect(engine.problems).toEqual([])
  })
})
