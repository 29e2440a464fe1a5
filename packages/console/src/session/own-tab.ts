const key = 'tab'
/** Longer than a page that is being left holds its lock. */
const patienceMs = 500

/**
 * Whether the storage of this tab is its own. A duplicated tab begins with a copy of it, and an issuer ends the session
 * of both when two tabs use one refresh token.
 */
export async function isOwnTab(): Promise<boolean> {
  // Without HTTPS there are no locks.
  if (!navigator.locks) return true
  if (await hold(sessionStorage.getItem(key) ?? rename())) return true
  await hold(rename())
  return false
}

function rename(): string {
  const name = crypto.randomUUID()
  sessionStorage.setItem(key, name)
  return name
}

/** Holds the lock of a tab until its page is left. @returns false when another tab has it */
function hold(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(`console-tab:${name}`, { signal: AbortSignal.timeout(patienceMs) }, () => {
        resolve(true)
        return new Promise(() => {})
      })
      .catch(() => resolve(false))
  })
}
