// `npm run conformance:mcp`: the official conformance package against `hookline mcp`. The package speaks HTTP alone, and hookline stdio alone: between
// them is one process of hookline for each session, whose lines are the bodies. Needs Node 22, which the package needs, and the registry.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const PROGRAM = resolve(import.meta.dirname, '../dist/main.cjs')
const PACKAGE = '@modelcontextprotocol/conformance@0.1.16'
/** Those that ask for nothing but the protocol. The others call tools, resources and prompts of a server made for them. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list']

const directory = mkdtempSync(join(tmpdir(), 'hookline-mcp-'))
/** @type {Map<string, ReturnType<typeof startSession>>} */
const sessions = new Map()

function startSession() {
  const env = { ...process.env, HOOKLINE_CONFIG_DIR: directory }
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--accounts', 'paper'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  /** @type {Map<unknown, (line: string) => void>} */
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line)
    waiting.get(id)?.(line)
    waiting.delete(id)
  })
  return {
    end: () => child.stdin.end(),
    /** @param {string} body @returns {Promise<string | undefined>} the answer to a request */
    send(body) {
      const { id, method } = JSON.parse(body)
      child.stdin.write(`${JSON.stringify(JSON.parse(body))}\n`)
      if (id === undefined || method === undefined) return Promise.resolve(undefined)
      return new Promise((answer) => void waiting.set(id, answer))
    },
  }
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
  const parts = []
  for await (const part of request) parts.push(part)
  const given = request.headers['mcp-session-id']
  const id = typeof given === 'string' ? given : randomUUID()
  const session = sessions.get(id) ?? startSession()
  sessions.set(id, session)
  const answer = await session.send(Buffer.concat(parts).toString())
  const headers = { 'mcp-session-id': id, 'content-type': 'application/json' }
  response.writeHead(answer === undefined ? 202 : 200, headers).end(answer)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
const port = typeof address === 'object' ? address?.port : undefined

let failed = 0
for (const scenario of SCENARIOS) {
  const args = ['-y', PACKAGE, 'server', '--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario]
  const [code] = await once(spawn('npx', args, { stdio: 'inherit', cwd: directory }), 'exit')
  if (code !== 0) failed += 1
}
for (const session of sessions.values()) session.end()
server.close()
rmSync(directory, { recursive: true, force: true })
process.stdout.write(`${SCENARIOS.length - failed} of ${SCENARIOS.length} scenarios pass\n`)
process.exitCode = failed === 0 ? 0 : 1
