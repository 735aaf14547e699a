// What words from the phone become, and what a button does: once, in its time, and nothing else (behaviour 147).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_PREVIEW } from '../../harness/commands/empty-preview.ts'
import { BUTTON_MS, Phone, readAsked } from '../../src/app/phone.ts'
import { CommandError } from '../../src/commands/kit/errors.ts'
import type { ChatButton } from '../../src/notices/telegram-chat.ts'
import type { RunRequest, RunSink } from '../../src/runs/run.ts'
import { digestOf, type Proposal } from '../../src/stores/proposals.ts'

describe('words', () => {
  it.each([
    ['positions', 'positions', undefined],
    ['/positions', 'positions', undefined],
    ['/positions@my_bot', 'positions', undefined],
    ['Orders on swing', 'orders', 'swing'],
    ['runs', 'runs 10', undefined],
    ['positions --wide on swing', 'positions --wide', 'swing'],
    ['close btcusdt', 'close btcusdt', undefined],
    ['close BTCUSDT 50% on swing', 'close BTCUSDT 50%', 'swing'],
    ['close ALL', 'close all', undefined],
    ['cancel p17', 'cancel p17', undefined],
    ['cancel all on swing', 'cancel all', 'swing'],
    ['panic', 'panic', undefined],
    ['halt', 'halt', undefined],
    ['halt on swing', 'halt swing', 'swing'],
  ])('`%s` is `%s`', (words, line, account) => {
    const asked = readAsked(words)
    expect(asked).toMatchObject({ line, ...(account === undefined ? {} : { account }) })
  })

  it.each([
    'buy 1 BTCUSDT',
    'resume',
    'sim off',
    'switch on remoteExec',
    'vault unlock',
    'positions; buy 1',
    'close',
    'cancel',
    'close BTCUSDT 150%',
    'close BTCUSDT 0%',
    'close BTCUSDT 0.5',
    'close BTCUSDT;buy 1',
    'close BTCUSDT all',
    'close --flatten',
    'close @x',
    'close $x',
    "close 'a'",
    'cancel p17,p18',
    'halt --flatten',
    'halt swing',
    'panic on swing',
    'panic off',
    'close BTCUSDT on',
    'close BTCUSDT on a b',
    'status on a; buy 1',
    'constructor',
    '__proto__',
  ])('`%s` is no line', (words) => {
    expect(readAsked(words)).toMatchObject({ type: 'unclear' })
  })

  it('of any kind become one plain line of a few', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'close',
        'cancel',
        'halt',
        'panic',
        'on',
        'all',
        '50%',
        'BTCUSDT',
        'status',
        '&&',
        ';',
        '(',
        "'",
        '"',
      ),
      fc.string(),
    )
    const line =
      /^(?:(?:status|positions|orders|pnl|balance|runs 10)(?: --wide)?|panic|halt(?: (?:[\w.:/-]+|"[^"]*"|'[^']*'))?|(?:close|cancel) [A-Za-z0-9_][\w.:/-]*(?: [\d.]+%)?)$/
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const asked = readAsked(words.join(' '))
        if ('line' in asked) expect(asked.line).toMatch(line)
      }),
    )
  })
})

interface Sent {
  readonly text: string
  readonly buttons: readonly ChatButton[]
}

function stage({ acts = true, succeeds = (): boolean => true, prints = (line: string) => `ran ${line}` } = {}) {
  let now = 1_000
  let sink: RunSink = {}
  const ran: RunRequest[] = []
  const sent: Sent[] = []
  const answered: string[] = []
  const removed: number[] = []
  const timers: { readonly ms: number; readonly run: () => void }[] = []
  let button = 0
  let known: readonly Proposal[] = []
  let show = (_all: readonly Proposal[]): void => {}
  const approved: string[] = []
  const denied: string[] = []
  const audited: string[] = []
  const phone = new Phone({
    marketsOf: () => () => undefined,
    chat: {
      async send(text, { buttons = [] } = {}) {
        sent.push({ text, buttons })
        return sent.length
      },
      async answerPress(_callback, text) {
        answered.push(text)
      },
      async removeButtons(id) {
        removed.push(id)
      },
    },
    async run(request) {
      ran.push(request)
      const isDry = request.command.endsWith(' --dry')
      if (isDry) sink.output?.(request, 'print', 'a wide table')
      sink.output?.(request, 'info', prints(request.command), isDry && acts ? { type: 'would' } : undefined)
      return { success: succeeds() }
    },
    addSink(added) {
      sink = added
      return () => {}
    },
    focus: () => 'paper',
    isAccount: (name) => ['paper', 'swing'].includes(name),
    hide: (text) => text.replaceAll('secret', '<hidden>'),
    now: () => now,
    newButton: () => `b${button++}`,
    startTimer(ms, run) {
      timers.push({ ms, run })
      return () => {}
    },
    proposals: {
      follow(changed) {
        show = (all) => changed({ proposals: all })
        return () => {}
      },
      list: async () => known,
      async approve(shown) {
        const now = known.find(({ id }) => id === shown.id)
        if (now === undefined || digestOf(now) !== digestOf(shown)) throw new CommandError('changed', 'it has changed')
        approved.push(shown.id)
        return { runId: 'r'.repeat(8), ended: Promise.resolve({ success: true }) }
      },
      async deny(id) {
        denied.push(id)
        return known[0] as Proposal
      },
    },
    async audit(what) {
      audited.push(what)
    },
    onProblem(error) {
      throw error
    },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    phone,
    ran,
    sent,
    answered,
    removed,
    timers,
    approved,
    denied,
    audited,
    /** The book as it is now. */
    async book(...all: readonly Proposal[]) {
      known = all
      show(all)
      await settled()
    },
    pass: (ms: number) => {
      now += ms
    },
    async writes(text: string) {
      phone.take({ type: 'words', text })
      await settled()
    },
    async presses(data = 'b0', message = 1) {
      phone.take({ type: 'press', data, callback: 'c', message })
      await settled()
    },
  }
}

describe('a look', () => {
  it('runs at once, on the account in focus or the one named, as a line of the phone', async () => {
    const { writes, ran, sent } = stage()
    await writes('positions')
    await writes('orders on swing')
    expect(ran).toMatchObject([
      { source: 'phone', command: 'positions', account: 'paper' },
      { source: 'phone', command: 'orders', account: 'swing' },
    ])
    expect(sent.map(({ text }) => text)).toEqual(['account paper\nran positions', 'account swing\nran orders'])
  })

  it('of an account that does not exist runs nothing', async () => {
    const { writes, ran, sent } = stage()
    await writes('orders on nowhere')
    expect(ran).toEqual([])
    expect(sent[0]?.text).toContain('no account nowhere found')
  })

  it('never sends a token', async () => {
    const { writes, sent } = stage({ prints: () => 'secret' })
    await writes('runs')
    expect(sent[0]?.text).toBe('account paper\n<hidden>')
  })
})

describe('a line that acts', () => {
  it('is worked out, shown, and runs with the press of its button, on the account that was shown', async () => {
    const { writes, presses, ran, sent, removed } = stage()
    await writes('close BTCUSDT on swing')
    expect(ran.map(({ command }) => command)).toEqual(['close BTCUSDT --dry'])
    expect(sent[0]?.text).toMatch(/^`close BTCUSDT` on account swing\nran close BTCUSDT --dry\n/)
    expect(sent[0]?.buttons).toEqual([{ text: 'Close BTCUSDT', data: 'b0' }])
    await presses()
    expect(ran[1]).toMatchObject({ source: 'phone', command: 'close BTCUSDT', account: 'swing' })
    expect(removed).toEqual([1])
    expect(sent[1]?.text).toBe('`close BTCUSDT` on account swing\nran close BTCUSDT')
  })

  it('runs once, however often its button is pressed', async () => {
    const { phone, writes, presses, ran, answered } = stage()
    await writes('cancel all')
    for (let n = 0; n < 5; n++) phone.take({ type: 'press', data: 'b0', callback: 'c', message: 1 })
    await presses()
    expect(ran.map(({ command }) => command)).toEqual(['cancel all --dry', 'cancel all'])
    expect(answered.filter((text) => text.includes('Nothing was done'))).toHaveLength(5)
  })

  it('does not run when its time is up', async () => {
    const { writes, presses, pass, ran } = stage()
    await writes('close all')
    pass(BUTTON_MS)
    await presses()
    expect(ran.map(({ command }) => command)).toEqual(['close all --dry'])
  })

  it('loses its button when its time is up', async () => {
    const { writes, timers, removed, presses, ran } = stage()
    await writes('close all')
    expect(timers.map(({ ms }) => ms)).toEqual([BUTTON_MS])
    timers[0]?.run()
    await expect.poll(() => removed).toEqual([1])
    await presses()
    expect(ran).toHaveLength(1)
  })

  it('gets no button where it would fail', async () => {
    const { writes, sent } = stage({ succeeds: () => false, prints: () => 'no position on BTCUSDT' })
    await writes('close BTCUSDT')
    expect(sent).toEqual([
      { text: '`close BTCUSDT` on account paper would fail:\nno position on BTCUSDT', buttons: [] },
    ])
  })

  it('gets no button where it would send nothing', async () => {
    const { writes, sent } = stage({ acts: false, prints: () => 'no position on BTCUSDT' })
    await writes('close BTCUSDT')
    expect(sent).toEqual([
      { text: '`close BTCUSDT` on account paper would change nothing:\nno position on BTCUSDT', buttons: [] },
    ])
  })

  it('that stops is offered without looking anything up, and needs its press all the same', async () => {
    const { writes, presses, ran, sent } = stage()
    await writes('panic')
    await writes('halt on swing')
    expect(ran).toEqual([])
    expect(sent.map(({ buttons }) => buttons[0]?.data)).toEqual(['b0', 'b1'])
    await presses('b1', 2)
    expect(ran.map(({ command }) => command)).toEqual(['halt swing'])
  })

  it('does not run once the chat is not read any more', async () => {
    const { phone, writes, presses, ran } = stage()
    await writes('panic')
    phone.end()
    await presses()
    expect(ran).toEqual([])
  })

  it('does not run by a button that nobody was shown', async () => {
    const { writes, presses, ran } = stage()
    await writes('panic')
    await presses('b7')
    await presses('panic')
    expect(ran).toEqual([])
  })
})

describe('a loop that writes', () => {
  it('is answered thirty times in a minute', async () => {
    const { writes, ran, pass } = stage()
    for (let n = 0; n < 100; n++) await writes('orders')
    expect(ran).toHaveLength(30)
    pass(60_001)
    await writes('orders')
    expect(ran).toHaveLength(31)
  })
})

it('a late message is answered, and does nothing', async () => {
  const { phone, ran, sent } = stage()
  phone.take({ type: 'late', ageMs: 90_000 })
  await new Promise((resolve) => setImmediate(resolve))
  expect(ran).toEqual([])
  expect(sent[0]?.text).toContain('the message is 90 s old')
})

const PROPOSED: Proposal = {
  id: 'p-abcdefgh',
  state: 'proposed',
  at: 1_000,
  until: 600_000,
  clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
  origin: 'https://agent.example',
  label: 'agent',
  account: 'paper',
  symbol: 'BTCUSDT',
  line: 'buy 0.01 BTCUSDT',
  reason: 'the trend is up',
  preview: EMPTY_PREVIEW,
}

describe('a proposal', () => {
  it('is shown with its reason last, and runs with one press of Approve', async () => {
    const { book, presses, sent, approved, audited } = stage()
    await book(PROPOSED)
    expect(sent[0]?.buttons.map(({ text }) => text)).toEqual(['Approve', 'Deny'])
    expect(sent[0]?.text.split('\n').at(-1)).toContain('the trend is up')
    await presses('b0')
    await presses('b0')
    await presses('b1')
    expect(approved).toEqual([PROPOSED.id])
    expect(audited).toEqual(['proposal approve'])
    expect(sent[1]?.text).toBe(`proposal ${PROPOSED.id}, run rrrrrrrr: done`)
  })

  it('does not run once it was denied', async () => {
    const { book, presses, approved, denied } = stage()
    await book(PROPOSED)
    await presses('b1')
    await presses('b0')
    expect([approved, denied]).toEqual([[], [PROPOSED.id]])
  })

  it('that has changed is shown again, and the buttons of before do nothing', async () => {
    const { book, presses, sent, approved, removed } = stage()
    await book(PROPOSED)
    const now: Proposal = { ...PROPOSED, line: 'buy 0.02 BTCUSDT', state: 'changed' }
    await book(now)
    expect(removed).toEqual([1])
    expect(sent).toHaveLength(2)
    await presses('b0')
    expect(approved).toEqual([])
    await presses('b2')
    expect(approved).toEqual([PROPOSED.id])
  })

  it('that is over loses its buttons', async () => {
    const { book, presses, approved, removed } = stage()
    await book(PROPOSED)
    await book({ ...PROPOSED, state: 'expired' })
    expect(removed).toEqual([1])
    await presses('b0')
    expect(approved).toEqual([])
  })

  it('with more than a message holds is denied there, and approved in the terminal alone', async () => {
    const { book, sent } = stage()
    await book({ ...PROPOSED, line: `buy 0.01 BTCUSDT; ${'cancel p1234567; '.repeat(300)}` })
    expect(sent[0]?.buttons.map(({ text }) => text)).toEqual(['Deny'])
    expect(sent[0]?.text).toContain('in the terminal')
  })

  it('is shown once, and again when asked for', async () => {
    const { book, writes, sent, removed } = stage()
    await book(PROPOSED)
    await book(PROPOSED)
    expect(sent).toHaveLength(1)
    await writes('proposals')
    expect(sent).toHaveLength(2)
    expect(removed).toEqual([1])
  })
})
