// When waiting for the next attempt is pointless: somebody has come back to the tab, or the network has.

export interface Nudges {
  /** @returns stops the calls */
  watch(nudge: () => void): () => void
}

/** What is needed of `document` and of `window`. */
export interface PageEvents {
  addEventListener(type: string, handler: () => void): void
  removeEventListener(type: string, handler: () => void): void
}
export interface PageVisibility extends PageEvents {
  readonly visibilityState: string
}

/** Of the page this runs in; there are none outside a browser. */
export function pageNudges(
  document: PageVisibility | undefined = globalThis.document,
  window: PageEvents | undefined = globalThis.window,
): Nudges {
  return {
    watch(nudge) {
      const nudgeIfVisible = () => {
        if (document?.visibilityState === 'visible') nudge()
      }
      document?.addEventListener('visibilitychange', nudgeIfVisible)
      window?.addEventListener('online', nudge)
      return () => {
        document?.removeEventListener('visibilitychange', nudgeIfVisible)
        window?.removeEventListener('online', nudge)
      }
    },
  }
}
