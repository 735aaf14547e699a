// A replay is work for the processor alone, in the process that listens: requests and fires of hooks have their turn all the same (behaviour 53).
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { rawRequest } from '../../harness/wire/raw-http.ts'

/** Several times as long as what is asked for meanwhile takes. */
const CANDLES = 250_000
const FIRES = 4

it('answers fires, runs them, and answers /health while candles go by', async () => {
  const { app, createHook, directory, done } = await startApp()
  const path = join(directory, 'minutes.csv')
  const rows = Array.from(
    { length: CANDLES },
    (_, at) => `${1_451_606_400_000 + at * 60_000},100,101,99,${100 + (at % 2)},1`,
  )
  writeFileSync(path, rows.join('\n'))
  const hook = await createHook('echo ok')
  const line = `hook replay --when "rsi(14, 1m) > 99.9" "buy $1000 BTCUSDT" --candles ${path}`
  const runId = randomUUID()
  let isOver = false
  const replay = app.runner.run({ runId, source: 'exec', command: line }).finally(() => {
    isOver = true
  })
  const fire = `POST /hook/${hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${hook.secret}\r\nContent-Length: 0\r\n\r\n`
  for (let count = 0; count < FIRES; count += 1) expect((await rawRequest(fire)).status).toBe(200)
  expect((await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n')).status).toBe(200)
  const ran = done.filter(({ run, result }) => run.hookId === hook.id && result.success)
  // That of the last answer may have its turn to come.
  expect([isOver, ran.length >= FIRES - 1]).toEqual([false, true])
  expect(await replay).toEqual({ success: true })
})
