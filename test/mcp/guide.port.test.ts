// docs/agents.md, followed as it is printed: from nothing to a first line that a person approved, with the built program at a terminal and the SDK's
// own client, started by the settings that hookline prints.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openTerminal } from '../../harness/process/hookline.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import { READING_MS } from '../../src/repl/block-question.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/main.cjs')
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')

/** @throws the guide no longer has it */
function printed(pattern: RegExp): string {
  const found = pattern.exec(GUIDE)?.[1]
  if (found === undefined) throw new Error(`docs/agents.md has nothing like ${pattern}`)
  return found
}

interface Answer {
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: readonly { readonly text?: string }[]
}

it('the guide leads from nothing to a fill that a person approved', async () => {
  const directory = tempDirectory()
  const env = { PATH: process.env.PATH ?? '', HOOKLINE_CONFIG_DIR: directory, npm_command: 'exec' }
  const hookline = await openTerminal(directory, { columns: 120, rows: 50 })
  const words = printed(/npx hookline (mcp .*--print-config json)/).split(' ')
  const settings = JSON.parse(execFileSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8', env }))
  const server = settings.mcpServers.hookline
  expect(server).toMatchObject({ command: 'npx', env: { HOOKLINE_CONFIG_DIR: directory } })
  expect(server.args.slice(0, 3)).toEqual(['-y', 'hookline', 'mcp'])

  const client = new Client({ name: 'guide', version: '1.0.0' })
  const args = [PROGRAM, ...server.args.slice(2)]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }))
  onTestFinished(() => client.close())
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent, content } = (await client.callTool({ name, arguments: given })) as Answer
    return JSON.stringify(structuredContent ?? content)
  }
  expect(await call('look', { what: 'positions' })).toContain('awaiting-approval')
  for (const text of ['a client asks for a grant here:', 'agent agent', 'propose: accounts paper, for 7d']) {
    expect(GUIDE).toContain(text)
    await hookline.shows(text)
  }
  await sleep(APPROVAL_LIMITS.readMs + 100)
  await hookline.type(printed(/Type `(y propose)`/))
  hookline.send('\r')
  await expect.poll(() => call('look', { what: 'positions', account: 'paper' })).not.toContain('awaiting-approval')

  const line = printed(/Ask it to propose `(.*?)` on `paper`/)
  expect(await call('check', { line, account: 'paper' })).toContain('"amount":"0.01"')
  const proposed = await call('propose', { line, account: 'paper', reason: 'support held' })
  const id = /p-[a-z2-9]{8}/.exec(proposed)?.[0] ?? ''
  await hookline.shows(`approve ${id}`)
  await hookline.shows('| support held')
  await hookline.type(`approve ${id}`)
  hookline.send('\r')
  await hookline.until((screen) => screen.typed().startsWith('run it on paper?'))
  // What is pressed as the question comes was meant for something else.
  await sleep(2 * READING_MS)
  hookline.send('y')
  await hookline.shows(`approved proposal ${id}`)
  await expect.poll(() => call('proposals', { id })).toContain('"success":true')
  expect(await call('look', { what: 'fills', account: 'paper' })).toContain('0.01')
  expect(await call('runs', {})).toContain(line)
})
