// Builds the console, src/web → dist/web. What can be typed is taken from the command table itself, so that completion never lags
// behind it; the table stays out of the bundle.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { type ManifestOptions, VitePWA } from 'vite-plugin-pwa'
import { integrityOf, withIntegrity } from './scripts/console-integrity.mjs'
import { commands } from './src/commands/catalogue.ts'
import { mayRun } from './src/commands/kit/command.ts'
import { isFamily, namesOf } from './src/commands/kit/resolve.ts'

const typeable = commands.flatMap((command) => {
  const forms = isFamily(command) ? command.forms.filter(({ where }) => mayRun(where, 'web')) : undefined
  const canBeTyped = isFamily(command) ? forms?.length : mayRun(command.where, 'web')
  return canBeTyped ? [{ names: namesOf(command), forms: forms?.map(({ name }) => name) ?? [] }] : []
})

const { version }: { version: string } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))

const shortcut = (name: string, url: string) => ({ name, url })

/** What an installed console is called and shows while it opens. The icons are made by scripts/icons.mjs from icon.svg. */
const manifest: Partial<ManifestOptions> = {
  id: '/',
  name: 'hookline',
  short_name: 'hookline',
  description: 'The console of the hookline on this machine.',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#0a0d12',
  theme_color: '#10141b',
  // The icon brings the window that is open to the front.
  launch_handler: { client_mode: 'focus-existing' },
  icons: [
    { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  shortcuts: [shortcut('Trade', '/trade'), shortcut('Hooks', '/hooks'), shortcut('Journal', '/journal')],
}

const outDir = fileURLToPath(new URL('./dist/web', import.meta.url))

/** When all is written, and before the worker is told what there is. */
const pinFiles: Plugin = {
  name: 'pin-files',
  writeBundle: {
    order: 'post',
    sequential: true,
    handler() {
      const assets = readdirSync(join(outDir, 'assets')).map((name) => `/assets/${name}`)
      const hashes = new Map(assets.map((path) => [path, integrityOf(readFileSync(join(outDir, path)))]))
      const page = join(outDir, 'index.html')
      writeFileSync(page, withIntegrity(readFileSync(page, 'utf8'), hashes))
    },
  },
}

/** One file without imports, which the browser compares byte by byte: src/web-worker. It is registered by the page, later than all else. */
const worker = VitePWA({
  strategies: 'injectManifest',
  srcDir: '../web-worker',
  filename: 'sw.ts',
  injectRegister: false,
  manifest,
  // They are among the files already.
  includeManifestIcons: false,
  injectManifest: {
    globPatterns: ['**/*.{js,css,html,svg,png}'],
    rollupFormat: 'iife',
    maximumFileSizeToCacheInBytes: 1_000_000,
    manifestTransforms: [
      (entries) => ({
        manifest: entries.map((entry) => ({
          ...entry,
          integrity: integrityOf(readFileSync(join(outDir, entry.url))),
        })),
      }),
    ],
  },
  integration: {
    configureCustomSWViteBuild(config) {
      config.logLevel = 'warn'
    },
  },
})

/** The page's own words need its style and nothing else: the script that fetches the program does not come before it. */
const paintFirst: Plugin = {
  name: 'paint-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
      const others = styles.reduce((rest, link) => rest.replace(link, ''), html)
      return others.replace(/(?= *<script type="module")/, styles.join(''))
    },
  },
}

/** Loaded with the first page, whichever that is; what the entry itself needs (theme, text-storage) is not among them. */
const SHARED =
  /src\/(web\/(components\/(arrow-keys|boundary|dialog|figure|icon|pane|popover|toasts)|notifications\/notices|preview|shell\/(page-keys|routes)|state\/(desk-store|console-state|use-)|figures|market-watches|settings)|client\/(?!text-storage|pinned-listener|client-id|public)|protocol|language\/(print|tokenize)).*\.tsx?$/

export default defineConfig({
  root: fileURLToPath(new URL('./src/web', import.meta.url)),
  base: '/',
  plugins: [react(), worker, paintFirst, pinFiles],
  define: { __COMMANDS__: JSON.stringify(typeable), __VERSION__: JSON.stringify(version) },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // An inlined script or style would need a hole in the page's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What the first page needs anyway and others share is one file: a dozen small ones compress worse.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'desk', test: SHARED }], includeDependenciesRecursively: false } },
    },
  },
})
