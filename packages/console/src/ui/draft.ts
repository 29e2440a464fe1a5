import { useState } from 'react'

/**
 * State of a form that survives a new login: it is kept in this tab until `clear` is called. Not for secrets; keep those
 * in `useState`.
 * @param name of the form, with the id of what it changes
 */
export function useDraft<Value>(name: string, initial: Value) {
  const key = `draft:${name}`
  const [value, setValue] = useState<Value>(() => read(key) ?? initial)
  return {
    value,
    set(next: Value) {
      setValue(next)
      sessionStorage.setItem(key, JSON.stringify(next))
    },
    /** After the form was sent or given up. */
    clear() {
      setValue(initial)
      sessionStorage.removeItem(key)
    },
  }
}

/** Whether a form was left unsent, by a login that came in between: then it is opened again. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(`draft:${name}`) !== null

function read<Value>(key: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}
