// The published client in a Node of its own, over the WebSocket that Node brings (22 and later; 20 behind a flag).
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { botProgram } from '../../harness/process/bot-program.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'

it('runs a command, then lets the program end by itself', async () => {
  const { app } = await startApp()
  const clientId = randomUUID()
  await app.ports.trustedClients.add({ clientId, label: 'bot', origin: ORIGIN })
  const outfile = join(tempDirectory(), 'bot.mjs')
  const resolveDir = join(import.meta.dirname, '../..')
  await build({
    stdin: { contents: botProgram('./src/client/public.ts'), resolveDir, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
  })
  const flags = typeof globalThis.WebSocket === 'undefined' ? ['--experimental-websocket', '--no-warnings'] : []
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, outfile, clientId], {
    timeout: 20_000,
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('from a program\n{"success":true}\n')
})
