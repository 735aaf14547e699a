// Several hooklines on one directory: one has the port, all see the same accounts, orders and hooks (behaviour 26).
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, exec, LISTENING, post, RunningHookline, run } from '../../harness/process/hookline.ts'

async function startRepl(directory: string): Promise<RunningHookline> {
  const repl = new RunningHookline(directory)
  await repl.prints(LISTENING)
  return repl
}

describe('a second hookline on the same directory', () => {
  it('says who has the port, works, and takes the port over when the first one ends', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    const second = new RunningHookline(directory)
    await second.prints(`127.0.0.1:53219 is held by the hookline with pid ${first.pid}: continuing without a listener`)
    second.say('echo works')
    await second.prints('\nworks\n')

    const hook = await createHook(directory, 'x', 'echo fired')
    await post(hook.url, hook.token)
    await first.prints('[hook:x] fired')
    expect(second.stdout).not.toContain('[hook:x]')

    first.say('exit')
    expect((await first.ended()).code).toBe(0)
    await second.prints(LISTENING)
    await post(hook.url, hook.token)
    await second.prints('[hook:x] fired')
    second.child.stdin.end()
    expect(await second.ended()).toMatchObject({ stderr: '', code: 0 })
  })

  it('has a focus of its own, which moves no hook of the first one and is no default of the next start', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    first.say('account add two paper')
    await first.prints('added account two')
    const hook = await createHook(directory, 'x', 'account')
    const second = new RunningHookline(directory)
    await second.prints('is held by')
    second.say('account use two')
    await second.prints('in this terminal only: ')
    second.say('account')
    await second.prints('*  two')
    await post(hook.url, hook.token)
    await first.prints('*  paper')
    await expect(exec(directory, 'account use two')).rejects.toThrow('keeps its own focus')

    first.say('exit')
    await first.ended()
    await second.prints(LISTENING)
    await post(hook.url, hook.token)
    await second.prints('[hook:x] *  two')
    second.say('exit')
    await second.ended()
    expect(await exec(directory, 'account')).toContain('*  paper')
  })

  it('leaves the runs of the first one alone', async () => {
    const directory = tempDirectory()
    const first = await startRepl(directory)
    first.say('echo begin; sleep 1s; echo end')
    await first.prints('begin')
    const second = new RunningHookline(directory)
    await second.prints('is held by')
    second.say('exit')
    expect((await second.ended()).stdout).not.toContain('interrupted')
    await first.prints('end')
  })
})

describe('hookline exec beside a running REPL', () => {
  it('shows the orders of the REPL, and the REPL shows its own', async () => {
    const directory = tempDirectory()
    const repl = await startRepl(directory)
    repl.say('buy $300 ETHUSDT at -10%')
    await repl.prints('ETHUSDT at ')
    expect(await exec(directory, 'orders')).toMatch(/ETHUSDT +buy +limit/)
    await exec(directory, 'buy $300 BTCUSDT')
    repl.say('positions')
    await repl.prints('BTCUSDT  long')
    await exec(directory, 'cancel all')
    repl.say('orders')
    await repl.prints('no open orders')
  })
})

describe('beside a newer hookline on the same directory', () => {
  /** As a newer one does it: the file under this name is another one. */
  function replaced(directory: string, name: string, content: string): void {
    const draft = join(directory, `.${name}.newer`)
    writeFileSync(draft, content, { mode: 0o600 })
    renameSync(draft, join(directory, name))
  }

  it('sends no order and changes no file that the newer one has written, and names each; what it reads goes on', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'buy 100usd BTCUSDT')
    const first = await RunningHookline.listening(directory)
    expect((await post(hook.url, hook.token)).status).toBe(200)
    await first.prints('bought')

    const newer = (name: string) =>
      JSON.stringify({ version: 99, ...JSON.parse(readFileSync(join(directory, name), 'utf8')) })
    const written = {
      'orders.jsonl': '{"version":2}\n{"t":"new kind"}\n',
      'hooks.json': newer('hooks.json'),
      'accounts.json': newer('accounts.json'),
    }
    for (const [name, content] of Object.entries(written)) replaced(directory, name, content)
    // The hook is read as far as it can be; its order is not sent without its journal.
    expect((await post(hook.url, hook.token)).status).toBe(200)
    await first.prints('orders.jsonl')
    const { stderr, code } = await run(directory, ['exec', 'status'])
    expect(code).toBe(0)
    expect(Object.keys(written).filter((name) => !stderr.includes(`${name}: is of version `))).toEqual([])
    const added = await run(directory, ['hook', 'create', 'more', 'price'])
    expect([added.code, added.stderr]).toEqual([1, expect.stringContaining('written by a newer hookline')])
    for (const [name, content] of Object.entries(written))
      expect(readFileSync(join(directory, name), 'utf8')).toBe(content)
    expect(first.stdout.match(/bought/g)).toHaveLength(1)
  })
})
