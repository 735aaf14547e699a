import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

async function withHook(line = 'hook create dip "echo ok"'): Promise<CommandSession> {
  const session = await createSession()
  await session.run(line)
  return session
}

const dip = (session: CommandSession) => session.ports.hooks.resolve('dip')

describe('limits of a hook', () => {
  it.each([
    ['--cooldown 90', { cooldownMs: 90_000 }],
    ['--cooldown=1h', { cooldownMs: 3_600_000 }],
    ['--rate 5/1m', { rate: { fires: 5, ms: 60_000 } }],
    ['--rate 5/m', { rate: { fires: 5, ms: 60_000 } }],
    ['--max $1,000.50', { max: '1000.5' }],
    ['--per-day 10 --once', { perDay: 10, once: true }],
    ['--only-if LONG', { onlyIf: 'long' }],
    ['--window 22:00-06:30 --days fri-sun', { window: { from: '2200', to: '0630', days: ['sun', 'fri', 'sat'] } }],
    ['--window 0930-1600 --zone America/New_York', { window: { from: '0930', to: '1600', zone: 'America/New_York' } }],
  ])('are read from `%s`', async (flags, limits) => {
    const session = await withHook(`hook create dip "echo ok" ${flags}`)
    expect(dip(session).limits).toEqual(limits)
  })

  it.each([
    ['--cooldown 0', 38, 'from a second to a day'],
    ['--cooldown 25h', 38, 'from a second to a day'],
    ['--rate 5', 34, 'is not a rate'],
    ['--rate 0/1m', 34, 'from 1 to 200'],
    ['--rate 201/1m', 34, 'from 1 to 200'],
    ['--max 0', 33, 'is not a sum of dollars'],
    ['--max 5%', 33, 'is not a sum of dollars'],
    ['--per-day $500', 37, '--max bounds the dollars of one'],
    ['--only-if up', 37, 'type flat, long or short'],
    ['--window 9-17', 36, 'is not a time of day'],
    ['--window 0900-0900', 36, 'is not a time of day'],
    ['--window 2500-2600', 36, 'is not a time of day'],
    ['--zone Mars/Base', 34, 'is not a time zone'],
    ['--days mon-xyz', 34, 'is not a list of days'],
    ['--cooldown', 37, 'is missing'],
  ])('are refused in `%s`, with their place', async (flags, column, says) => {
    const session = await createSession()
    const run = session.start(`hook create dip "echo ok" ${flags}`)
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringContaining(says)])
    expect(run.columns).toEqual([column])
    expect(session.ports.hooks.list()).toEqual([])
  })
})

describe('hook edit', () => {
  it('changes limits and command, and neither id nor token', async () => {
    const session = await withHook('hook create dip "echo ok" --once --cooldown 5s')
    const { id, secret } = dip(session)
    await session.run('hook edit dip "echo other" --no-once --per-day 3 --parallel 2')
    expect(dip(session)).toMatchObject({ id, secret, command: 'echo other', parallel: 2 })
    expect(dip(session).limits).toEqual({ cooldownMs: 5_000, perDay: 3 })
    expect(session.ports.audit.read().at(-1)).toMatchObject({
      what: 'hook edit',
      details: { name: 'dip', before: { command: 'echo ok' }, after: { command: 'echo other' } },
    })
  })

  it('says that --once has run already, and the line that arms it', async () => {
    const begun = [{ runId: 'r', at: Date.UTC(2026, 0, 1), resumed: 0 }]
    const session = await createSession({ begun })
    await session.run('hook create dip "echo ok"')
    const said = (await session.run('hook edit dip --once')).join('\n')
    expect(said).toContain('warn it has run already: `hook resume dip` arms it again')
    await session.run('hook resume dip')
    expect((await session.run('hook edit dip --once')).join('\n')).not.toContain('has run already')
  })

  it('checks the command as `hook create` does, with its place in the line', async () => {
    const session = await withHook()
    const run = session.start('hook edit dip "byu $250"')
    expect(await run.done).toBe(false)
    expect(run.columns).toEqual([16])
    expect(await session.run('hook edit dip')).toEqual([expect.stringContaining('missing-argument')])
    expect(dip(session).command).toBe('echo ok')
  })

  it.each(['web', 'hook'] as const)('from %s makes limits stricter, and lets nothing more through', async (source) => {
    const limits = '--cooldown 5s --rate 3/1h --max $100 --per-day 3 --window 09:00-17:00 --days mon-fri --once'
    const session = await withHook(`hook create dip "echo ok" --parallel 2 --max-age 9s ${limits}`)
    await session.run('hook edit dip --cooldown 6s --max $50 --only-if flat --per-day 2 --parallel 1', { source })
    const { id: _, ...before } = dip(session)
    const stricter = { cooldownMs: 6_000, max: '50', onlyIf: 'flat', perDay: 2, rate: { fires: 3, ms: 3_600_000 } }
    expect(before).toMatchObject({ limits: stricter, parallel: 1, maxAgeMs: 9_000 })
    for (const flags of [
      '--no-max',
      '--max $60',
      '--no-cooldown',
      '--cooldown 5s',
      '--no-per-day',
      '--per-day 3',
      '--no-once',
      '--no-rate',
      '--rate 4/1h',
      '--rate 3/59m',
      '--no-only-if',
      '--only-if long',
      '--no-window',
      '--window 09:00-17:01',
      '--window 08:59-17:00',
      '--no-days',
      '--days mon-sat',
      '--zone Asia/Tokyo',
      '--no-parallel',
      '--parallel 2',
      '--no-max-age',
      '--max-age 10s',
      '"echo other"',
      '"echo ok "',
      '--max $40 --per-day 3',
    ]) {
      expect([flags, await session.run(`hook edit dip ${flags}`, { source })]).toEqual([
        flags,
        [expect.stringContaining('not-allowed-here')],
      ])
    }
    expect(dip(session)).toMatchObject({ ...before, command: 'echo ok' })
  })

  it.each(['web', 'hook'] as const)('from %s does not let a dry hook order', async (source) => {
    const session = await withHook('hook create dip "echo ok" --dry')
    expect(await session.run('hook edit dip --no-dry', { source })).toEqual([
      expect.stringContaining('not-allowed-here'),
    ])
    expect(dip(session).dry).toBe(true)
  })
})

describe('hook pause and hook resume', () => {
  it('say until when and why, and the list and `hook show` say it too', async () => {
    const session = await withHook()
    const [line] = await session.run('hook pause dip for 1h "big news"')
    expect(line).toMatch(/^success hook dip is paused until 2026-01-01 .* UTC$/)
    expect((await session.run('hooks'))[1]).toMatch(/paused since 2026-01-01 .* until 2026-01-01 .*: big news/)
    expect(await session.run('hook show dip')).toContainEqual(expect.stringMatching(/state +paused since .*: big news/))
    await session.run('hook resume dip')
    expect(dip(session)).toMatchObject({ resumed: 1 })
    expect(dip(session).paused).toBeUndefined()
  })

  it('hide a token that was pasted into the reason', async () => {
    const session = await withHook()
    const { secret } = dip(session)
    await session.run(`hook pause dip leaked ${secret.toUpperCase()} today`)
    expect(dip(session).paused?.why).toBe('leaked <hidden> today')
  })

  it('by a page do not shorten a pause that is there', async () => {
    const session = await withHook()
    await session.run('hook pause dip')
    await session.run('hook pause dip for 1s', { source: 'web' })
    expect(dip(session).paused).toMatchObject({ by: 'terminal' })
    expect(dip(session).paused?.until).toBeUndefined()
    await session.run('hook resume dip')
    await session.run('hook pause dip for 1h')
    await session.run('hook pause dip', { source: 'hook' })
    expect(dip(session).paused).toMatchObject({ by: 'hook' })
    expect(await session.run('hook resume dip', { source: 'web' })).toEqual([
      expect.stringContaining('not-allowed-here'),
    ])
  })
})

describe('a row of hooks.json', () => {
  it('with a limit that is not known is not used', async () => {
    const session = await withHook()
    const { id } = dip(session)
    await expect(session.ports.hooks.edit(id, () => ({ limits: { cooldown: 5 } as never }))).rejects.toMatchObject({
      code: 'invalid-value',
    })
    expect(dip(session).limits).toBeUndefined()
  })
})
