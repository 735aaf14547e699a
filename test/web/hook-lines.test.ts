import { describe, expect, it } from 'vitest'
import { dayWords, shownHooks } from '../../src/web/pages/hooks/hook-days.ts'
import {
  bodyOf,
  createdNews,
  createLine,
  editLine,
  hookWord,
  limitFlags,
  limitTexts,
  newHook,
  slotsOf,
  takes,
  testLine,
  textsOf,
  whyNotTypable,
} from '../../src/web/pages/hooks/hook-lines.ts'

const hook = { id: '7ec98fd58a7cd18c5a3c295f8031cc25', name: 'dip', command: 'buy $5 BTCUSDT', createdAt: 1 }
const limits = { cooldownMs: 30_000, rate: { fires: 5, ms: 60_000 }, perDay: 10, max: '500', onlyIf: 'flat' }

describe('the lines that a hook page writes', () => {
  it('name a hook by its id where its name would not be one word', () => {
    expect(hookWord(hook)).toBe('dip')
    expect(hookWord({ ...hook, name: 'dip; panic' })).toBe('7ec98fd58a7c')
    expect(hookWord({ ...hook, name: '-x' })).toBe('7ec98fd58a7c')
  })

  it('show limits as they are typed', () => {
    const window = { from: '0930', to: '1600', zone: 'Europe/Berlin', days: ['mon', 'tue'] }
    expect(limitTexts({ limits: { ...limits, window } })).toEqual({
      cooldown: '30s',
      rate: '5/1m',
      'per-day': '10',
      max: '$500',
      'only-if': 'flat',
      window: '0930-1600',
      days: 'mon,tue',
      zone: 'Europe/Berlin',
    })
    expect(limitTexts({ parallel: 1, maxAgeMs: 5_000 })).toEqual({ parallel: '1', 'max-age': '5s' })
    expect(limitTexts({})).toEqual({})
  })

  it('change what differs and nothing else', () => {
    expect(editLine({ ...hook, limits }, hook.command, limitTexts({ limits }))).toBeUndefined()
    expect(editLine({ ...hook, limits }, hook.command, { ...limitTexts({ limits }), cooldown: '1m', max: '' })).toBe(
      'hook edit dip --cooldown 1m --no-max',
    )
    expect(editLine(hook, 'buy $6; echo "a"', {})).toBe(`hook edit dip 'buy $6; echo "a"'`)
  })

  it('make a hook with the limits that are filled in, once it has a name and a command', () => {
    const made = { name: 'dip', command: 'buy $5 BTCUSDT; stop at -2%', account: '', when: '', limits: {} }
    expect(createLine({ ...made, name: ' ' })).toBeUndefined()
    expect(createLine({ ...made, command: '\n' })).toBeUndefined()
    expect(createLine(made)).toBe('hook create dip "buy $5 BTCUSDT; stop at -2%"')
    const filled = { cooldown: '30s', rate: ' ', 'only-if': 'flat' }
    expect(createLine({ ...made, name: 'the dip', account: 'swing', limits: filled })).toBe(
      'hook create "the dip" "buy $5 BTCUSDT; stop at -2%" --account swing --cooldown 30s --only-if flat',
    )
  })

  it('make a hook on the account of the page, where it can be chosen, and with what fires it', () => {
    const made = { ...newHook('buy $5 BTCUSDT', 'swing', ['paper', 'swing']), name: 'dip' }
    expect(createLine(made)).toBe('hook create dip "buy $5 BTCUSDT" --account swing')
    expect(createLine({ ...made, when: ' close(1h) >\n 5 ' })).toBe(
      'hook create dip "buy $5 BTCUSDT" --account swing --when "close(1h) > 5"',
    )
    expect(newHook('', 'swing', []).account).toBe('')
    expect(whyNotTypable(textsOf({ ...made, when: `"it's"` }))).toMatch(/use one kind of quotes/)
  })

  it('keep what looks like a flag or goes over lines one text', () => {
    const made = { name: '--dry', command: 'buy $5\n  BTCUSDT', account: '', when: '', limits: { zone: '{x' } }
    expect(createLine(made)).toBe('hook create "--dry" "buy $5 BTCUSDT" --zone "{x"')
    expect(editLine(hook, 'buy $6\nBTCUSDT', {})).toBe('hook edit dip "buy $6 BTCUSDT"')
  })

  it('are not written where a text has both kinds of quotes, and say so', () => {
    const both = `echo "it's"`
    expect(createLine({ name: 'dip', command: both, account: '', when: '', limits: {} })).toBeUndefined()
    expect(editLine(hook, both, {})).toBeUndefined()
    expect(whyNotTypable(['dip', both])).toMatch(/use one kind of quotes/)
    expect(whyNotTypable(['echo "a"', "it's"])).toBeUndefined()
  })

  it('keep what is typed into a limit one word', () => {
    expect(limitFlags({}, { rate: '5/1m; panic' })).toEqual(['--rate', '"5/1m; panic"'])
  })

  it('test a fire with a pair for each slot, each of them one word', () => {
    expect(testLine(hook, {})).toBe('hook test dip')
    expect(testLine(hook, { size: ' 250 ', side: 'buy' })).toBe('hook test dip size=250 side=buy')
    expect(testLine(hook, { size: '250; panic' })).toBe('hook test dip "size=250; panic"')
    expect(bodyOf({ size: ' 250 ' })).toBe('{"size":"250"}')
  })

  it('say once and dry without a value, and take them away', () => {
    expect(limitTexts({ limits: { once: true }, dry: true })).toEqual({ once: 'on', dry: 'on' })
    expect(limitFlags({}, { once: 'on', dry: 'on' })).toEqual(['--once', '--dry'])
    expect(limitFlags({ once: 'on', dry: 'on' }, { once: '', dry: 'on' })).toEqual(['--no-once'])
  })

  it('say what a slot takes, and that a command that cannot be read has none', () => {
    const slots = slotsOf('position {target:in(long,flat)} {size:usd>=5<=500} BTCUSDT')
    expect(slots.map(takes)).toEqual(['long, flat', 'dollars, at least 5, at most 500'])
    expect(slotsOf('buy {')).toEqual([])
  })
})

describe('the list of hooks', () => {
  const day = (hookId: string, at: number, failed: number) => ({
    hookId,
    fires: 3,
    ok: 3 - failed,
    failed,
    skipped: 0,
    expired: 0,
    last: { runId: 'r', at, outcome: 'ok' },
  })
  const hooks = [hook, { ...hook, id: 'b', name: 'zag' }, { ...hook, id: 'c', name: 'arc', command: 'sell 1 ETHUSDT' }]
  const days = new Map([day(hook.id, 1, 2), day('b', 9, 0)].map((each) => [each.hookId, each]))
  const names = (text: string, order: 'fired' | 'name' | 'failed') =>
    shownHooks(hooks, days, { text, order }).map(({ name }) => name)

  it('is sorted by the last fire, the name or the failures, and searched by name and command', () => {
    expect(names('', 'fired')).toEqual(['zag', 'dip', 'arc'])
    expect(names('', 'name')).toEqual(['arc', 'dip', 'zag'])
    expect(names('', 'failed')).toEqual(['dip', 'arc', 'zag'])
    expect(names('eth', 'name')).toEqual(['arc'])
  })

  it('says the day in words too', () => {
    expect(dayWords(undefined)).toBe('no fires in 24 h')
    expect(dayWords(days.get(hook.id))).toBe('3 fires in 24 h: 1 ok, 2 failed')
  })
})

describe('the news of a hook that was made', () => {
  it('has the line that shows its token', () => {
    expect(createdNews('dip')).toBe('Created dip. `hook show dip` in the hookline terminal shows its token.')
  })
})
