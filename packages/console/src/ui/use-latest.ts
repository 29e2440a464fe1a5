import { useEffect, useRef } from 'react'

/**
 * Asks a question whose answer may be slow.
 * @returns for each question, whether its answer is still wanted: not after a newer one, nor when the page was left
 */
export function useLatest(): () => () => boolean {
  const latest = useRef(0)
  useEffect(
    () => () => {
      latest.current += 1
    },
    [],
  )
  return () => {
    latest.current += 1
    const own = latest.current
    return () => own === latest.current
  }
}
