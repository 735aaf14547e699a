// A welcomed session spoken to in bytes: what no WebSocket library would send.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { RunningApp } from '../process/running-app.ts'
import type { RawClient } from './raw-http.ts'
import { clientFrameBytes, knock, ORIGIN } from './ws-client.ts'

export interface ServerMessage {
  readonly opcode: number
  readonly payload: Buffer
}

export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export class RawSession {
  readonly client: RawClient

  private constructor(client: RawClient) {
    this.client = client
  }

  /** Upgraded, and nothing said yet. */
  static async open(): Promise<RawSession> {
    const client = await knock()
    const { status } = await client.answer()
    if (status !== 101) throw new Error(`the upgrade was answered by ${status}`)
    return new RawSession(client)
  }

  /** Welcomed as a trusted client; the welcome is the first of its messages. */
  static async trusted({ app }: Pick<RunningApp, 'app'>): Promise<RawSession> {
    const clientId = randomUUID()
    await app.ports.trustedClients.add({ clientId, label: 'raw', origin: ORIGIN })
    const session = await RawSession.open()
    const welcome = once(session.client.socket, 'data')
    session.send(clientFrameBytes(JSON.stringify({ t: 'hello', clientId, label: 'raw' })))
    await welcome
    return session
  }

  send(...bytes: readonly Buffer[]): this {
    for (const each of bytes) this.client.send(each)
    return this
  }

  /** All that came until the connection ended. */
  async messages(): Promise<ServerMessage[]> {
    return messagesIn(Buffer.from(await this.client.ended(), 'latin1'))
  }

  /** The code of the close frame with which the connection ended; undefined: it ended without one. */
  async closeCode(): Promise<number | undefined> {
    const last = (await this.messages()).at(-1)
    return last?.opcode === OPCODE.close ? last.payload.readUInt16BE(0) : undefined
  }
}

/** Whole frames as a server sends them: unmasked, in one piece. */
function messagesIn(bytes: Buffer): ServerMessage[] {
  const messages: ServerMessage[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = (bytes[at] as number) & 0x0f
    const short = bytes[at + 1] as number
    const [header, length] =
      short < 126
        ? [2, short]
        : short === 126
          ? [4, bytes.readUInt16BE(at + 2)]
          : [10, Number(bytes.readBigUInt64BE(at + 2))]
    messages.push({ opcode, payload: bytes.subarray(at + header, at + header + length) })
    at += header + length
  }
  return messages
}
