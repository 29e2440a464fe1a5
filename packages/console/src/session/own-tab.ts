const key = 'tab'
/** Longer than a page keeps its lock while it is being left. */
const patienceMs = 1500

/**
 * Whether the storage of this tab is its own. A duplicated tab begins with a copy of it, and an issuer ends the session
 * of both when two tabs use one refresh token.
 */
export async function isOwnTab(): Promise<boolean> {
  // Without HTTPS there are no locks.
  if (!navigator.locks) return true
  const known = sessionStorage.getItem(key)
  if (known !== null && (await hold(known))) return true
  const name = crypto.randomUUID()
  sessionStorage.setItem(key, name)
  void hold(name)
  return known === null
}

/** Takes the lock of a tab until its page is left. @returns false when another tab has it */
function hold(tab: string): Promise<boolean> {
  const name = `console-tab:${tab}`
  const waiting = new AbortController()
  return new Promise((resolve) => {
    const giveUp = async () => {
      const { held = [] } = await navigator.locks.query()
      // A slow request continues.
      if (held.some((lock) => lock.name === name)) waiting.abort()
    }
    const timer = setTimeout(() => void giveUp(), patienceMs)
    const keep = () => {
      clearTimeout(timer)
      resolve(true)
      return new Promise(() => {})
    }
    navigator.locks.request(name, { signal: waiting.signal }, keep).catch(() => resolve(false))
  })
}
