// A list of allowed origins with an entry that is none refuses every page; the operator is told, now and when it changes (design
// decision 9).
import { printable } from '../language/printable.ts'
import type { ConfigStore } from '../stores/config.ts'
import { originPolicy } from '../trust/allowed-origins.ts'

/** @returns stops telling */
export function reportMistypedOrigins(
  config: Pick<ConfigStore, 'read' | 'watch'>,
  warn: (text: string) => void,
): () => void {
  let told = ''
  const look = (): void => {
    const mistyped = originPolicy(config.read()).mistyped.join(', ')
    if (mistyped !== '' && mistyped !== told) {
      warn(
        `no web page is let in: listener.allowedOrigins in config.json has ${printable(mistyped, 100)}, which is no origin; write scheme, host and port: http://localhost:53220`,
      )
    }
    told = mistyped
  }
  look()
  return config.watch(look)
}
