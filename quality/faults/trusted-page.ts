// Pages that the operator approved before hookline started.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'

export interface Page {
  readonly clientId: string
  readonly label?: string
  /** Default where the console is served. */
  readonly origin?: string
  /** Its public key. Default: it cannot prove itself. */
  readonly key?: string
}

/** To be called before hookline starts: it replaces the file. */
export function trustPages(directory: string, ...pages: readonly Page[]): void {
  const clients = pages.map(({ clientId, label = 'tab', origin = ORIGIN, key }) => ({
    clientId,
    label,
    origin,
    approvedAt: 1,
    ...(key === undefined ? {} : { key }),
  }))
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients }))
}

/** Connects as a trusted page and takes its welcome. */
export async function openPage({ clientId, label = 'tab', origin = ORIGIN }: Page): Promise<WsClient> {
  const page = await WsClient.hello({ clientId, label }, origin)
  await page.nextFrame('welcome')
  return page
}
