// How many notices nobody has looked at, in the tab's title and on the icon of an installed console.
import { useEffect } from 'react'
import { useNotices } from './notices.ts'

const NAME = 'hookline'

export function useTitleBadge(): void {
  const unseen = useNotices(({ notices }) => notices.filter(({ isSeen }) => !isSeen).length)
  useEffect(() => {
    document.title = titleWith(unseen)
    if (!('setAppBadge' in navigator)) return
    // Only an installed console has an icon.
    void (unseen === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(unseen)).catch(() => {})
  }, [unseen])
}

export function titleWith(unseen: number): string {
  return unseen === 0 ? NAME : `(${unseen}) ${NAME}`
}
