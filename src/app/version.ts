/** Set by the bundler from package.json; sources run unbundled only in tests. */
declare const __HOOKLINE_VERSION__: string | undefined

export const VERSION: string = typeof __HOOKLINE_VERSION__ === 'string' ? __HOOKLINE_VERSION__ : '0.0.0-source'
