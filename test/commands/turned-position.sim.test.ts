// An amount that is larger than the position it is against: it ends that position and opens one on the other side.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

const SENTENCE = 'the sell closes 0.02 BTC and opens a short of 0.03 BTC'

/** Every way to sell 0.05 BTC, without the word that says a turn is meant. */
const LINES = [
  ['sell 0.05', SENTENCE],
  ['sell 0.05 BTCUSDT stop +2%', SENTENCE],
  ['sell 0.05 at +1%', `once it fills, ${SENTENCE}`],
  ['sell 0.05 at -1%', SENTENCE],
  ['sell 0.05 best po', `once it fills, ${SENTENCE}`],
  ['sell 0.05 stop +2% tp 40% 1R', SENTENCE],
  ['sell 0.05 BTCUSDT,ETHUSDT', SENTENCE],
  ['scale sell 0.05 into 2 from +1% to +2%', `once it fills, ${SENTENCE}`],
  ['swarm sell 0.05 into 2', SENTENCE],
  ['twap sell 0.05 into 2 over 10m', `once it fills, ${SENTENCE}`],
  ['chase sell 0.05', `once it fills, ${SENTENCE}`],
] as const

async function stage(answers?: boolean[]) {
  const asked: string[] = []
  const confirm = async (question: string) => {
    asked.push(question)
    return answers?.shift() ?? false
  }
  const terminal = {
    askHidden: async () => '',
    clear() {},
    history: () => [],
    quit() {},
    ...(answers === undefined ? {} : { confirm }),
  }
  const session = await createSession({ terminal })
  await session.run('buy 0.02')
  return { session, asked }
}

const state = async (session: CommandSession) => ({
  journal: session.journal.length,
  tasks: session.ports.tasks.list().length,
})

describe('an order that turns a position round', () => {
  it.each(LINES)('`%s` asks once at a terminal, and sends nothing after n', async (line, sentence) => {
    const { session, asked } = await stage([false])
    const before = await state(session)
    const [refusal] = (await session.run(line)).filter((each) => each.startsWith('error'))
    expect(refusal).toContain(`BTCUSDT: ${sentence}`)
    expect(refusal).toMatch(/`close` to end the long, `flip` for a short of the same amount; add `reduce` to stop at/)
    expect(asked).toEqual([`BTCUSDT: ${sentence}; send it? y or n >`])
    expect(await state(session)).toEqual(before)
  })

  it.each(LINES)('`%s` is sent after y, and its result has the sentence', async (line, sentence) => {
    const { session, asked } = await stage([true])
    const before = await state(session)
    const lines = await session.run(line)
    expect(lines).toContain(`warn ${sentence}`)
    expect(lines.filter((each) => each.startsWith('error'))).toEqual([])
    expect(asked).toHaveLength(1)
    expect(await state(session)).not.toEqual(before)
  })

  it.each(LINES)('`%s` is refused in exec and in a pipe, and nothing is sent', async (line, sentence) => {
    for (const source of ['exec', 'repl'] as const) {
      const { session } = await stage()
      const before = await state(session)
      expect((await session.run(line, { source })).join('\n')).toContain(sentence)
      expect(await state(session)).toEqual(before)
    }
  })

  it.each(LINES)('`%s flip` says that it is meant, and asks no one', async (line, sentence) => {
    const { session, asked } = await stage([])
    const typed = line.includes(' tp ') ? line.replace(' stop', ' flip stop') : `${line} flip`
    expect(await session.run(typed)).toContain(`warn ${sentence}`)
    expect(asked).toEqual([])
  })

  it.each(LINES)(
    '`%s` of a hook and of a page is sent, and its result and its preview say so',
    async (line, sentence) => {
      for (const source of ['hook', 'web'] as const) {
        const { session } = await stage([])
        const preview = await session.ports.preview({ command: line, source })
        expect(preview.errors).toEqual([])
        expect(preview.notes).toContain(sentence)
        expect(await session.run(line, { source })).toContain(`warn ${sentence}`)
      }
    },
  )

  it.each(LINES)('`%s --dry` says so and asks no one', async (line, sentence) => {
    const { session, asked } = await stage([])
    expect(await session.run(`${line} --dry`)).toContain(`warn ${sentence}`)
    expect(asked).toEqual([])
  })

  it('is a buy over a short too', async () => {
    const { session, asked } = await stage([true])
    await session.run('close; sell 0.02')
    expect(await session.run('buy 0.05')).toContain('warn the buy closes 0.02 BTC and opens a long of 0.03 BTC')
    expect(asked).toHaveLength(1)
  })

  it.each(['sell 0.02', 'sell 0.05 reduce', 'buy 0.05', 'sell 0.05 ETHUSDT', 'close', 'flip'])(
    '`%s` turns nothing round unasked',
    async (line) => {
      const { session, asked } = await stage([])
      expect((await session.run(line)).filter((each) => /^error|closes .* and opens/.test(each))).toEqual([])
      expect(asked).toEqual([])
    },
  )

  it.each([
    'sell 0.05 reduce flip',
    'scale sell 0.05 into 2 from +1% to +2% reduce flip',
    'chase sell 0.05 flip reduce',
  ])('`%s` contradicts itself', async (line) => {
    const { session } = await stage([])
    expect((await session.run(line)).join('\n')).toContain('bad-argument')
  })
})
