import { useState } from 'react'

const prefix = 'draft:'

/**
 * State of a form that survives a new login: it is kept in this tab until `clear` is called. Not for secrets; keep those
 * in `useState`.
 * @param name of the form, with the id of the resource that it changes
 */
export function useDraft<Value>(name: string, initial: Value) {
  const key = `${prefix}${name}`
  const [value, setValue] = useState<Value>(() => read(key) ?? initial)
  return {
    value,
    set(next: Value) {
      setValue(next)
      sessionStorage.setItem(key, JSON.stringify(next))
    },
    /** Called after the form was sent or cancelled. */
    clear() {
      setValue(initial)
      sessionStorage.removeItem(key)
    },
  }
}

/** What another form of the page holds at this moment. */
export const draftOf = <Value>(name: string, initial: Value): Value => read(`${prefix}${name}`) ?? initial

/** Whether a login interrupted a form, which is then opened again. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(`${prefix}${name}`) !== null

const ownerKey = 'drafts-of'

/** Deletes the drafts of the previous operator, unless it is the same one. */
export function keepDraftsOf(operator: string): void {
  if (sessionStorage.getItem(ownerKey) === operator) return
  forgetDrafts()
  sessionStorage.setItem(ownerKey, operator)
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

function read<Value>(key: string): Value | undefined {
  try {
    const text = sessionStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}
