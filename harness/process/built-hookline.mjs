// What is run by everything that runs the built hookline, and in which environment: tests, proofs, the bench and the scripts that take
// pictures of it. Plain JavaScript, since Node runs the last two as they are.
import { fileURLToPath } from 'node:url'

/** Made by `npm run build`, which `npm test` runs first. */
export const BINARY = fileURLToPath(new URL('../../dist/hookline.cjs', import.meta.url))

export const LISTENING = 'listening on 127.0.0.1:53219'

/**
 * Nothing of whoever runs the tests but the PATH: no extra certificates, which would make each start slower, and no home.
 * @param {string} directory the config directory, and the home
 * @returns {Record<string, string>}
 */
export function environmentOf(directory) {
  return { PATH: process.env.PATH ?? '', HOME: directory, HOOKLINE_CONFIG_DIR: directory }
}
