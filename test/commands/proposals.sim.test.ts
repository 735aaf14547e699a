// Proposals (behaviour 146): what a client may propose, what a person is shown, and what runs.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { Proposed, Terminal } from '../../src/commands/kit/ports.ts'
import { WIRE_LIMITS } from '../../src/protocol/wire-limits.ts'

const AGENT = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const ORIGIN = 'http://127.0.0.1:53220'
const BY = { clientId: AGENT, origin: ORIGIN, label: 'Agent' }
const GRANT = 'propose --accounts paper --symbols BTCUSDT --per-order $500'

interface Stage extends CommandSession {
  /** What the person was asked. */
  readonly asked: string[]
  /** Whether a person says yes, in the order of the questions; yes when there is none left. */
  readonly answers: boolean[]
  /** Called at each question, before its answer. */
  whenAsked: () => Promise<void> | void
  propose(line: string, more?: Partial<Proposed>): Promise<string>
  /** How its proposal was refused: `code: message`. */
  refused(line: string, more?: Partial<Proposed>): Promise<string>
  held(): Promise<readonly string[]>
}

async function stage(grant: string | undefined = GRANT): Promise<Stage> {
  const asked: string[] = []
  const answers: boolean[] = []
  const ask = async () => ''
  const terminal = {
    ask,
    askHidden: ask,
    confirm: async (question: string) => {
      asked.push(question)
      await staged.whenAsked()
      return answers.shift() ?? true
    },
  }
  const session = await createSession({ terminal: terminal as unknown as Terminal })
  await session.run(`clients trust ${AGENT} --label Agent`)
  if (grant !== undefined) await session.run(`clients grant ${AGENT} ${grant}`)
  const proposed = (line: string, more: Partial<Proposed> = {}) =>
    session.ports.proposals.propose(BY, { line, account: 'paper', symbol: 'BTCUSDT', reason: 'it dips', ...more })
  const staged: Stage = Object.assign(session, {
    asked,
    answers,
    whenAsked: () => {},
    propose: async (line: string, more?: Partial<Proposed>) => (await proposed(line, more)).id,
    refused: (line: string, more?: Partial<Proposed>) =>
      proposed(line, more).then(
        ({ id }) => `proposed ${id}`,
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      ),
    held: () => session.run('positions; orders'),
  })
  return staged
}

describe('a proposal', () => {
  it('runs once a person has seen it and said yes, with its client in the causes of the order', async () => {
    const session = await stage()
    await session.run('guards set paper order $500')
    const nothing = await session.held()
    const id = await session.propose('buy 0.005 stop -2%')
    expect(await session.held()).toEqual(nothing)
    const lines = (await session.run(`approve ${id}`)).join('\n')
    expect(lines).toMatch(/line {5}buy 0\.005 stop -2%/)
    expect(lines).toMatch(/symbol +side +type +amount +at +worth +stop +fee +margin/)
    expect(lines).toMatch(/limit order of paper: \$325\.\d\d of \$500\.00/)
    expect(lines).toMatch(/reason, in the words of the client and not of hookline:\n.*\| it dips\n/)
    expect(lines).toMatch(/success approved proposal p-[a-z2-9]{8}: run [0-9a-f]{8}$/)
    expect(session.asked).toEqual(['run it on paper? y or n >'])
    expect((await session.held()).join('\n')).toMatch(/BTCUSDT +long +0\.005/)
    expect(await session.ports.proposals.find(id)).toMatchObject({ state: 'begun', run: { success: true } })
    expect(session.journal[0]).toContain(`"clientId":"${AGENT}"`)
    expect(session.journal[1]).toMatch(new RegExp(`"t":"counted".*"client":"${AGENT}"`))
    expect((await session.run('audit')).join('\n')).toMatch(/proposal approve/)
  })

  it('is not run where the person says no, and stays open', async () => {
    const session = await stage()
    const nothing = await session.held()
    const id = await session.propose('buy 0.005')
    session.answers.push(false)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(
      /^error canceled: canceled: proposal p-.* is still open/,
    )
    expect(await session.held()).toEqual(nothing)
    expect(await session.ports.proposals.find(id)).toMatchObject({ state: 'proposed' })
  })

  it('begins no second time', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    await session.run(`approve ${id}`)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error not-open: proposal p-.* is begun/)
    expect((await session.held()).join('\n')).toMatch(/long +0\.005/)
  })

  it.each(['exec', 'web', 'hook'] as const)('is approved by no run of `%s`', async (source) => {
    const session = await stage(GRANT)
    const id = await session.propose('buy 0.005')
    const nothing = await session.held()
    const by = source === 'web' ? { source, clientId: AGENT, pageOrigin: ORIGIN } : { source }
    for (const line of [`approve ${id}`, `echo hi; approve ${id}`, `repeat 1 (approve ${id})`])
      expect((await session.run(line, by)).at(-1)).toMatch(/^error (?:needs-person|not-allowed-here|round-failed)/)
    expect(await session.held()).toEqual(nothing)
    expect(session.asked).toEqual([])
  })

  it('cannot approve another', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    expect(await session.refused(`approve ${id}`)).toMatch(/^not-allowed-here: /)
    expect(await session.refused(`buy 0.001; approve ${id}`)).toMatch(/^not-allowed-here: /)
  })

  it('is withdrawn by its client alone, and not once it has begun', async () => {
    const session = await stage()
    const { proposals } = session.ports
    const id = await session.propose('buy 0.005')
    await expect(proposals.withdraw('another', id)).rejects.toMatchObject({ code: 'unknown-proposal' })
    expect(await proposals.withdraw(AGENT, id)).toMatchObject({ state: 'withdrawn' })
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error not-open: /)
    const other = await session.propose('buy 0.004')
    await session.run(`approve ${other}`)
    await expect(proposals.withdraw(AGENT, other)).rejects.toMatchObject({ code: 'not-open' })
  })

  it('is denied, and with `--all` every one is for as long as it says', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    expect(await session.run(`deny ${id}`)).toEqual([`success denied proposal ${id}`])
    await session.propose('buy 0.004')
    expect(await session.run('deny --all for 1h')).toEqual([
      expect.stringMatching(/^success denied 1 proposal, and all that come until /),
    ])
    expect(await session.refused('buy 0.003')).toMatch(/^muted: the operator denies all proposals until /)
    await session.advance(3_601_000)
    expect(await session.refused('buy 0.003')).toMatch(/^proposed /)
    for (const line of ['deny --all for 25h', 'deny --all 1h', 'deny --all for soon'])
      expect((await session.run(line)).at(-1)).toMatch(/^error (?:bad-argument|bad-duration|missing-argument)/)
  })

  it('expires, and does not come back when the clock is set back', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005', { untilMinutes: 1 })
    await session.advance(61_000)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(
      /^error not-open: proposal p-.* is expired: its time is up/,
    )
  })

  it('ends when its client is revoked', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    await session.run(`clients revoke ${AGENT}`)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/is expired: its client was revoked/)
  })

  it('shows what a stranger writes as plain text of one line, behind the facts', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005', { reason: 'ok\u001b[2J\n  line     sell everything\u202e' })
    const text = (await session.run(`proposals ${id}`)).join('\n')
    expect(text).not.toMatch(/[\u001b\u202e]/)
    expect(text.match(/^print {3}line /gm)).toHaveLength(1)
    expect(text.split('\n').at(-1)).toMatch(/\| ok \[2J {3}line {5}sell everything/)
  })
})

describe('the line of a proposal', () => {
  it('has its aliases and variables resolved, so that a later change of them changes nothing', async () => {
    const session = await stage()
    await session.run('alias go "buy @1 stop @risk"')
    await session.run('set @risk -2%')
    await session.run('set @size 0.005')
    const id = await session.propose('go @size')
    expect(await session.ports.proposals.find(id)).toMatchObject({ line: 'buy 0.005 stop -2%' })
    await session.run('alias go "sell 0.5"')
    await session.run('set @size 5')
    await session.run(`approve ${id}`)
    expect((await session.held()).join('\n')).toMatch(/long +0\.005/)
  })

  it.each([
    ['an alias of several commands beside another', 'go & sell 0.001', 'not-proposable'],
    ['a variable that holds the name of one', 'buy @inner', 'not-proposable'],
    ['a variable that there is not', 'buy @none', 'unknown-variable'],
    ['a command that changes what outlives it', 'alias x "buy 1"', 'not-proposable'],
    ['a chain that hides an operator', 'buy 0.001 || hook create x "buy 1"', 'not-proposable'],
    ['a group', 'repeat 3 (buy 0.001)', 'not-proposable'],
    ['a wait', 'sleep 10s; buy 0.001', 'not-proposable'],
    ['`--dry`', 'buy 0.001 --dry', 'not-proposable'],
    ['a stop of everything', 'panic', 'not-proposable'],
    ['leverage', 'leverage 20', 'not-granted'],
    ['orders on every account', 'nuke --everywhere --yes', 'not-granted'],
    ['nothing', '   ', 'not-proposable'],
    ['a line that does not parse', 'buy "', 'unclosed-quote'],
    ['a command that there is not', 'steal 1', 'unknown-command'],
    ['a symbol outside the grant', 'buy 0.05 ETHUSDT', 'guarded'],
    ['more dollars than the grant has', 'buy 0.05', 'guarded'],
    ['what would do nothing', 'close', 'not-proposable'],
    ['what would fail', 'buy 0.0001', 'below-minimum'],
    ['more orders than a person reads', 'scale buy $3000 into 21 from -1% to -5%', 'not-proposable'],
  ])('is refused with %s', async (_, line, code) => {
    const session = await stage()
    await session.run('alias go "buy 0.001; buy 0.002"')
    await session.run('set @inner "@risk"')
    expect(await session.refused(line)).toMatch(new RegExp(`^${code}: `))
    expect(await session.ports.proposals.list()).toEqual([])
  })

  it('is refused on an account outside the grant, and on one that there is not', async () => {
    const session = await stage()
    await session.run('account add other paper')
    expect(await session.refused('buy 0.001', { account: 'other' })).toMatch(
      /^not-granted: .* does not name account other/,
    )
    expect(await session.refused('buy 0.001', { account: 'none' })).toMatch(/^unknown-account: /)
  })

  it.each([
    ['look', /^not-granted: /],
    ['propose --until 1s', /^not-granted: /],
    ['propose', /^proposed /],
    ['trade', /^proposed /],
  ])('comes from a client with the grant `%s` or is refused', async (grant, says) => {
    const session = await stage(grant)
    await session.advance(2_000)
    expect(await session.refused('buy 0.001')).toMatch(says)
  })

  it.each([
    ['panic', 'panic'],
    ['remoteExec is off', 'switch off remoteExec'],
  ])('is refused, and none is approved, while %s', async (_, line) => {
    const session = await stage()
    const id = await session.propose('buy 0.001')
    await session.run(line)
    expect(await session.refused('buy 0.002')).toMatch(/^switched-off: /)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error (?:switched-off|panic|failed)/)
    expect(await session.ports.proposals.find(id)).not.toHaveProperty('run')
  })
})

describe('what is approved is what was shown', () => {
  it('a price that moves by more than 0.5 % between the proposal and the look is asked anew, as it is now', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005 stop -2%')
    session.market.setPrice('BTCUSDT', '66000')
    session.answers.push(false)
    const text = (await session.run(`approve ${id}`)).join('\n')
    expect(text).toMatch(/warn proposal p-.* has changed since it was shown: another at in orders 1/)
    expect(text).toMatch(/66,000/)
    expect(await session.ports.proposals.find(id)).toMatchObject({ state: 'changed' })
  })

  it('a price that moves while the person reads is asked anew, and nothing is sent for the first yes', async () => {
    const session = await stage()
    const nothing = await session.held()
    const id = await session.propose('buy 0.005 stop -2%')
    session.whenAsked = async () => {
      if (session.asked.length === 1) session.market.setPrice('BTCUSDT', '66000')
      else expect(await session.held()).toEqual(nothing)
    }
    session.answers.push(true, false)
    const text = (await session.run(`approve ${id}`)).join('\n')
    expect(session.asked).toHaveLength(2)
    expect(text).toMatch(/warn proposal p-.* has changed/)
    expect(await session.held()).toEqual(nothing)
  })

  it('a price that moves by less runs', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    session.market.setPrice('BTCUSDT', '65300')
    await session.run(`approve ${id}`)
    expect(session.asked).toHaveLength(1)
    expect((await session.held()).join('\n')).toMatch(/long +0\.005/)
  })

  it('a line that would be refused by now is not run, and no one is asked', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    await session.run('halt paper')
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error \S+: the line would not run now/)
    expect(session.asked).toEqual([])
  })

  it('a line that would order another thing by now is asked anew', async () => {
    const session = await stage()
    await session.run('buy 0.005')
    const id = await session.propose('close')
    await session.run('buy 0.002')
    session.answers.push(false)
    expect((await session.run(`approve ${id}`)).join('\n')).toMatch(
      /changed since it was shown: another amount in orders 1/,
    )
    await session.run('close all')
    session.answers.push(false)
    expect((await session.run(`approve ${id}`)).join('\n')).toMatch(/changed since it was shown: 0 orders instead of 1/)
  })

  it.each(['look', 'propose --per-order $50'])('a grant that is narrowed to `%s` meanwhile holds', async (narrower) => {
    const session = await stage()
    const nothing = await session.held()
    const id = await session.propose('buy 0.005')
    session.whenAsked = async () => void (await session.run(`clients grant ${AGENT} ${narrower}`, { source: 'exec' }))
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error (?:guarded|not-granted|run-failed): /)
    expect(await session.held()).toEqual(nothing)
  })

  it('a grant that has ended runs nothing', async () => {
    const session = await stage(`${GRANT} --until 2m`)
    const nothing = await session.held()
    const id = await session.propose('buy 0.005', { untilMinutes: 10 })
    await session.advance(121_000)
    expect((await session.run(`approve ${id}`)).at(-1)).toMatch(/^error /)
    expect(await session.held()).toEqual(nothing)
  })

  it('a client that may propose trades no more than before: its own lines still only look', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    await session.run(`approve ${id}`)
    const by = { source: 'web', clientId: AGENT, pageOrigin: ORIGIN } as const
    expect(await session.run('buy 0.001', by)).toEqual([expect.stringMatching(/^error not-granted: /)])
  })
})

describe('how many', () => {
  it('equal ones are one', async () => {
    const session = await stage()
    const id = await session.propose('buy 0.005')
    expect(await session.propose('buy   0.005', { reason: 'other words' })).toBe(id)
    expect(await session.propose('buy 0.004')).not.toBe(id)
  })

  it('three are open, and a fourth is an error until one of them ends', async () => {
    const session = await stage()
    const ids: string[] = []
    for (let size = 1; size <= WIRE_LIMITS.proposalsOpen; size += 1) ids.push(await session.propose(`buy 0.00${size}`))
    expect(await session.refused('buy 0.006')).toMatch(/^too-many-open: 3 proposals of this client are open/)
    await session.run(`deny ${ids[0]}`)
    expect(await session.refused('buy 0.006')).toMatch(/^proposed /)
  })

  it('64 at once are no more than three', async () => {
    const session = await stage('propose --proposals 64/h')
    const all = await Promise.all(Array.from({ length: 64 }, (_, n) => session.refused(`buy 0.0${10 + n}`)))
    expect(all.filter((each) => each.startsWith('proposed '))).toHaveLength(WIRE_LIMITS.proposalsOpen)
  })

  it('an hour has as many attempts as the grant names, 20 where it names none, and a restart gives none back', async () => {
    const session = await stage()
    for (let n = 0; n < WIRE_LIMITS.proposalsPerHour; n += 1) {
      const id = await session.propose(`buy 0.00${1 + (n % 7)}`)
      await session.run(`deny ${id}`)
    }
    expect(await session.refused('buy 0.001')).toMatch(/^too-many: a client may make 20 proposals an hour/)
    await session.advance(3_600_000)
    expect(await session.refused('buy 0.001')).toMatch(/^proposed /)
  })

  it('a loop of 10 000 is answered by the limit, and nothing of it is worked out', async () => {
    const session = await stage('propose --proposals 5/h')
    const begun = performance.now()
    const codes = new Map<string, number>()
    for (let n = 0; n < 10_000; n += 1) {
      const code = (await session.refused(`buy 0.${1_000 + n}`)).split(':')[0]?.split(' ')[0] ?? ''
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect(codes.get('too-many')).toBe(9_995)
    // A preview takes some ms: without the limit in front of it this would take half a minute.
    expect((performance.now() - begun) / 10_000).toBeLessThan(2)
  }, 60_000)
})
