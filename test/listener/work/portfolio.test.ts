import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSession } from '../../../harness/commands/command-session.ts'
import { ANSWER_MS, PortfolioSource } from '../../../src/listener/topics/portfolio.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

async function start() {
  const session = await createSession()
  await session.run('account add slow paper')
  const asked: string[] = []
  const source = new PortfolioSource({
    services: session.ports,
    connect(name) {
      asked.push(name)
      return name === 'slow' ? new Promise(() => {}) : session.connect(name)
    },
    hasSubscribers: () => true,
    onBug(error) {
      throw error
    },
  })
  const stop = source.watch(() => {})
  return { session, source, asked, stop }
}

describe('a venue that never answers', () => {
  it('is told of after ten seconds, and asked no second time meanwhile', async () => {
    const { session, source, asked, stop } = await start()
    await session.run('account use slow')
    for (let seconds = 0; seconds < 30; seconds++) {
      await vi.advanceTimersByTimeAsync(ANSWER_MS / 10)
      if (seconds === 8) expect(source.problem()).toBeUndefined()
    }
    expect(source.problem()).toBe('account slow does not answer')
    expect(asked).toEqual(['slow'])
    stop()
  })

  it('is not told of an account that is being asked when its symbol changes', async () => {
    const { session, source, stop } = await start()
    source.snapshot()
    const problems: (string | undefined)[] = []
    source.watchProblem(() => problems.push(source.problem()))
    await session.ports.focus.set({ symbol: 'ETHUSDT' })
    await session.settle()
    expect(source.snapshot()).toMatchObject({ account: 'paper', symbol: 'ETHUSDT' })
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
    stop()
  })

  it('does not keep the next account in focus waiting', async () => {
    const { session, source, stop } = await start()
    await session.run('account use slow')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(source.snapshot()).toBeUndefined()
    await session.run('account use paper')
    await session.settle()
    expect(source.snapshot()).toMatchObject({ account: 'paper' })
    expect(source.problem()).toBeUndefined()
    stop()
  })
})
