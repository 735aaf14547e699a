// For the tests beside a real proxy or a real Prometheus: finds them, or says once why one is missing. Here, because a test has a network of its
// own, in which nothing can be fetched.
import type { TestProject } from 'vitest/node'
import { type FoundPrometheus, findPrometheus } from '../process/debian-prometheus.mjs'
import { type FoundProxy, findProxy, type ProxyName } from '../process/debian-proxies.mjs'
import { findOwnNetwork } from './own-network.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly proxies: Readonly<Record<ProxyName, FoundProxy>>
    readonly prometheus: FoundPrometheus
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const network = findOwnNetwork()
  const missing = 'missing' in network ? { missing: `it needs a network of its own: ${network.missing}` } : undefined
  const find = async (name: ProxyName): Promise<FoundProxy> => missing ?? findProxy(name)
  // Side by side: a fresh checkout fetches them all, and every test waits for that.
  const [nginx, caddy, haproxy, prometheus] = await Promise.all([
    find('nginx'),
    find('caddy'),
    find('haproxy'),
    missing ?? findPrometheus(),
  ])
  const proxies = { nginx, caddy, haproxy }
  project.provide('proxies', proxies)
  project.provide('prometheus', prometheus)
  for (const [name, found] of Object.entries({ ...proxies, prometheus })) {
    if ('missing' in found)
      project.vitest.logger.log(`${project.name}: the tests with ${name} are skipped: ${found.missing}`)
  }
}
