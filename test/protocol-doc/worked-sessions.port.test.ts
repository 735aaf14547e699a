// PROTOCOL.md's worked sessions happen as written.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { rawRequest } from '../../harness/wire/raw-http.ts'
import { readSections, workedSessions } from './document.ts'
import { replay } from './replay.ts'

describe('the worked session', () => {
  it.each(workedSessions())('$title', (session) => replay(session))
})

describe('the health answer', () => {
  it('has the fields shown, and no other', async () => {
    const [shown] = readSections()
      .flatMap(({ fences }) => fences)
      .filter(({ info }) => info === 'json health')
    await startApp()
    const { body } = await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n')
    expect(JSON.parse(body)).toEqual({ ...JSON.parse(shown?.lines.join('') ?? ''), pid: process.pid })
  })
})
