// `hookline mcp` as the program of a language model sees it: through the client of the SDK, by stdio, with the built program and a real listener.
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import type { GrantLevel } from '../../src/protocol/rows.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/main.cjs')

async function model(directory: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', '--accounts', 'paper'],
      env: { PATH: process.env.PATH ?? '', HOOKLINE_CONFIG_DIR: directory },
      stderr: 'inherit',
    }),
  )
  onTestFinished(() => client.close())
  return client
}

interface Answer {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: readonly { readonly text?: string }[]
}

/** What a tool answers: its data, or its error. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { structuredContent, content } = (await client.callTool({ name, arguments: args })) as Answer
  return (structuredContent ?? jsonOf(content[0]?.text ?? '')) as Record<string, never> & {
    readonly code?: string
    readonly id: string
  }
}

/** The SDK itself answers arguments that are not of the schema, in words. */
function jsonOf(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : { text }
}

/** The operator is asked, has read, and answers. */
async function letIn(app: RunningApp, client: Client, may: GrantLevel): Promise<void> {
  expect(await call(client, 'look', { what: 'positions' })).toMatchObject({
    code: 'awaiting-approval',
    hint: expect.stringContaining('y propose'),
  })
  expect(app.questions.at(-1)?.question).toMatchObject({ asks: { may: 'propose', accounts: ['paper'] } })
  await new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))
  expect(await app.app.answer('approved', may)).toMatchObject({ outcome: 'approved' })
  await expect.poll(async () => (await call(client, 'look', { what: 'positions' })).code).toBeUndefined()
}

const LINE = { line: 'buy 0.01 stop -2%', account: 'paper', symbol: 'BTCUSDT', reason: 'support held' }

const placed = async ({ app }: RunningApp) => {
  const { venue } = await app.connect('paper')
  return (await venue.fetchPositions()).length + (await venue.fetchOpenOrders()).length
}

/** Whether a model may make the call again. */
const AGAIN = 'retry'

describe('the tools of a model', () => {
  it('are eleven, told in 6 KiB', async () => {
    const client = await model(tempDirectory())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'look',
      'market',
      'check',
      'propose',
      'proposals',
      'withdraw',
      'run',
      'reduce',
      'stop',
      'runs',
      'grammar',
    ])
    expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true)
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(6 * 1_024)
  })

  it('say that no hookline runs, and queue nothing', async () => {
    const client = await model(tempDirectory())
    expect(await call(client, 'propose', LINE)).toMatchObject({ code: 'no-hookline' })
  })

  it('order nothing without a person, whatever a model with the grant propose calls', async () => {
    const app = await startApp()
    const client = await model(app.directory)
    await letIn(app, client, 'propose')
    for (const [name, args] of [
      ['run', { id: 'a', line: 'buy 0.01 BTCUSDT', account: 'paper' }],
      ['run', { id: 'b', line: 'price; buy 0.01 BTCUSDT', account: 'paper' }],
      ['market', { symbol: 'BTCUSDT; buy 0.01 BTCUSDT' }],
      ['market', { symbol: 'BTCUSDT --json; buy 0.01' }],
      ['reduce', { id: 'c', account: 'paper', cancel: 'all; buy 0.01' }],
      ['reduce', { id: 'd', account: 'paper', close: 'BTCUSDT || buy 0.01' }],
      ['stop', { what: 'halt', account: 'paper; buy 0.01' }],
      ['propose', { ...LINE, line: 'buy 0.01 & alias x "buy 1"' }],
    ] as const)
      await call(client, name, args)
    expect(await placed(app)).toBe(0)
    expect(app.app.ports.guards.read('paper').state).toBe('active')
  })

  it('take a name as one argument, also where the grant is trade', async () => {
    const app = await startApp()
    const client = await model(app.directory)
    await letIn(app, client, 'propose')
    const [row] = app.app.ports.trustedClients.list()
    if (row?.grant === undefined) throw new Error('it has a grant')
    await app.app.ports.trustedClients.grant(row.clientId, { ...row.grant, may: 'trade' }, true)
    for (const [name, args] of [
      ['market', { symbol: 'BTCUSDT; buy 0.01 BTCUSDT; price BTCUSDT' }],
      ['market', { symbol: 'BTCUSDT && buy 0.01 BTCUSDT & price BTCUSDT' }],
      ['reduce', { id: 'a', account: 'paper', cancel: 'p999 || buy 0.01 BTCUSDT' }],
      ['reduce', { id: 'b', account: 'paper', close: 'BTCUSDT; buy 0.01 BTCUSDT' }],
      ['stop', { what: 'halt', account: 'none; buy 0.01 BTCUSDT' }],
    ] as const)
      await call(client, name, args)
    expect(await placed(app)).toBe(0)
  })

  it('fence what others wrote, and are told by a code why they may not', async () => {
    const app = await startApp()
    const client = await model(app.directory)
    await letIn(app, client, 'look')
    expect(await call(client, 'propose', LINE)).toMatchObject({
      code: 'not-granted',
      message: expect.stringMatching(/^⟦[^⟦⟧]*⟧$/),
    })
    expect(await call(client, 'propose', { ...LINE, reason: 'x'.repeat(301) })).toEqual({
      text: expect.stringContaining('reason'),
    })
  })

  it('run a line once for an id, where the grant is trade', async () => {
    const app = await startApp()
    const client = await model(app.directory)
    await letIn(app, client, 'propose')
    const [row] = app.app.ports.trustedClients.list()
    if (row?.grant === undefined) throw new Error('it has a grant')
    await app.app.ports.trustedClients.grant(row.clientId, { ...row.grant, may: 'trade' }, true)
    const run = () => call(client, 'run', { id: 'once', line: 'buy 0.01 BTCUSDT', account: 'paper' })
    const [first, second] = await Promise.all([run(), run()])
    expect(first).toMatchObject({ success: true })
    expect(second).toEqual(first)
    expect(await run()).toEqual(first)
    const { venue } = await app.app.connect('paper')
    expect(await venue.fetchPositions()).toMatchObject([{ amount: '0.01' }])
    const failed = await call(client, 'run', { id: 'failed', line: 'sell 0 BTCUSDT', account: 'paper' })
    expect(failed).toMatchObject({ success: false, [AGAIN]: false })
  })
})
