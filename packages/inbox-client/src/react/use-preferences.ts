import { useMemo, useSyncExternalStore } from 'react'
import { createPreferences, type PreferencesClient, type PreferencesState } from '../create-preferences.ts'
import type { InboxClient } from '../index.ts'

export interface UsedPreferences extends PreferencesState, Pick<PreferencesClient, 'change' | 'reload'> {}

/**
 * The preferences of the inbox's user as React state, with what changes them. The stream is open while a component uses it.
 * @param inbox made once for each user, outside components or with `useMemo`
 * @param locale language of names and descriptions, BCP 47
 */
export function usePreferences(inbox: InboxClient, locale?: string): UsedPreferences {
  const { subscribe, getState, change, reload } = useMemo(() => createPreferences(inbox, locale), [inbox, locale])
  const state = useSyncExternalStore(subscribe, getState, getState)
  return { ...state, change, reload }
}
