// `--when` of a hook: what is stored, what is refused, and who may set it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

const START = Date.UTC(2026, 0, 1)
const dip = (session: CommandSession) => session.ports.hooks.resolve('dip')

describe('a hook with --when', () => {
  it.each([
    ['"last > 70000"', '"buy $50 ETHUSDT"', { text: 'last > 70000', symbol: 'ETHUSDT' }],
    ['"last > 70000"', '"echo ok"', { text: 'last > 70000', symbol: 'BTCUSDT' }],
    ['"ETHUSDT > 4000"', '"buy $50 BTCUSDT"', { text: 'last > 4000', symbol: 'ETHUSDT' }],
    [
      '"eth close(1h) crosses above ema(50)"',
      '"buy $50 BTCUSDT"',
      { text: 'close(1h) crosses above ema(50)', symbol: 'ETHUSDT' },
    ],
  ])('keeps %s of %s with its symbol and the account in focus', async (when, command, stored) => {
    const session = await createSession()
    await session.run(`hook create dip ${command} --when ${when}`)
    expect(dip(session)).toMatchObject({ account: 'paper', when: { ...stored, since: START } })
  })

  it('keeps times without a symbol, on the account in focus then', async () => {
    const session = await createSession()
    await session.run('hook create dip "buy $50 BTCUSDT" --when "every mon,fri 09:00 Europe/Berlin --late 5m"')
    expect(dip(session).when).toEqual({ text: 'every mon,fri 09:00 Europe/Berlin --late 5m', since: START })
    expect(dip(session)).toMatchObject({ account: 'paper' })
    await session.run('hook create other "buy $50 BTCUSDT"; hook edit other --when "every 4h"')
    expect(session.ports.hooks.list().map(({ account }) => account)).toEqual(['paper', 'paper'])
  })

  it.each([
    ['"close(1h) > emma(50)"', 47, 'is not a value of a condition'],
    ['"last > 1 / 0"', 44, 'divides by'],
    ['"last > 70000 and last < 60000"', 48, 'never'],
    ['"every day 25:00"', 45, 'is not a time of day'],
    ['"every day 09:00 --late"', 57, 'how late it may be is missing'],
    ['"each last > 70000"', 35, 'a hook fires each time'],
    ['"at 2025-01-01 09:00"', undefined, 'has passed'],
    ['close(1h) > ema(50)', 44, 'takes one argument'],
    ['', 33, 'is missing'],
  ])('is refused for %s, with the place of the slip', async (when, column, says) => {
    const session = await createSession()
    const run = session.start(`hook create dip "echo ok" --when ${when}`)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringContaining(says)])
    if (column !== undefined) expect(run.columns).toEqual([column])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('is refused where the command needs an alert, or names several symbols', async () => {
    const session = await createSession()
    const slots = await session.run('hook create dip "buy {size:usd<=500} BTCUSDT" --when "last > 1"')
    expect(slots).toEqual([expect.stringContaining('--when provides none')])
    const several = await session.run('hook create dip "buy $50 BTCUSDT; buy $50 ETHUSDT" --when "last > 1"')
    expect(several).toEqual([expect.stringContaining('names several symbols')])
    await session.run('hook create dip "buy $50 BTCUSDT; buy $50 ETHUSDT" --when "ETHUSDT last > 1"')
    expect(dip(session).when?.symbol).toBe('ETHUSDT')
    expect(await session.run('hook edit dip "buy {size:usd<=500} ETHUSDT"')).toEqual([
      expect.stringContaining('--when provides none'),
    ])
  })

  it('is refused for more bars than the venue has', async () => {
    const session = await createSession()
    const { exchange } = session.market
    session.useExchange(
      new Proxy(exchange, {
        get(target, key) {
          if (key === 'fetchCandles') return async () => []
          const value = Reflect.get(target, key) as unknown
          return typeof value === 'function' ? value.bind(target) : value
        },
      }),
    )
    expect(await session.run('hook create dip "echo ok" --when "close(1h) > ema(50)"')).toEqual([
      expect.stringMatching(/it needs 51 bars of 1h, and .* has 0/),
    ])
    expect(session.ports.hooks.list()).toEqual([])
  })

  it('is edited and taken away', async () => {
    const session = await createSession()
    await session.run('hook create dip "buy $50 ETHUSDT"')
    await session.run('hook edit dip --when "last > 4000"')
    expect(dip(session)).toMatchObject({ account: 'paper', when: { text: 'last > 4000', symbol: 'ETHUSDT' } })
    await session.run('hook edit dip --no-when')
    expect(dip(session)).not.toHaveProperty('when')
  })

  it('is listed and shown, with the next of its times', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok" --when "every day 09:00"')
    const next = START + 9 * 3_600_000
    expect((await session.run('hooks')).join('\n')).toContain('every day 09:00, next at 2026-01-01 09:00:00')
    const run = session.start('hook show dip')
    await run.done
    expect(run.data).toMatchObject([{ when: { text: 'every day 09:00', since: START, next } }])
  })

  it('shows its values and how far they are from each other, by one look where this process does not judge', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok" --when "last > 70000 and position == 0"')
    const run = session.start('hook show dip')
    await run.done
    const shown = run.lines.join('\n')
    expect(shown).toMatch(/values +last 65,?000, position 0$/m)
    expect(shown).toMatch(/distance +last > 70,000: \+5,000 \(\+7\.69%\), position == 0: \+0$/m)
    expect(run.data).toMatchObject([{ when: { values: { last: 65_000, position: 0 } } }])
  })

  it('names the indicators of its condition, for those who draw them', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok" --when "close(1h) crosses above ema(high, 50) and rsi(14, 4h) < 60"')
    const run = session.start('hooks')
    await run.done
    expect(run.data).toMatchObject([
      {
        hooks: [
          {
            when: {
              indicators: [
                { name: 'ema', params: [50], source: 'high', frame: '1h' },
                { name: 'rsi', params: [14], source: 'close', frame: '4h' },
              ],
            },
          },
        ],
      },
    ])
  })

  it('says where no process judges it, and how one would', async () => {
    const session = await createSession()
    const idle = 'no hookline is running: start `hookline` or `hookline listen`, and leave it running'
    const row = expect.stringMatching(new RegExp(`^print (.*\n)*not fired +${idle}$`, 'm'))
    expect(await session.run('hook create dip "echo ok" --when "every day 09:00"')).toContainEqual(row)
    expect(await session.run('hook show dip')).toContainEqual(row)
    expect(await session.run('hook edit dip --when "every day 10:00"')).toContainEqual(
      `warn it does not fire by itself: ${idle}`,
    )
    expect((await session.run('hook edit dip --no-when; hook show dip')).join('\n')).not.toContain(idle)
    await session.tasks.look()
    expect((await session.run('hook edit dip --when "every day 09:00"; hook show dip')).join('\n')).not.toContain(idle)
  })

  it('warns of one that is true already', async () => {
    const session = await createSession()
    expect(await session.run('hook create dip "echo ok" --when "last > 1"')).toContainEqual(
      expect.stringMatching(/^warn the condition is already true: the hook fires the next time it becomes true/),
    )
  })

  it('tells pages and hooks nothing of what an account holds while accountSync is off', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok" --when "position == 0 and last > 70000"')
    await session.run('hook pause dip')
    await session.run('switch off accountSync')
    for (const source of ['web', 'hook'] as const) {
      const run = session.start('hook show dip', { source })
      await run.done
      expect(run.data).toMatchObject([{ name: 'dip', when: { text: 'position == 0 and last > 70000' } }])
      expect(JSON.stringify([run.data, run.lines])).not.toMatch(/values|distance|comparisons|holds/)
      const refused = [expect.stringContaining('accountSync disabled')]
      expect(await session.run('hook create spy "echo ok" --when "equity > 1000"', { source })).toEqual(refused)
      expect(await session.run('hook edit dip --when "pnl > 10"', { source })).toEqual(refused)
    }
    expect((await session.run('hook show dip')).join('\n')).toContain('position 0')
  })

  it('is off until a person turns it on, where a page or a hook made it', async () => {
    const session = await createSession()
    for (const source of ['web', 'hook'] as const) {
      const name = `of-${source}`
      const lines = await session.run(`hook create ${name} "echo ok" --when "last > 70000"`, { source })
      expect(lines).toContainEqual(expect.stringContaining('`hook resume` at the terminal turns it on'))
      const { paused } = session.ports.hooks.resolve(name)
      expect(paused).toMatchObject({ by: source === 'web' ? 'page' : 'hook' })
      expect(paused).not.toHaveProperty('until')
      expect(await session.run(`hook resume ${name}`, { source })).toEqual([expect.stringContaining('error')])
      await session.run(`hook edit ${name} --when "last > 80000"`, { source })
      expect(session.ports.hooks.resolve(name).when?.text).toBe('last > 80000')
      await session.run(`hook resume ${name}`)
      expect(session.ports.hooks.resolve(name)).not.toHaveProperty('paused')
    }
  })

  it('is not set by a page or a hook on one that runs, or that goes on by itself', async () => {
    const session = await createSession()
    await session.run('hook create dip "echo ok"')
    for (const source of ['web', 'hook'] as const) {
      const refused = [expect.stringMatching(/only the terminal extends what a hook may do: --when/)]
      expect(await session.run('hook edit dip --when "last > 1"', { source })).toEqual(refused)
      await session.run('hook pause dip for 1h', { source })
      expect(await session.run('hook edit dip --when "last > 1"', { source })).toEqual(refused)
      await session.run('hook resume dip')
      await session.run('hook edit dip --when "last > 1"')
      expect(await session.run('hook edit dip --when "last > 2"', { source })).toEqual(refused)
      await session.run('hook edit dip --no-when', { source })
      expect(dip(session)).not.toHaveProperty('when')
    }
  })

  it('is read from a file of an older version, and a row with an unknown field of it is not used', async () => {
    const session = await createSession()
    const row = { id: '3f9c2a71'.repeat(4), name: 'dip', secret: 'a'.repeat(32), command: 'echo ok', createdAt: 1 }
    const other = { ...row, id: '4f9c2a71'.repeat(4), name: 'odd', secret: 'b'.repeat(32) }
    mkdirSync(session.directory, { recursive: true })
    const odd = { ...other, when: { text: 'last > 1', symbol: 'BTCUSDT', since: 1, frame: '1h' } }
    writeFileSync(join(session.directory, 'hooks.json'), JSON.stringify({ hooks: [row, odd] }))
    expect(session.ports.hooks.list()).toMatchObject([{ name: 'dip' }])
    expect(session.ports.hooks.list()[0]).not.toHaveProperty('when')
  })
})
