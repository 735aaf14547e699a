// Which hash each file of the console's build has, as the page says it: the browser then runs no other file under these names, whatever
// answers for them. For the build, and for the tests that make another one of it.
import { createHash } from 'node:crypto'

/**
 * @param {string | Uint8Array} content
 * @returns {string}
 */
export function integrityOf(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

/**
 * The page with the hash of each script, those that are loaded later among them, and of its style. What was in it before is replaced.
 * @param {string} html
 * @param {ReadonlyMap<string, string>} hashes by URL path
 * @returns {string}
 */
export function withIntegrity(html, hashes) {
  const bare = html.replace(/ integrity="[^"]*"/g, '').replace(/ *<script type="importmap">[^<]*<\/script>\n/, '')
  const scripts = [...hashes].filter(([path]) => path.endsWith('.js'))
  const map = `    <script type="importmap">${JSON.stringify({ integrity: Object.fromEntries(scripts) })}</script>\n`
  return bare
    .replace(
      /<(?:script type="module"|link rel="(?:stylesheet|modulepreload)")[^>]* (?:src|href)="([^"]+)"/g,
      (tag, path) => {
        const hash = hashes.get(path)
        if (hash === undefined) throw new Error(`the page names ${path}, which the build does not have`)
        return `${tag} integrity="${hash}"`
      },
    )
    .replace(/(?= *<(?:script type="module"|link rel="modulepreload"))/, map)
}
