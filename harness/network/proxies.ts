// For the tests that stand behind a real proxy: finds the three, or says once why one is missing. Here, because a test has a network of its own, in
// which nothing can be fetched.
import type { TestProject } from 'vitest/node'
import { type FoundProxy, findProxy, type ProxyName } from '../process/debian-proxies.mjs'
import { findOwnNetwork } from './own-network.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly proxies: Readonly<Record<ProxyName, FoundProxy>>
  }
}

export default function setup(project: TestProject): void {
  const network = findOwnNetwork()
  const find = (name: ProxyName): FoundProxy =>
    'missing' in network ? { missing: `it needs a network of its own: ${network.missing}` } : findProxy(name)
  const proxies = { nginx: find('nginx'), caddy: find('caddy'), haproxy: find('haproxy') }
  project.provide('proxies', proxies)
  for (const [name, found] of Object.entries(proxies)) {
    if ('missing' in found)
      project.vitest.logger.log(`${project.name}: the tests behind ${name} are skipped: ${found.missing}`)
  }
}
