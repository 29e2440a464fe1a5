import type { components } from '@notify/sdk'
import { useSyncExternalStore } from 'react'
import { useAddress } from './address.ts'

export type Mode = components['schemas']['ApiKey']['mode']

const key = 'mode'
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const modeIn = (text: string | null): Mode | undefined => (text === 'live' || text === 'test' ? text : undefined)

/** What keys of one mode made, as chosen in the frame of this tab; undefined: of both. The address of a linked view counts first. */
export function useMode() {
  const { search, change } = useAddress()
  const chosen = useSyncExternalStore(subscribe, () => sessionStorage.getItem(key))
  return {
    mode: modeIn(search.get(key)) ?? modeIn(chosen),
    choose(mode: Mode | undefined) {
      if (mode) sessionStorage.setItem(key, mode)
      else sessionStorage.removeItem(key)
      for (const tell of listeners) tell()
      // A cursor belongs to the list of the mode before.
      change({ [key]: mode, cursor: null }, { replace: true })
    },
  }
}
