// An amount that is larger than the position it is against: it ends that position and opens one on the other side.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

const SENTENCE = 'the sell closes 0.02 BTC and opens a short of 0.03 BTC'

/** Every way to sell 0.05 BTC, without the word that says a turn is meant. */
const LINES = [
  ['sell 0.05', SENTENCE],
  ['sell 0.05 BTCUSDT stop +2%', SENTENCE],
  ['sell 0.05 at +1%', `once it fills, ${SENTENCE}`],
  ['sell 0.05 at -1% --far', SENTENCE],
  ['sell 0.05 best po', `once it fills, ${SENTENCE}`],
  ['sell 0.05 stop +2% tp 40% 1R', SENTENCE],
  ['sell 0.05 BTCUSDT,ETHUSDT', SENTENCE],
  ['scale sell 0.05 into 2 from +1% to +2%', `once it fills, ${SENTENCE}`],
  ['swarm sell 0.05 into 2', SENTENCE],
  ['twap sell 0.05 into 2 over 10m', `once it fills, ${SENTENCE}`],
  ['chase sell 0.05', `once it fills, ${SENTENCE}`],
] as const

async function stage(answers?: boolean[], before = 'buy 0.02') {
  const { terminal, asked } = deciding(answers)
  const session = await createSession({ terminal })
  await session.run(before)
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
    expect(refusal).toContain(sentence)
    expect(refusal).toMatch(
      /`close BTCUSDT` to end the long, `flip BTCUSDT` for a short of the same amount; add `reduce` to stop at/,
    )
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

const SHORT = /^50% of the free balance opens a short of 0\.07\d BTC$/

describe('a percentage that finds no position to sell', () => {
  it.each([
    'sell 50%',
    'sell 50% BTCUSDT at +1%',
    'sell 50% stop +2%',
    'sell 50% BTCUSDT,ETHUSDT',
    'scale sell 50% into 2 from +1% to +2%',
    'swarm sell 50% into 2',
    'twap sell 50% into 2 over 10m',
    'chase sell 50%',
  ])('`%s` asks at a terminal, is refused elsewhere, and is named to a page', async (line) => {
    const asked = await stage([false, true, true], 'buy 0.01 at -5%')
    const before = await state(asked.session)
    expect((await asked.session.run(line)).join('\n')).toMatch(/error (would-open|none-placed)/)
    expect(await state(asked.session)).toEqual(before)
    expect((await asked.session.run(line)).some((each) => SHORT.test(each.replace('warn ', '')))).toBe(true)
    expect(asked.asked[0]).toMatch(/^BTCUSDT: 50% of the free balance opens a short of .* BTC; send it\? y or n >$/)
    for (const source of ['repl', 'exec', 'hook'] as const) {
      const { session } = await stage(undefined, 'buy 0.01 at -5%')
      const unchanged = await state(session)
      expect((await session.run(line, { source })).join('\n')).toMatch(/ opens a short of .* BTC.*`positions` lists/)
      expect(await state(session)).toEqual(unchanged)
    }
    const { session } = await stage(undefined, 'buy 0.01 at -5%')
    const { notes } = await session.ports.preview({ command: line, source: 'web' })
    expect(notes.some((note) => SHORT.test(note))).toBe(true)
    expect((await session.run(line, { source: 'web' })).some((each) => SHORT.test(each.replace('warn ', '')))).toBe(
      true,
    )
  })

  it.each([
    ['sell 50%bal', 'buy 0.01 at -5%'],
    ['buy 50%', 'buy 0.01'],
    ['buy 50%', 'buy 0.01 at -5%'],
    ['sell $500', 'buy 0.01 at -5%'],
  ])('`%s` after `%s` is not asked about', async (line, before) => {
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const { session, asked } = await stage([], before)
      expect((await session.run(line, { source })).filter((each) => /error|opens a short/.test(each))).toEqual([])
      expect(asked).toEqual([])
    }
  })
})

describe('a percentage over a position on the other side', () => {
  const LINES = [
    'sell 5%',
    'sell 5% BTCUSDT at +1%',
    'scale sell 5% into 2 from +1% to +2%',
    'swarm sell 5% into 2',
    'twap sell 5% into 2 over 10m',
    'chase sell 5%',
  ]
  const LINE = /5% of the free balance is 0\.00\d BTC, and the long is 0\.02 BTC/

  it.each(LINES)('`%s` asks at a terminal, is refused elsewhere, and is named to a page', async (line) => {
    const { session, asked } = await stage([false, true])
    const before = await state(session)
    expect((await session.run(line)).join('\n')).toMatch(
      /^error ambiguous-percent: 5% of .* \| type `close 5% BTCUSDT` for that much of the long, or 5%bal for the balance$/,
    )
    expect(await state(session)).toEqual(before)
    expect((await session.run(line)).filter((each) => each.startsWith('error'))).toEqual([])
    expect(asked).toEqual([expect.stringMatching(LINE), expect.stringMatching(LINE)])
    for (const source of ['repl', 'exec', 'hook'] as const) {
      const other = await stage()
      const unchanged = await state(other.session)
      expect((await other.session.run(line, { source })).join('\n')).toMatch(/error ambiguous-percent/)
      expect(await state(other.session)).toEqual(unchanged)
    }
    const page = await stage()
    const { notes } = await page.session.ports.preview({ command: line, source: 'web' })
    expect(notes.some((note) => LINE.test(note))).toBe(true)
    expect((await page.session.run(line, { source: 'web' })).some((each) => /^warn 5% of the free/.test(each))).toBe(
      true,
    )
  })

  it.each(['sell 5%bal', 'sell 50%pos', 'sell 50% reduce', 'close 50%', 'buy 5%', 'sell $500'])(
    '`%s` is not asked about',
    async (line) => {
      for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
        const { session, asked } = await stage([])
        expect((await session.run(line, { source })).filter((each) => /error|of the free/.test(each))).toEqual([])
        expect(asked).toEqual([])
      }
    },
  )
})

describe('a size of which lots take more than a tenth', () => {
  const LOTS = '$250 rounds down to 0.003 BTC ($195.00), 22% less: the lot is 0.001 BTC'
  const NAMED = 'info $250 rounded down to the lot size of 0.001 BTC: 22% less'

  it.each([
    'buy $250',
    'buy $250 at +1% --far',
    'sell $250 stop +2%',
    'buy $250 BTCUSDT,ETHUSDT',
    'swarm buy $250 into 3',
    'twap buy $250 into 3 over 10m',
    'chase buy $250',
  ])('`%s` asks at a terminal before it is sent, and is named elsewhere', async (line) => {
    const { session, asked } = await stage([false, true, true], 'buy 0.01 at -5%')
    const before = await state(session)
    expect((await session.run(line)).join('\n')).toMatch(/error (rounded|none-placed): /)
    expect(await state(session)).toEqual(before)
    const said = await session.run(line)
    expect(said.filter((each) => each.startsWith('error'))).toEqual([])
    expect(said).toContain(NAMED)
    expect(asked[0]).toMatch(
      /^BTCUSDT: \$250 rounds down to 0\.003 BTC \(\$19\d\.\d\d\), 2\d(\.\d)?% less: the lot is 0\.001 BTC; send it\?/,
    )
    expect(asked[1]).toBe(asked[0])
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const other = await stage(undefined, 'buy 0.01 at -5%')
      expect(await other.session.run(line, { source })).toContain(NAMED)
    }
  })

  it('shows in the preview how much', async () => {
    const { session } = await stage()
    const { orders } = await session.ports.preview({ command: 'buy $250', source: 'web' })
    expect(orders).toMatchObject([{ amount: '0.003', roundedBy: '21.9999' }])
  })

  it('names the amounts to type', async () => {
    const { session, asked } = await stage([false])
    const [refusal = ''] = await session.run('buy $250')
    expect(asked).toEqual([`BTCUSDT: ${LOTS}; send it? y or n >`])
    expect(refusal).toBe(`error rounded: ${LOTS} | type \`buy 0.003 BTCUSDT\` or \`buy 0.004 BTCUSDT\``)
  })

  it.each([
    ['buy $58 ETHUSDT at -2% stop -5%', 'buy 0.01 ETHUSDT at -2% stop -5%'],
    ['buy ETHUSDT $58 stop -2% tp +4% #dip --near', 'buy ETHUSDT 0.01 stop -2% tp +4% #dip --near'],
    ['buy $250 at -1%', 'buy 0.003 BTCUSDT at -1%'],
    ['b $250 ethusdt,btcusdt best po', 'buy 0.003 BTCUSDT best po'],
    ['sell $250 stop +2%', 'sell 0.003 BTCUSDT stop +2%'],
    ['stop buy $250 at +2%', 'stop buy 0.003 BTCUSDT at +2%'],
    ['twap buy $250 into 2 over 10m random 20%', 'twap buy 0.003 BTCUSDT into 2 over 10m random 20%'],
    ['chase buy $250 to 1% for 5m', 'chase buy 0.003 BTCUSDT to 1% for 5m'],
    ['swarm buy $250 into 3', 'swarm buy 0.003 BTCUSDT into 3'],
    ['scale buy $250 into 3 from -1% to -2% skew 0.5', 'scale buy 0.003 BTCUSDT into 3 from -1% to -2% skew 0.5'],
    ['position long $58 ETHUSDT', 'position long 0.01 ETHUSDT'],
  ])('`%s`: the hint is the line with another size, and is not asked about again: `%s`', async (line, again) => {
    const { session, asked } = await stage([false], 'buy 0.01 at -5%')
    const said = (await session.run(line)).join('\n')
    expect(said).toContain(`type \`${again}\` or \``)
    const typed = await session.run(again)
    expect(typed.filter((each) => each.startsWith('error'))).toEqual([])
    expect(asked).toHaveLength(1)
  })

  it('names the whole position where the line adds to one', async () => {
    const { session } = await stage([false], 'position long 0.003')
    const said = (await session.run('position long $450')).join('\n')
    expect(said).toContain('type `position long 0.006 BTCUSDT` or `position long 0.007 BTCUSDT`')
  })

  it.each(['buy $200', 'sell 50% reduce', 'close 50%', 'buy 0.003', 'buy $250 --dry'])(
    '`%s` is not asked about',
    async (line) => {
      const { session, asked } = await stage([], 'buy 0.003')
      await session.run(line)
      expect(asked).toEqual([])
    },
  )
})

describe('a share of a ladder that lots make another', () => {
  const LINE = 'buy 0.003 stop -2% tp 50% 1R, 25% 2R'
  const SENTENCE = '50% becomes 0.001 BTC, 33.3% of 0.003 BTC: the lot is 0.001 BTC'

  it('asks at a terminal, and is named elsewhere', async () => {
    const { session, asked } = await stage([false, true], 'buy 0.01 at -5%')
    const before = await state(session)
    expect((await session.run(LINE)).join('\n')).toMatch(
      /error none-placed: BTCUSDT part 1 \(50%\) refused: no order was placed/,
    )
    expect(await state(session)).toEqual(before)
    expect(await session.run(LINE)).toContain(`warn ${SENTENCE}`)
    expect(asked).toEqual([`BTCUSDT: ${SENTENCE}; send it? y or n >`, `BTCUSDT: ${SENTENCE}; send it? y or n >`])
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const other = await stage(undefined, 'buy 0.01 at -5%')
      expect(await other.session.run(LINE, { source })).toContain(`warn ${SENTENCE}`)
    }
    const { notes } = await session.ports.preview({ command: LINE, source: 'web' })
    expect(notes).toContain(SENTENCE)
  })

  it.each(['buy $900 stop -2% tp 30% 1R, 30% 2R', 'buy 0.004 stop -2% tp 50% 1R', 'buy 0.005 stop -2% tp 50% 1R'])(
    '`%s` is not asked about',
    async (line) => {
      const { session, asked } = await stage([], 'buy 0.01 at -5%')
      await session.run(line)
      expect(asked).toEqual([])
    },
  )
})

describe('a stop or a target of an order that only reduces', () => {
  it.each([
    ['sell 0.002 tp -1%', 'its tp is not placed'],
    ['sell 0.002 stop +1%', 'its stop is not placed'],
    ['sell 0.02 BTCUSDT stop +1% tp -1%', 'its stop and tp are not placed'],
    ['sell 0.02 stop +1% tp 50% -1%', 'its stop and tp are not placed'],
  ])('`%s` over a long asks at a terminal, and is refused in exec and pipes: %s', async (line, rest) => {
    const sentence = `the sell only reduces the long of 0.02 BTC: ${rest}`
    const { session, asked } = await stage([false, true])
    const before = await state(session)
    expect((await session.run(line)).join('\n')).toMatch(/error (nothing-to-protect|none-placed): /)
    expect(asked).toEqual([`BTCUSDT: ${sentence}; send it? y or n >`])
    expect(await state(session)).toEqual(before)
    expect((await session.run(line)).filter((each) => each.startsWith('error'))).toEqual([])
    for (const source of ['repl', 'exec'] as const) {
      const other = await stage()
      const unchanged = await state(other.session)
      expect((await other.session.run(line, { source })).join('\n')).toContain(sentence)
      expect(await state(other.session)).toEqual(unchanged)
    }
  })

  it('asks before it rests, where the position may be gone once it fills', async () => {
    const { session, asked } = await stage([false])
    expect(await session.run('sell 0.02 at +1% stop +1%')).toEqual([
      'error nothing-to-protect: the sell only reduces the long of 0.02 BTC: its stop is not placed | leave stop out; `stop at` and `take at` rest orders for the long',
    ])
    expect(asked).toHaveLength(1)
  })

  it.each(['hook', 'web'] as const)('from %s is sent, and named before and after', async (source) => {
    const { session } = await stage()
    const line = 'sell 0.002 tp -1%'
    const { notes } = await session.ports.preview({ command: line, source })
    expect(notes).toEqual(['the sell reduces a long: nothing to protect'])
    expect(await session.run(line, { source })).toContain('info the sell reduced a long: nothing to protect')
  })

  it.each(['sell 0.002 tp -1%', 'sell 0.002 stop +1% tp -1%'])('`%s` when flat rests it', async (line) => {
    const { session, asked } = await stage([], 'buy 0.01 at -5%')
    expect((await session.run(line)).join('\n')).toMatch(/is open, reduce-only/)
    expect(asked).toEqual([])
  })
})
