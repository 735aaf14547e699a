// Tasks of the built program: they outlive the process that began them, and one that dies beside another is taken over (behaviour 41).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, LISTENING, RunningHookline, run } from '../../harness/process/hookline.ts'
import { foldTasks } from '../../src/tasks/task-record.ts'

const TRAIL = 'buy 0.01 BTCUSDT; trail 5%'
/** It rests far from the market, and waits. */
const CHASE = 'chase buy 0.001 BTCUSDT to -20% for 10m'

async function startRepl(directory: string): Promise<RunningHookline> {
  const repl = new RunningHookline(directory)
  await repl.prints(LISTENING)
  return repl
}

function records(directory: string) {
  return [...foldTasks(readFileSync(join(directory, 'tasks.jsonl'), 'utf8').split('\n')).values()]
}

async function orderIds(directory: string): Promise<readonly string[]> {
  const { stdout } = await run(directory, ['exec', 'orders', '--json'])
  const [line = '{}'] = stdout.split('\n')
  return (JSON.parse(line) as { orders: { id: string }[] }).orders.map(({ id }) => id)
}

describe('a driver that is killed', () => {
  it('is followed by the hookline beside it, which goes on with the order that rests', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    first.say(TRAIL)
    await first.prints('keeps a stop')
    const second = new RunningHookline(directory, ['listen'])
    await second.prints('is held by')
    const before = await orderIds(directory)
    expect(before).toHaveLength(1)

    first.signal('SIGKILL')
    await first.ended()
    await second.prints('] continues')
    expect(await orderIds(directory)).toEqual(before)
    expect(records(directory)).toMatchObject([{ status: 'running', nextStep: 1 }])
    expect(await exec(directory, 'status')).toContain(`1 running, driven by pid ${second.pid}`)

    expect(await exec(directory, 'tasks cancel --all')).toMatch(/trail \w{8} is canceled/)
    expect(await orderIds(directory)).toEqual([])
  })

  it('leaves a task that adds interrupted; the next start says so and places nothing', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    first.say(CHASE)
    await first.prints('buys 0.001 BTCUSDT')
    first.signal('SIGKILL')
    await first.ended()

    const second = await startRepl(directory)
    await second.prints('interrupted: hookline ended while it was running')
    second.say('tasks')
    await second.prints('  interrupted  ')
    second.say('tasks resume --all')
    await second.prints(' is running; ')
    second.say('kill all')
    await second.prints(' is canceled; ')
    expect(await orderIds(directory)).toEqual([])
  })
})

describe('a clean end', () => {
  it('takes back what a chase rests, keeps the stop of a trail, and says both', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    first.say(TRAIL)
    await first.prints('keeps a stop')
    first.say(CHASE)
    await first.prints('buys 0.001 BTCUSDT')
    first.say('exit')
    const { stdout } = await first.ended()
    expect(stdout).toContain('interrupted: hookline was closed; nothing filled, nothing rests; `tasks resume ')
    expect(stdout).toContain('] its orders stay open; it continues in another hookline, or at the next start')
    expect(await orderIds(directory)).toHaveLength(1)

    const second = await startRepl(directory)
    await second.prints('] continues')
    second.say('exit')
    await second.ended()
  })
})

describe('a shell beside no hookline', () => {
  it('begins no task, and cancels none', async () => {
    const directory = tempDirectory()
    const { stderr, stdout, code } = await run(directory, ['exec', CHASE])
    expect(code).not.toBe(0)
    expect(`${stdout}${stderr}`).toContain('no running hookline can drive tasks')
    expect(await orderIds(directory)).toEqual([])
  })
})

describe('a cancel', () => {
  it('is printed once where the process that is asked drives the task', async () => {
    const hookline = await startRepl(tempDirectory())
    hookline.say(TRAIL)
    await hookline.prints('keeps a stop')
    hookline.say('tasks cancel --all')
    await hookline.prints('no longer protects the position on BTCUSDT')
    hookline.say('echo the end')
    await hookline.prints('the end')
    expect(hookline.stdout).toMatch(/trail \w{8} is canceled; /)
    expect(hookline.stdout).not.toMatch(/\[trail \w{8}\] canceled/)
  })
})
