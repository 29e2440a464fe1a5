import { useEffect, useEffectEvent } from 'react'
import { useGatewayAway } from '../api/connection.ts'
import { useHasPermission } from '../api/me.ts'
import { pages } from '../pages.tsx'

export const loadPageFinder = () => import('./page-finder.tsx')

/** Waits until the browser has nothing else to do. */
const idle = () =>
  new Promise<void>((resolve) => {
    // Safari does not support it.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
    else setTimeout(resolve, 200)
  })

/** Stops at the first page that cannot be loaded, which a visit loads again. */
async function loadInTurn(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  try {
    for (const load of loads) {
      await idle()
      await load()
    }
  } catch {}
}

/** Loads the code of the other pages once the first one is shown, so that they open while the gateway is down. */
export function usePreloadedPages(): void {
  const may = useHasPermission()
  const isAway = useGatewayAway()
  const preload = useEffectEvent(() => {
    const seen = pages.filter(({ permission }) => may(permission))
    void loadInTurn([loadPageFinder, ...seen.map(({ load }) => load)])
  })
  useEffect(() => {
    if (!isAway) preload()
  }, [isAway])
}
