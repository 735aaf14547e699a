// Decision 42 on paper: what the copier does when what it knows may not be so any more.
import { describe, expect, it } from 'vitest'
import { copierOf, rowOf, stageCopier, withOrders } from '../../harness/cross-trade/copier-stage.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

const OTHER = rowOf({ copiers: [copierOf(), copierOf({ account: 'other' })] })

describe('stale data', () => {
  it('move no money, and the gap is read again whole', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.by('master').paper.setFaults({ gapUntil: stage.clock.now() + 10_000 })
    await stage.advance(1_000)
    await stage.trade('master', 'buy', '1')
    await stage.advance(5_000)
    expect(engine.state()).toMatchObject({ state: 'stale', why: 'master: its stream is silent' })
    expect(engine.copied()).toEqual([])
    await stage.advance(8_000)
    expect(engine.copied()).toEqual(['buy 1'])
    expect(engine.state()).toMatchObject({ state: 'in-step' })
  })

  it('of a copier let nothing be traded on it, and the others go on', async () => {
    const stage = stageCopier({ rows: [OTHER] })
    const engine = await stage.started()
    await stage.by('copier').paper.setFaults({ gapUntil: stage.clock.now() + 10_000 })
    await stage.advance(1_000)
    await stage.trade('master', 'buy', '1')
    await stage.advance(1_000)
    expect(engine.state()).toMatchObject({ state: 'stale', why: 'copier: its stream is silent' })
    expect(await stage.position('copier')).toBe('0')
    expect(await stage.position('other')).toBe('1')
    await stage.advance(12_000)
    expect(await stage.position('copier')).toBe('1')
  })

  it('for 15 s are told, and end the heartbeat; and then it goes on', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.by('master').paper.setFaults({ gapUntil: stage.clock.now() + 20_000 })
    await stage.advance(10_000)
    expect(engine.engine.isStale()).toBe(false)
    await stage.advance(8_000)
    expect(engine.engine.isStale()).toBe(true)
    expect(engine.told('account-stale')).toMatchObject([{ account: 'master', why: 'its stream is silent' }])
    await stage.advance(10_000)
    expect(engine.engine.isStale()).toBe(false)
    expect(engine.told('account-current')).toMatchObject([{ account: 'master' }])
  })

  it('from a question that failed are unknown, never flat', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    await stage.by('master').paper.setFaults({ lostQuestions: 1 })
    await stage.advance(60_000)
    expect(engine.copied()).toEqual(['buy 1'])
    expect(engine.state()).toMatchObject({ state: 'stale', why: 'master: the question got no answer' })
    await stage.by('master').paper.setFaults({})
    await stage.advance(20_000)
    expect(engine.state()).toMatchObject({ state: 'in-step' })
    expect(engine.copied()).toEqual(['buy 1'])
  })

  it('are believed when they are seen twice: one answer that is wrong closes nothing', async () => {
    const stage = stageCopier()
    let isWrong = false
    const engine = await stage.started({
      exchange: (paper, name) => {
        const { fetchPositions } = paper
        const once = async () => {
          if (name !== 'master' || !isWrong) return fetchPositions()
          isWrong = false
          return []
        }
        return Object.assign(withOrders(paper, paper.createOrder), { fetchPositions: once })
      },
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    isWrong = true
    await stage.advance(40_000)
    expect(isWrong).toBe(false)
    expect(engine.copied()).toEqual(['buy 1'])
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '1' })
  })
})

describe('drift', () => {
  it('of the master, of which nothing was heard, is found within half a minute', async () => {
    const stage = stageCopier()
    const engine = await stage.started({
      exchange: (paper, name) =>
        name === 'master' ? Object.assign(withOrders(paper, paper.createOrder), { subscribe: () => () => {} }) : paper,
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(1_000)
    expect(engine.copied()).toEqual([])
    await stage.advance(32_000)
    expect(engine.copied()).toEqual(['buy 1'])
  })

  it('that others caused on the copier is told once, and left alone', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(65_000)
    expect(engine.told('drift')).toEqual([])
    await stage.trade('copier', 'sell', '3')
    await stage.advance(120_000)
    expect(engine.told('drift')).toMatchObject([{ owned: '1', held: '-2' }])
    expect(engine.copied()).toEqual(['buy 1'])
    expect(await stage.position('copier')).toBe('-2')
  })
})

describe('a position that others have closed', () => {
  it.each([
    ['1', '0'],
    ['0.4', '0.6'],
    ['3', '-2'],
  ])(
    'sold by hand %s of 1: the copier says what differs, also after a restart, and nothing is traded',
    async (sold, held) => {
      const stage = stageCopier()
      const engine = await stage.started()
      await stage.trade('master', 'buy', '1')
      await stage.advance(65_000)
      expect(engine.state()).toMatchObject({ state: 'in-step' })
      await stage.trade('copier', 'sell', sold)
      await stage.advance(120_000)
      const differs = { state: 'differs', owned: '1', why: `its orders built 1, the account holds ${held}` }
      expect(engine.state()).toMatchObject(differs)
      expect(engine.copied()).toEqual(['buy 1'])
      const next = await stage.started()
      await stage.advance(120_000)
      expect(next.state()).toMatchObject(differs)
      expect(next.copied()).toEqual([])
    },
  )

  it('and opened again is in step', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(65_000)
    await stage.trade('copier', 'sell', '1')
    await stage.advance(120_000)
    expect(engine.state()).toMatchObject({ state: 'differs' })
    await stage.trade('copier', 'buy', '1')
    await stage.advance(120_000)
    expect(engine.state()).toMatchObject({ state: 'in-step' })
  })
})

describe('the lease', () => {
  it('is asked for before each order: who does not lead sends nothing', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    engine.isLeader = false
    await stage.trade('master', 'buy', '1')
    await stage.advance(40_000)
    expect(stage.sent).toEqual([])
    expect(engine.state()).toMatchObject({ state: 'stale', why: 'another process leads' })
  })

  it('is asked for again when the intent is on the disk', async () => {
    const stage = stageCopier()
    let losesLead = true
    const engine = await stage.started({
      file: (file) => ({
        ...file,
        async append(lines) {
          await file.append(lines)
          if (!losesLead || !lines.some((line) => line.includes('"intent"'))) return
          losesLead = false
          engine.isLeader = false
        },
      }),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(stage.sent).toEqual([])
    engine.isLeader = true
    await stage.advance(31_000)
    expect(await stage.position('copier')).toBe('1')
    expect(new Set(stage.sent).size).toBe(1)
  })
})

describe('a sleep of the machine', () => {
  it('is followed by reading everything again before anything is traded', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.sleep(20_000)
    expect(engine.engine.isStale()).toBe(true)
    await stage.trade('master', 'buy', '1')
    expect(stage.sent).toEqual([])
    await stage.advance(3_000)
    expect(engine.told('slept')).toMatchObject([{ ms: expect.any(Number) }])
    expect(engine.engine.isStale()).toBe(false)
    expect(await stage.position('copier')).toBe('1')
  })
})

describe('an account that is edited', () => {
  it('is asked anew before anything is sent to it', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    engine.reconnect('copier')
    await stage.trade('master', 'buy', '1')
    await stage.advance(1_500)
    expect(engine.opened('copier')).toBe(2)
    expect(engine.copied()).toEqual(['buy 1'])
    await stage.trade('copier', 'sell', '0.4')
    await stage.trade('master', 'sell', '1')
    await stage.advance(300)
    expect(engine.copied()).toEqual(['buy 1', 'sell 0.6 reduce'])
  })
})

describe('an account that is not there', () => {
  it('stops its own copier and no other', async () => {
    const stage = stageCopier({ rows: [OTHER] })
    const engine = await stage.started({
      exchange: (paper, name) => {
        if (name === 'copier') throw new ExchangeError('authentication', 'the keys are wrong')
        return paper
      },
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('other')).toBe('1')
    expect(engine.state()).toMatchObject({ state: 'stale', why: 'copier: the keys are wrong' })
  })
})
