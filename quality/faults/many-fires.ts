// As many fires as hookline takes: keep-alive connections that write several requests in one piece.
import type { CreatedHook } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'

const CONNECTIONS = 8
const PER_WRITE = 25

/** @param count a multiple of 200 @returns the runs that were accepted */
export async function fireMany(hook: CreatedHook, count: number): Promise<string[]> {
  const head = [`POST /hook/${hook.id} HTTP/1.1`, 'Host: 127.0.0.1:53219', `X-Hook-Token: ${hook.token}`]
  const request = `${head.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`
  const runIds: string[] = []
  const send = async (): Promise<void> => {
    const client = await new RawClient().connected()
    for (let sent = 0; sent < count / CONNECTIONS; sent += PER_WRITE) {
      client.send(request.repeat(PER_WRITE))
      for (let answers = 0; answers < PER_WRITE; answers++) runIds.push(JSON.parse((await client.answer()).body).runId)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return runIds
}
