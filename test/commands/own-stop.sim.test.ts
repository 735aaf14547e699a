// An entry that rests and is moved past the stop or the target that goes in once it fills.
import { describe, expect, it } from 'vitest'
import { movePrice, positionsOf, restingOrders } from '../../harness/commands/account-state.ts'
import { createSession, type SessionOptions } from '../../harness/commands/command-session.ts'

const PASSED = [
  ['buy 0.01 at 64000 stop -2%', 'move p1 to 62000', 'p1 at 62,000.0 is past its own stop at 62,720.0'],
  ['buy 0.01 at 64000 stop -2%', 'amend p1 at 62720', 'p1 at 62,720.0 is past its own stop at 62,720.0'],
  ['buy 0.01 at 64000 stop -2%', 'bump p1 -2000', 'p1 at 62,000.0 is past its own stop at 62,720.0'],
  ['sell 0.01 at 66000 stop +2%', 'move p1 to 68000', 'p1 at 68,000.0 is past its own stop at 67,320.0'],
  ['buy 0.01 at 62000 tp +2%', 'move p1 to 63500', 'p1 at 63,500.0 is past its own take-profit at 63,240.0'],
  ['sell 0.01 at 68000 tp -2%', 'bump +0.5%', undefined],
  ['buy 0.01 at 64000 stop -2%', 'move p1 to 63000', undefined],
  ['buy 0.01 at 64000', 'move p1 to 60000', undefined],
] as const

async function stage(before: string, answers?: boolean[], options: SessionOptions = {}) {
  const asked: string[] = []
  const confirm = async (question: string) => {
    asked.push(question)
    return answers?.shift() ?? false
  }
  const terminal = { askHidden: async () => '', clear() {}, history: () => [], quit() {} }
  const session = await createSession({
    ...options,
    terminal: answers === undefined ? terminal : { ...terminal, confirm },
  })
  await session.run(before)
  return { session, asked }
}

describe('an entry that is moved', () => {
  it.each(PASSED)(
    'after `%s`: `%s` asks at a terminal and is refused elsewhere where it passes its own stop',
    async (before, line, passed) => {
      const { session, asked } = await stage(before, [false, true])
      const priceOf = async () => (await session.market.exchange.fetchOpenOrders())[0]?.price
      const price = await priceOf()
      const said = (await session.run(line)).join('\n')
      if (passed === undefined) {
        expect([said.includes('error'), asked]).toEqual([false, []])
        return
      }
      const sentence = `order ${passed}: what fills is closed at once`
      expect(said).toBe(
        `error bad-stop: ${sentence} | \`amend p1 ${/stop at/.test(sentence) ? 'stop' : 'tp'} <price>\` moves that first`,
      )
      expect(asked).toEqual([`${sentence}; move it? y or n >`])
      expect(await priceOf()).toBe(price)
      expect((await session.run(line)).join('\n')).toContain('success order p1 is now')
      expect(asked).toHaveLength(2)
      for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
        const other = await stage(before)
        expect((await other.session.run(line, { source })).join('\n')).toContain(sentence)
        const { errors } = await other.session.ports.preview({ command: line, source })
        expect(errors).toMatchObject([{ code: 'bad-stop', text: sentence }])
        expect((await other.session.market.exchange.fetchOpenOrders())[0]?.price).toBe(price)
      }
    },
  )

  it('keeps its stop where the venue changes no orders and it is placed again', async () => {
    const { session } = await stage('echo', undefined, {
      exchange: (paper) => ({ ...paper, capabilities: { ...paper.capabilities, editOrder: false } }),
    })
    await session.run('buy 0.01 at 64000 stop -2%')
    await session.run('amend p1 at 63500 replace')
    await movePrice(session, '63400')
    expect(await positionsOf(session)).toEqual(['long 0.01'])
    expect(await restingOrders(session)).toEqual(['sell stop 0.01 @ 62720, no profit'])
  })
})
