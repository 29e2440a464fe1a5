const mostRemembered = 10_000

/** Refuses the same key twice, then allows it, and starts again. */
export function createThrottle(): (key: string) => boolean {
  const refusals = new Map<string, number>()
  return (key) => {
    const count = refusals.get(key) ?? 0
    refusals.delete(key)
    if (count === 2) return true
    refusals.set(key, count + 1)
    if (refusals.size > mostRemembered) refusals.delete(refusals.keys().next().value as string)
    return false
  }
}
