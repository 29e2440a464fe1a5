export { createInbox, type InboxClient, type InboxOptions } from './create-inbox.ts'
export type { Delays } from './delays.ts'
export { InboxError } from './inbox-error.ts'
export type {
  PreferenceChange,
  PreferenceFrequency,
  PreferenceRule,
  PreferenceState,
  PreferenceSwitch,
  Preferences,
  PreferenceTopic,
} from './preferences.ts'
export type { InboxNotification, InboxState, InboxStatus } from './state.ts'
