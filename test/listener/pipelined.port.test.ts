// Requests sent one upon the other, the later ones before the earlier ones are answered. Found by the fuzzer (`npm run fuzz -- http`).
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, exec, RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'

const HOST = 'Host: 127.0.0.1:53219\r\n'
const HEALTH = `GET /health HTTP/1.1\r\n${HOST}\r\n`
const MALFORMED = `GET /health HTTP/1.1\r\n${HOST}${HOST}\r\n`
const upgrade = (protocol: string) =>
  `GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`

async function listening() {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'h', 'echo ok')
  const hookline = await RunningHookline.listening(directory)
  const fire = `POST /hook/${hook.id} HTTP/1.1\r\n${HOST}X-Hook-Token: ${hook.token}\r\nContent-Length: 0\r\n\r\n`
  return { directory, fire, hookline }
}

describe('an offer of another protocol behind an unanswered request', () => {
  it('is answered after it, and ends nothing but the connection', async () => {
    const { hookline } = await listening()
    const client = new RawClient().send(HEALTH + upgrade('h2c'))
    expect((await client.answer()).status).toBe(200)
    expect((await client.answer()).status).toBe(200)
    await client.ended()
    expect(hookline.stderr).toBe('')
    expect((await new RawClient().send(HEALTH).answer()).status).toBe(200)
  })

  it('does not take the place of the answer to a fire', async () => {
    const { fire } = await listening()
    const client = new RawClient().send(fire + upgrade('websocket'))
    expect(await client.answer()).toMatchObject({ status: 200, body: expect.stringContaining('"command":"echo ok"') })
    // 503 until hookline knows its identity, which comes after it listens.
    expect([404, 503]).toContain((await client.answer()).status)
  })
})

describe('behind an answer that ends the connection', () => {
  it('nothing is heard: no fire runs', async () => {
    const { directory, fire, hookline } = await listening()
    const client = new RawClient().send(MALFORMED + fire)
    expect((await client.answer()).status).toBe(400)
    expect(await client.ended()).toBe('')
    expect((await new RawClient().send(HEALTH).answer()).status).toBe(200)
    expect(hookline.stdout).not.toContain('[hook:h]')
    expect(await exec(directory, 'runs')).not.toContain('echo ok')
  })
})

describe('an expectation that nobody has', () => {
  it('is left unmet, as RFC 9110 lets us', async () => {
    const { fire } = await listening()
    const answer = await new RawClient().send(fire.replace('Content-Length', 'Expect: a\r\nContent-Length')).answer()
    expect(answer.status).toBe(200)
  })
})
