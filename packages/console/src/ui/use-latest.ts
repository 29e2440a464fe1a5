import { useEffect, useRef } from 'react'

/**
 * Asks a question whose answer may be slow.
 * @param shown what the page shows
 * @returns for each question, whether its answer is still wanted: not after a newer one, nor when the page was left or shows
 * something else
 */
export function useLatest(shown: string): () => () => boolean {
  const latest = useRef({ shown })
  useEffect(
    () => () => {
      latest.current = { shown }
    },
    [shown],
  )
  return () => {
    const own = { shown }
    latest.current = own
    return () => own === latest.current
  }
}
