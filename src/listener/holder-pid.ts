import { get } from 'node:http'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import { LISTENER_LIMITS } from './listener-limits.ts'

/** Asks the process that holds the port for its pid. @returns undefined when it does not answer `/health` as a hookline does */
export function askHolderPid(): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(
      { host: LISTENER_HOST, port: LISTENER_PORT, path: '/health', timeout: LISTENER_LIMITS.probeMs, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > 1_000) request.destroy()
        })
        response.on('end', () => resolve(pidOf(text)))
      },
    )
    request.on('timeout', () => request.destroy())
    // Not HTTP, or gone meanwhile: not a hookline.
    request.on('error', () => resolve(undefined))
    request.on('close', () => resolve(undefined))
  })
}

function pidOf(text: string): number | undefined {
  try {
    const health: unknown = JSON.parse(text)
    if (typeof health !== 'object' || health === null || !('pid' in health)) return undefined
    return Number.isInteger(health.pid) ? (health.pid as number) : undefined
  } catch {
    return undefined
  }
}
