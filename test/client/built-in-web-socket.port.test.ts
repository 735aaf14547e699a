// The published client in a Node of its own, over the WebSocket that Node brings (22 and later; 20 behind a flag).
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { botProgram } from '../support/bot-program.ts'
import { startApp } from '../support/running-app.ts'
import { tempDirectory } from '../support/temp-directory.ts'
import { ORIGIN } from '../support/ws-client.ts'

it('runs a command, then lets the program end by itself', async () => {
  const { app } = await startApp()
  const clientId = randomUUID()
  await app.services.trustedClients.add({ clientId, label: 'bot', origin: ORIGIN })
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
