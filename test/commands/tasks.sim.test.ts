// `tasks` and `kill`, beyond their examples: who may ask what, and which tasks are meant.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { TASK_STAGE } from './task-stages.ts'

async function stage(): Promise<CommandSession> {
  const session = await createSession(TASK_STAGE.options)
  await TASK_STAGE.prepare(session)
  return session
}

describe('a task', () => {
  it.each(['3f9c2a71', '3f9c2a71-6f1d', '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90'])('is meant by %s', async (id) => {
    const session = await stage()
    expect(await session.run(`tasks pause ${id}`)).toEqual([
      'success resting 3f9c2a71 is paused; nothing filled, nothing rests',
    ])
  })

  it.each([
    ['tasks show 3f9', 'prefix-too-short'],
    ['tasks cancel 00000000', 'not-found'],
    ['tasks cancel', 'missing-argument'],
    ['kill', 'missing-argument'],
    ['tasks list 5', 'unexpected-argument'],
  ])('is not meant by `%s`', async (line, code) => {
    const session = await stage()
    expect((await session.run(line))[0]).toContain(`error ${code}: `)
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(1)
  })

  it('is meant by its kind where it is the only one of it', async () => {
    const session = await createSession()
    const run = async (line: string) => (await session.run(line)).join('\n')
    expect(await run('tasks pause twap')).toContain('error prefix-too-short')
    await run('twap buy $1000 BTCUSDT into 4 over 10m')
    await run('chase buy $100 ETHUSDT')
    expect(await run('tasks pause TWAP')).toMatch(/^success twap \w{8} is paused/)
    expect(await run('tasks show twap')).toMatch(/task +twap \w{8}/)
    await run('twap buy $1000 ETHUSDT into 4 over 10m')
    expect(await run('tasks cancel twap')).toMatch(
      /^error ambiguous: 2 tasks have the kind `twap` \| name one: \w{8}, \w{8}$/,
    )
    expect(await run('kill chase')).toMatch(/^success chase \w{8} is canceled/)
    expect(await run('tasks cancel chase')).toContain('error prefix-too-short')
  })

  it('of another account is not meant by its kind in a hook', async () => {
    const session = await createSession()
    await session.run('account add second paper')
    await session.run('twap buy $1000 BTCUSDT into 4 over 10m')
    const said = await session.run('tasks cancel twap', { source: 'hook', account: 'second' })
    expect(said.join('\n')).toContain('error prefix-too-short')
    expect((await session.run('tasks')).join('\n')).toContain('twap')
  })

  it('that is named twice is asked once', async () => {
    const session = await stage()
    expect(await session.run('tasks cancel 3f9c2a71,3f9c2a71 3f9c2a71')).toHaveLength(1)
  })

  it('is listed as one that no process drives, after the process that did was killed', async () => {
    const session = await stage()
    expect((await session.run('tasks')).join('\n')).toMatch(/3f9c2a71 .* running /)
    await session.tasks.abandonAsKilled()
    session.ports.tasks.driver = () => undefined
    const run = session.start('tasks')
    await run.done
    expect(run.lines.join('\n')).toMatch(/3f9c2a71 .* not driven/)
    expect(run.lines.join('\n')).not.toContain('running')
    expect(run.lines.at(-1)).toBe('warn tasks are not driven by any process: start `hookline` or `hookline listen`')
    expect(run.data[0]).not.toHaveProperty('driver')
  })

  it('that is over says so, and is not resumed', async () => {
    const session = await stage()
    await session.run('kill all')
    expect(await session.run('tasks')).toEqual(['info no tasks are running; `tasks --all` lists past ones'])
    expect((await session.run('tasks resume 3f9c2a71'))[0]).toContain('error not-resumable: it is canceled')
    expect(await session.run('kill all')).toEqual(['info no tasks are running'])
  })
})

describe('a hook', () => {
  it('cancels tasks of its account, and has no say on those of another', async () => {
    const session = await stage()
    await session.run('account add other paper')
    const from = (account: string) => ({ source: 'hook', account }) as const
    expect((await session.run('tasks cancel 3f9c2a71', from('other')))[0]).toContain('error not-allowed-here: ')
    expect(await session.run('tasks cancel --all', from('other'))).toEqual(['info no tasks are running'])
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(1)
    expect((await session.run('tasks cancel --all', from('paper')))[0]).toContain(
      'success resting 3f9c2a71 is canceled',
    )
  })
})

describe('a page', () => {
  it('cancels a task by its id', async () => {
    const session = await stage()
    const id = session.ports.tasks.list()[0]?.id ?? ''
    expect((await session.run(`tasks cancel ${id}`, { source: 'web' }))[0]).toContain(' is canceled')
    expect(session.ports.tasks.list()[0]).toMatchObject({ status: 'cancelled' })
  })

  it('pauses tasks, as a hook does, and neither resumes them', async () => {
    for (const source of ['web', 'hook'] as const) {
      const session = await stage()
      expect((await session.run('tasks pause --all', { source }))[0]).toContain('is paused')
      expect((await session.run('tasks resume --all', { source }))[0]).toContain('error not-allowed-here')
      expect(session.ports.tasks.list()[0]).toMatchObject({ status: 'running', paused: true })
    }
  })
})

describe('a halt', () => {
  it('lets tasks be canceled and paused, and not resumed', async () => {
    const session = await stage()
    await session.run('tasks pause --all')
    await session.run('halt')
    expect((await session.run('tasks resume --all'))[0]).toContain('error not-resumable: account paper is halted')
    expect((await session.run('tasks cancel --all'))[0]).toContain(' is canceled')
  })
})

describe('status', () => {
  it('says how many run, and who drives them', async () => {
    const session = await stage()
    expect((await session.run('status')).join('\n')).toMatch(/tasks +1 running, driven by pid \d+/)
  })
})

describe('a process that may not drive', () => {
  it('says that none does', async () => {
    const session = await createSession({ ...TASK_STAGE.options, drivesTasks: false })
    expect((await session.run('chase buy 0.01'))[0]).toContain('error')
    expect(await session.market.exchange.fetchOpenOrders()).toEqual([])
  })
})
