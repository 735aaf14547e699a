// Tags that are typed with an order, and notes that come later: with the order, its fills, its trade and the session.
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

interface Noted {
  readonly symbol: string
  readonly orderId?: string
  readonly orderIds?: readonly string[]
  readonly tags?: readonly string[]
  readonly note?: string
}

async function rowsOf(session: CommandSession, line: string): Promise<readonly Noted[]> {
  const run = session.start(line)
  expect(await run.done, run.lines.join('\n')).toBe(true)
  const data = run.data[0] as unknown as Readonly<Record<string, readonly Noted[]>>
  return data.fills ?? data.trades ?? data.orders ?? []
}

const tagsOf = async (session: CommandSession, line: string) =>
  (await rowsOf(session, line)).map(({ tags, note }) => [tags?.join(' ') ?? '', note ?? ''])

async function played(...lines: readonly string[]): Promise<CommandSession> {
  const session = await createSession()
  for (const line of lines) expect((await session.run(line)).join('\n'), line).not.toContain('error')
  return session
}

describe('a tag of a line', () => {
  it('is with the order before it leaves, and with its fills and its trade', async () => {
    const session = await played('buy 0.01 stop -2% #breakout #a-plus', 'close')
    const intent = session.journal.find((line) => line.includes('"t":"intent"')) ?? ''
    expect(JSON.parse(intent)).toMatchObject({ by: { tags: ['breakout', 'a-plus'] } })
    expect(await tagsOf(session, 'trades')).toEqual([['breakout a-plus', '']])
    expect((await tagsOf(session, 'fills'))[0]).toEqual(['breakout a-plus', ''])
    expect((await tagsOf(session, 'orders --all'))[0]).toEqual(['breakout a-plus', ''])
  })

  it.each([
    'buy $650 #x',
    'buy #x 0.01 at +1% ioc',
    'sell 0.01 #X',
    'position long $650 #x',
    'scale buy $1300 into 2 from -1% to -2% #x',
    'swarm buy $1300 into 2 #x',
    'stop buy 0.01 at +1% #x',
  ])('stands anywhere in `%s`, which is the same order without it', async (line) => {
    const [tagged, plain] = [await played(line), await played(line.replace(/ #x/i, ''))]
    const requests = (session: CommandSession) =>
      session.journal
        .map((text) => JSON.parse(text) as { readonly t: string; readonly order?: object; readonly by?: object })
        .filter(({ t }) => t === 'intent')
    expect(requests(tagged).map(({ order }) => order)).toEqual(requests(plain).map(({ order }) => order))
    expect(requests(tagged).length).toBeGreaterThan(0)
    for (const { by } of requests(tagged)) expect(by).toMatchObject({ tags: ['x'] })
    for (const { by } of requests(plain)) expect(by).not.toHaveProperty('tags')
  })

  it('selects in every list of rows that have tags, with any of several, and in the session', async () => {
    const session = await played(
      'buy 0.01 #a',
      'close',
      'buy 0.01 #b #c',
      'close',
      'buy 0.01',
      'close',
      'note p5 #late',
    )
    expect(await tagsOf(session, 'trades #A')).toEqual([['a', '']])
    expect(await tagsOf(session, 'trades #a #late')).toEqual([
      ['a', ''],
      ['late', ''],
    ])
    expect(await tagsOf(session, 'trades #none')).toEqual([])
    expect(await tagsOf(session, 'fills #c')).toEqual([['b c', '']])
    expect(await tagsOf(session, 'orders --all #c')).toEqual([['b c', '']])
    const run = session.start('session #b')
    await run.done
    expect(run.data[0]).toMatchObject({ total: { trades: 1 }, byTag: [{ key: 'b' }, { key: 'c' }] })
    expect(run.data[0]).not.toHaveProperty('maxDrawdown')
  })

  it.each(['pnl #a', 'export --tax 2026 #a'])('is refused by `%s`, whose rows have none', async (line) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).toContain('unexpected-argument: unexpected tag `#a`')
  })

  it('is of its own step alone', async () => {
    const session = await played('buy 0.01 #first; buy 0.01 #second; buy 0.01')
    expect((await tagsOf(session, 'fills')).map(([tags]) => tags)).toEqual(['first', 'second', ''])
  })

  it.each(['hook', 'web', 'exec'] as const)('is taken from a line of a %s too', async (source) => {
    const session = await createSession()
    await session.run('buy 0.01 #dip', { source })
    expect(await tagsOf(session, 'trades')).toEqual([['dip', '']])
  })

  it('is in the body of a hook and of an alias', async () => {
    const session = await played(
      'hook create tv "buy {size:usd<=900} stop -2% #tv"',
      'alias lg "buy 0.01 #lg"',
      'lg BTCUSDT',
    )
    expect(session.ports.hooks.list()).toMatchObject([{ command: 'buy {size:usd<=900} stop -2% #tv' }])
    expect(await tagsOf(session, 'fills')).toEqual([['lg', '']])
  })

  it('goes with the orders of a task', async () => {
    const session = await createSession()
    await session.run('twap buy 0.02 BTCUSDT into 2 over 1m #slow')
    await session.tasks.look()
    await session.advance(90_000)
    expect((await tagsOf(session, 'fills')).map(([tags]) => tags)).toEqual(['slow', 'slow'])
  })

  it.each([
    ['buy 0.01 #', 10],
    ['buy 0.01 # note', 10],
    ['buy 0.01 #two_words', 10],
    [`buy 0.01 #${'x'.repeat(33)}`, 10],
    ['buy 0.01 #é', 10],
    ['buy 0.01 #1 #2 #3 #4 #5 #6 #7 #8 #9', 34],
  ])('`%s` is refused at its place, and nothing is sent', async (line, column) => {
    const session = await createSession()
    const run = session.start(line)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringMatching(/^error bad-tag: /)])
    expect(run.columns).toEqual([column])
    expect(session.journal).toEqual([])
  })

  it.each([
    ['echo #x', ['print #x']],
    ['echo "#x"', ['print #x']],
    ['close #x', [expect.stringMatching(/^error /)]],
    ['cancel #x', [expect.stringMatching(/^error /)]],
  ])('means nothing in `%s`', async (line, lines) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual(lines)
  })

  it('that a person wrote into the journal is none where it could not have been typed', async () => {
    const session = await played('buy 0.01 #ok')
    const at = session.journal.findIndex((line) => line.includes('"t":"intent"'))
    const lines = session.journal as string[]
    lines[at] = (lines[at] ?? '').replace('["ok"]', '["ok","\\u001b[31m",7,"ok"]')
    expect(await tagsOf(session, 'fills')).toEqual([['ok', '']])
  })
})

describe('note', () => {
  it('is with the order, its fills and its trade, after a restart too', async () => {
    const session = await played('buy 0.01 #breakout', 'note p1 "late entry" #fomo', 'close')
    expect(await tagsOf(session, 'trades')).toEqual([['breakout fomo', 'late entry']])
    expect(await tagsOf(session, 'fills')).toEqual([
      ['breakout fomo', 'late entry'],
      ['', ''],
    ])
    const kept = readFileSync(join(session.directory, 'notes.jsonl'), 'utf8')
    expect(
      kept
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { account: 'paper', symbol: 'BTCUSDT', orderId: 'p1', note: 'late entry', tags: ['fomo'], source: 'repl' },
    ])
  })

  it('of an exit is a note of the trade as well', async () => {
    const session = await played('buy 0.01', 'close', 'note p2 "too early"')
    expect(await tagsOf(session, 'trades')).toEqual([['', 'too early']])
  })

  it('replaces the one before it, and adds tags', async () => {
    const session = await played('buy 0.01', 'note p1 "one" #a', 'note p1 "two" #b', 'note p1 #c')
    expect(await tagsOf(session, 'fills')).toEqual([['a b c', 'two']])
    expect(await session.run('note p1')).toEqual(['success order p1 on BTCUSDT: #a #b #c two'])
  })

  it('takes everything away with --clear, the tags of the line among it', async () => {
    const session = await played('buy 0.01 #breakout', 'note p1 "one" #a', 'note p1 --clear #b')
    expect(await tagsOf(session, 'fills')).toEqual([['b', '']])
  })

  it('is not shown beside an order of the same id after the account was reset', async () => {
    const session = await played('buy 0.01', 'note p1 "of the old account"')
    await session.advance(1000)
    await session.run('account reset paper --yes')
    await session.advance(1000)
    await session.run('buy 0.01')
    expect(await tagsOf(session, 'fills')).toEqual([['', '']])
    expect(await tagsOf(session, 'fills --before-reset')).toEqual([['', 'of the old account']])
  })

  it.each([
    ['note', /missing-argument: the order's id is missing/],
    ['note p9 "x"', /not-found: no order p9 of account paper \| `trades`/],
    ['note p1 ""', /bad-argument: the note is empty/],
    [`note p1 "${'x'.repeat(301)}"`, /bad-argument: the note has 301 characters, at most 300 are allowed/],
    ['note p1 "a\tb"', /bad-argument: the note has control characters/],
    ['note p1 "a\u202eb"', /bad-argument: the note has control characters/],
    ['note p1 BTCUSDT late entry #fomo', /a note goes in quotes \| type `note p1 BTCUSDT "late entry" #fomo`/],
    ['note p1 late', /a note goes in quotes \| type `note p1 "late"`/],
    ['note p1 "late" entry', /unexpected-argument|bad-argument/],
    ['note p1 #Bad_tag', /bad-tag: invalid tag `#Bad_tag`/],
  ])('`%s` is refused, and nothing is kept', async (line, refusal) => {
    const session = await played('buy 0.01')
    expect(await session.run(line)).toEqual([expect.stringMatching(refusal)])
    expect(await tagsOf(session, 'fills')).toEqual([['', '']])
  })

  it('of 300 characters is kept whole', async () => {
    const session = await played('buy 0.01', `note p1 "${'ü'.repeat(300)}"`)
    expect((await tagsOf(session, 'fills'))[0]?.[1]).toHaveLength(300)
  })

  it('of a page is kept, and takes nothing away that a person noted', async () => {
    const session = await played('buy 0.01')
    expect((await session.run('note p1 "of a page" #a', { source: 'web' })).join()).toMatch(/^success/)
    for (const line of ['note p1 "again"', 'note p1 --clear']) {
      expect(await session.run(line, { source: 'web' })).toEqual([expect.stringMatching(/^error not-allowed-here/)])
    }
    expect(await session.run('note p1 "x"', { source: 'hook' })).toEqual([
      expect.stringMatching(/^error not-allowed-here/),
    ])
    expect(await tagsOf(session, 'fills')).toEqual([['a', 'of a page']])
  })

  it('is found by the symbol where two markets have an order of that id', async () => {
    const session = await played('buy 0.01', 'buy 1 ETHUSDT')
    const lines = session.journal as string[]
    for (const [at, line] of lines.entries()) lines[at] = line.replaceAll('"orderId":"p2"', '"orderId":"p1"')
    expect(await session.run('note p1 "x"')).toEqual([
      expect.stringMatching(/^error ambiguous: order p1 exists on BTCUSDT and ETHUSDT \| name the symbol/),
    ])
    expect((await session.run('note p1 ETHUSDT "x"')).join()).toBe('success order p1 on ETHUSDT: x')
  })

  it('leaves fills to be shown where its file cannot be read, and skips a torn line', async () => {
    const session = await played('buy 0.01', 'note p1 "kept"')
    appendFileSync(join(session.directory, 'notes.jsonl'), '{"at":1,"acc\n{"at":"x"}\nnull\n')
    expect(await tagsOf(session, 'fills')).toEqual([['', 'kept']])
    rmSync(join(session.directory, 'notes.jsonl'))
    expect(await tagsOf(session, 'fills')).toEqual([['', '']])
  })
})

it('`session` sums up by tag, a trade with two tags in both', async () => {
  const session = await played('buy 0.01 #breakout #trend', 'close', 'buy 0.01 #trend', 'close', 'buy 0.01', 'close')
  const run = session.start('session')
  await run.done
  const { byTag } = run.data.find((each) => (each as { type?: string }).type === 'session') as unknown as {
    readonly byTag: readonly { readonly key: string; readonly trades: number }[]
  }
  expect(byTag.map(({ key, trades }) => [key, trades])).toEqual([
    ['breakout', 1],
    ['trend', 2],
  ])
  expect((await session.run('session')).join('\n')).toMatch(/^print tag +trend +2 /m)
})
