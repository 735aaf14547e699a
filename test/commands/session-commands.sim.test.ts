import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { defined } from '../../src/base/defined.ts'
import type { ListenerStatus } from '../../src/commands/kit/data.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'
import type { RunSummary } from '../../src/runs/run.ts'
import { openTasks } from '../../src/stores/tasks.ts'

const START = Date.UTC(2026, 0, 1)

const runs: readonly RunSummary[] = [
  { runId: 'cccccccc-1', source: 'repl', command: 'sleep 5m', startedAt: START - 2000, state: 'running' },
  {
    runId: 'bbbbbbbb-1',
    source: 'hook',
    origin: 'di\u202ep',
    account: 'paper',
    command: 'buy $250',
    startedAt: START - 60_000,
    finishedAt: START - 59_750,
    state: 'failed',
    error: 'not enough\u001b[31m money',
  },
  { runId: 'aaaaaaaa-1', source: 'web', command: 'echo', startedAt: START - 90_000, state: 'waiting' },
]

describe('status', () => {
  it('tells account, symbol, connection, listener, hooks, runs and files', async () => {
    const session = await createSession({ runs })
    await session.run('hook create dip "echo ok"')
    expect(await session.run('status')).toEqual([
      'print version     0.0.0-test',
      'print account     paper (paper)',
      'print symbol      BTCUSDT',
      'print connection  up, last 65,000.0',
      'print listener    listening (127.0.0.1:53219, pid 4711)',
      'print console     served on http://127.0.0.1:53220',
      'print hooks       1',
      'print runs        1 running, 1 waiting',
      'print files       all readable',
    ])
  })

  it.each([
    [{ state: 'starting' }, 'http://127.0.0.1:53220 is about to be served'],
    [{ state: 'not-served' }, 'not served: start `hookline` or `hookline listen`'],
    [{ state: 'held' }, 'not served: another program has port 53220; pages from there are refused'],
    [
      { state: 'held', user: 65_534 },
      'not served: a program of user 65534 has port 53220; pages from there are refused',
    ],
    [
      { state: 'off' },
      'off: config.json refuses pages of http://127.0.0.1:53220 (`web.enabled`, `listener.allowedOrigins`)',
    ],
    [{ state: 'unknown' }, 'not known: console-key.json cannot be read'],
  ] as const)('says whether the console is served: %o', async (console, text) => {
    const session = await createSession({ console })
    expect(await session.run('status')).toContain(`print console     ${text}`)
  })

  it('names each interrupted task, with the lines that resume and cancel it', async () => {
    const session = await createSession()
    const task = { kind: 'twap', account: 'paper', symbol: 'BTCUSDT', command: 'twap buy 1', runId: 'r', progress: 0 }
    const id = '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90'
    await openTasks(session.directory).put([{ ...task, id, status: 'interrupted', startedAt: 1, updatedAt: 1 }])
    const run = session.start('status')
    await run.done
    expect(run.lines.join('\n')).toMatch(/0 running, 1 interrupted$/m)
    expect(run.lines.join('\n')).toContain(
      'twap 3f9c2a71 is interrupted: `tasks resume 3f9c2a71` or `tasks cancel 3f9c2a71`',
    )
    expect(run.data.find(({ type }) => type === 'status')).toMatchObject({
      tasks: { running: 0, interrupted: 1, interruptedIds: [id] },
    })
  })

  it.each([
    [[], 'no runs to stop here; 1 hook refuses its fires; '],
    [[{}], 'stopped 1 task; 1 hook refuses its fires; '],
    [
      [{ orderIds: ['p1', 'p2'] }, { orderIds: ['p3'] }, { protective: true, orderIds: ['p4'] }],
      'stopped 2 tasks, canceling their 3 orders; 1 hook refuses its fires; ',
    ],
    [
      [{ paused: true, pausedFor: 'request' }, { status: 'interrupted' as const }],
      'no runs to stop here; 1 hook refuses its fires; ',
    ],
  ])('`panic` counts what it ends: %j', async (tasks, text) => {
    const session = await createSession()
    await session.run('hook create dip "echo ok"')
    const task = { kind: 'twap', account: 'paper', symbol: 'BTCUSDT', command: 'twap buy 1', runId: 'r', progress: 0 }
    const started = { ...task, status: 'running' as const, startedAt: 1, updatedAt: 1 }
    await openTasks(session.directory).put(
      tasks.map((fields, index) => ({ ...started, id: `task-${index}`, ...fields })),
    )
    expect(await session.run('panic')).toContainEqual(expect.stringContaining(text))
  })

  it('names the other accounts at `panic`, to the operator alone', async () => {
    const session = await createSession()
    await session.run('account add swing paper')
    const line = 'info other accounts keep their orders and positions too: swing'
    expect(await session.run('panic', { source: 'hook' })).not.toContain(line)
    await session.run('resume')
    expect(await session.run('panic')).toContain(line)
  })

  it('names the tasks that wait for their line, at `panic` and at `resume`', async () => {
    const session = await createSession()
    const task = {
      account: 'paper',
      symbol: 'BTCUSDT',
      command: 'c',
      runId: 'r',
      progress: 0,
      startedAt: 1,
      updatedAt: 1,
    }
    await openTasks(session.directory).put([
      { ...task, id: 'aaaaaaaa', kind: 'every', status: 'running' },
      { ...task, id: 'bbbbbbbb', kind: 'when', status: 'running' },
      { ...task, id: 'cccccccc', kind: 'alert', status: 'running' },
      { ...task, id: 'dddddddd', kind: 'when', status: 'done' },
    ])
    const names = /: (?:every aaaaaaaa, when bbbbbbbb|when bbbbbbbb, every aaaaaaaa)$/
    expect((await session.run('panic')).at(-1)).toMatch(
      new RegExp(`^warn these tasks stay armed but run nothing until \`resume\`${names.source}`),
    )
    expect((await session.run('resume')).at(-1)).toMatch(
      new RegExp(`^warn these tasks are active again${names.source}`),
    )
  })

  it('names the switches that are off', async () => {
    const session = await createSession()
    writeFileSync(
      join(session.directory, 'config.json'),
      '{ "listener": { "remoteExec": false, "accountSync": false } }',
    )
    const lines = await session.run('status')
    expect(lines).toContain('print remoteExec   off: hooks do not fire and web pages cannot run commands')
    expect(lines).toContain('print accountSync  off: web pages do not see accounts and cannot change them')
  })

  it('names the file and the line with a mistake', async () => {
    const session = await createSession()
    writeFileSync(join(session.directory, 'hooks.json'), '{\n  "hooks": [,\n')
    session.ports.hooks.list()
    const lines = await session.run('status')
    expect(lines).toContain('print files       1 invalid')
    expect(lines.at(-1)).toMatch(/^warn .*hooks\.json, line 2: /)
  })

  it('tells of an account that is gone and a symbol that does not exist, instead of failing', async () => {
    const session = await createSession()
    await session.ports.config.focus({ account: 'gone' })
    const gone = await session.run('status')
    await session.ports.config.focus({ account: 'paper' })
    expect(gone).toContain('print account     gone: no such account')
    expect(gone.some((line) => line.startsWith('print connection  down: '))).toBe(true)
    const strange = await session.run('status', { symbol: 'NOPE' })
    expect(strange.some((line) => line.startsWith('print connection  down: '))).toBe(true)
  })
})

describe('listener', () => {
  it.each<[Partial<ListenerStatus>, string]>([
    [{}, 'listening'],
    [{ state: 'disabled' }, 'off: listener.enabled is false in config.json'],
    [
      { state: 'port-taken', holderPid: 99 },
      'hookline with pid 99 holds the port; this process takes over when it is free',
    ],
    [{ state: 'port-taken' }, 'another process holds the port; this process takes over when it is free'],
    [
      { state: 'failed', reason: 'listen EACCES: permission denied\u001b[2J' },
      'cannot listen: listen EACCES: permission denied [2J; tried again every second, check the loopback interface and whether a sandbox or container forbids the port',
    ],
    [{ state: 'starting' }, 'starting'],
    [{ state: 'stopping' }, 'stopping: new fires are refused'],
  ])('%j: %s', async (listener, says) => {
    const session = await createSession({ listener })
    expect(await session.run('listener')).toEqual([
      `print state        ${says}`,
      'print address      127.0.0.1:53219',
      'print pid          4711',
      'print sockets      0, not counting pages',
      'print remoteExec   on',
      'print accountSync  on',
    ])
  })
})

describe('a process without a listener', () => {
  it.each([
    [4712, 'hookline with pid 4712 listens'],
    [undefined, 'no hookline listens; `hookline` or `hookline listen` starts one'],
  ])('says who listens: %j', async (listeningPid, says) => {
    const session = await createSession({ listener: { state: 'not-started' }, ...defined({ listeningPid }) })
    expect(await session.run('status')).toContain(`print listener    ${says} (127.0.0.1:53219)`)
    expect((await session.run('listener')).slice(0, 2)).toEqual([
      `print state        ${says}`,
      'print address      127.0.0.1:53219',
    ])
    const run = session.start('status')
    await run.done
    expect(run.data.find(({ type }) => type === 'status')).toMatchObject({
      listener: 'not-started',
      ...defined({ listenerPid: listeningPid }),
    })
  })
})

describe('runs', () => {
  it('lists newest first, with how long they took and why they failed', async () => {
    const session = await createSession({ runs })
    expect(await session.run('runs')).toEqual([
      'print run       started (UTC)         took  state    from       account  command',
      'print cccccccc  2025-12-31 23:59:58     2s  running  terminal            sleep 5m',
      'print bbbbbbbb  2025-12-31 23:59:00  250ms  failed   hook:di p  paper    buy $250',
      'print aaaaaaaa  2025-12-31 23:58:30         waiting  web                 echo',
      'warn bbbbbbbb failed: not enough [31m money',
    ])
  })

  it('lists as many as asked for', async () => {
    const session = await createSession({ runs })
    expect(await session.run('runs 1')).toHaveLength(2)
    expect(await session.run('runs 0')).toEqual([expect.stringMatching(/^error bad-argument/)])
    expect(await (await createSession()).run('runs')).toEqual(['info no runs yet'])
  })
})

describe('the terminal', () => {
  function recording(lines: readonly string[] = []): Terminal & { readonly calls: string[] } {
    const calls: string[] = []
    return {
      calls,
      askHidden: async () => '',
      clear: () => calls.push('clear'),
      history: () => lines,
      quit: () => calls.push('quit'),
    }
  }

  it.each([
    ['clear', 'clear'],
    ['exit', 'quit'],
    ['quit', 'quit'],
    ['Q', 'quit'],
  ])('`%s` asks the terminal to %s', async (line, call) => {
    const terminal = recording()
    const session = await createSession({ terminal })
    expect(await session.run(line)).toEqual([])
    expect(terminal.calls).toEqual([call])
  })

  describe('`exit` with a position that no stop ends', () => {
    const BARE = { symbol: 'BTCUSDT', line: 'the BTCUSDT long of 0.02 BTC has no stop' }
    const staged = async (answers: boolean[], bare = [BARE]) => {
      const asked: string[] = []
      const confirm = async (question: string) => {
        asked.push(question)
        return answers.shift() ?? false
      }
      const terminal = { ...recording(), confirm, bare: async () => bare }
      return { asked, terminal, bare, session: await createSession({ terminal }) }
    }
    const QUESTION = 'leave BTCUSDT without a stop? y or n >'

    it('names it and asks, and after a no asks again', async () => {
      const { asked, terminal, session } = await staged([false, false, true])
      const refused = [`warn ${BARE.line}`, 'info canceled: still running']
      for (const _ of [1, 2]) expect(await session.run('exit', { source: 'repl' })).toEqual(refused)
      expect([asked, terminal.calls]).toEqual([[QUESTION, QUESTION], []])
      expect(await session.run('exit', { source: 'repl' })).toEqual([`warn ${BARE.line}`])
      expect([asked, terminal.calls]).toEqual([[QUESTION, QUESTION, QUESTION], ['quit']])
    })

    it('goes after a yes', async () => {
      const { asked, terminal, session } = await staged([true])
      expect(await session.run('exit', { source: 'repl' })).toEqual([`warn ${BARE.line}`])
      expect([asked, terminal.calls]).toEqual([[QUESTION], ['quit']])
    })

    it('asks again about another position, and not where a stop ends all', async () => {
      const { asked, terminal, bare, session } = await staged([false, false])
      await session.run('exit', { source: 'repl' })
      bare.push({ symbol: 'ETHUSDT', line: 'the ETHUSDT short of 1 ETH has no stop' })
      await session.run('exit', { source: 'repl' })
      expect(asked.at(-1)).toBe('leave BTCUSDT and ETHUSDT without stops? y or n >')
      bare.length = 0
      await session.run('exit', { source: 'repl' })
      expect([asked.length, terminal.calls]).toEqual([2, ['quit']])
    })

    it('goes where nobody can be asked', async () => {
      const terminal = { ...recording(), bare: async () => [BARE] }
      await (await createSession({ terminal })).run('exit', { source: 'repl' })
      expect(terminal.calls).toEqual(['quit'])
    })
  })

  it('shows the last lines typed', async () => {
    const session = await createSession({ terminal: recording(['one', 'two\u001b[2J', 'three']) })
    expect(await session.run('history 2')).toEqual(['print two [2J', 'print three'])
    expect(await (await createSession({ terminal: recording() })).run('history')).toEqual(['info no lines typed yet'])
  })

  it('shows times in the zone that it is set to, and says which, while hooks and pages are answered in UTC', async () => {
    const before = process.env.TZ
    process.env.TZ = 'Europe/Berlin'
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    })
    const terminal = { ...recording(), times: { zone: 'utc' } }
    const session = await createSession({ terminal, runs: runs.slice(1, 2) })
    expect(await session.run('times')).toEqual(['info times are shown in UTC: it is 2026-01-01 00:00:00 UTC'])
    expect(await session.run('runs')).toContainEqual(expect.stringMatching(/started \(UTC\)/))
    expect(await session.run('times local')).toEqual([
      'info times are shown in Europe/Berlin: it is 2026-01-01 01:00:00 +01:00; typed times, days, --csv and --json keep UTC',
    ])
    const local = (await session.run('runs')).join('\n')
    expect(local).toMatch(/started \(Europe\/Berlin\)/)
    expect(local).toContain('2026-01-01 00:59:00')
    for (const source of ['hook', 'web', 'exec'] as const) {
      const lines = (await session.run('runs', { source })).join('\n')
      expect(lines).toMatch(/started \(UTC\)/)
      expect(lines).toContain('2025-12-31 23:59:00')
    }
    expect(await session.run('times UTC')).toEqual(['info times are shown in UTC: it is 2026-01-01 00:00:00 UTC'])
    expect((await session.run('runs')).join('\n')).toContain('2025-12-31 23:59:00')
    for (const zone of ['berlin', '+02:00', 'Europe/Bonn'])
      expect(await session.run(`times ${zone}`)).toEqual([
        expect.stringMatching(/^error bad-argument: no time zone `.*` found/),
      ])
    expect(await session.run('times america/st_johns')).toEqual([
      'info times are shown in America/St_Johns: it is 2025-12-31 20:30:00 -03:30; typed times, days, --csv and --json keep UTC',
    ])
    await session.run('halt paper')
    expect((await session.run('guards')).join('\n')).toContain('since 2025-12-31 20:30:00 -03:30 from')
    expect(await session.run('resume')).toContainEqual(expect.stringContaining('at 2025-12-31 20:30:00 -03:30)'))
    await session.run('panic')
    expect(await session.run('panic')).toContainEqual(expect.stringContaining('at 2025-12-31 20:30:00 -03:30'))
  })

  it.each(['clear', 'exit', 'history', 'times', 'times local'])(
    '`%s` is refused where there is no terminal',
    async (line) => {
      const session = await createSession()
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error no-terminal/)])
    },
  )

  it.each(['clear now', 'exit 1', 'status x', 'listener x', 'balance x'])(
    'takes no arguments it would ignore: `%s`',
    async (line) => {
      const session = await createSession({ terminal: recording() })
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error unexpected-argument/)])
    },
  )
})
