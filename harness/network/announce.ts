// Says once, before the tests that need fixed ports, why they run one after another.
import type { TestProject } from 'vitest/node'
import { findOwnNetwork } from './own-network.ts'

export default function setup(project: TestProject): void {
  const network = findOwnNetwork()
  if ('missing' in network) {
    project.vitest.logger.log(
      `${project.name}: one file after another, without a network of its own: ${network.missing}`,
    )
  }
}
