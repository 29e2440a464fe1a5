import type { PreferenceFrequency } from '../preferences.ts'

/** The words of the preferences. */
export interface PreferenceLabels {
  readonly title: string
  /** Heading of what counts for every topic. */
  readonly everything: string
  readonly allChannels: string
  /** Names of channels, by their key. */
  readonly channels: Readonly<Record<string, string>>
  /** Of the choice how often messages of a topic are put together. */
  readonly frequency: string
  /** Where no frequency is chosen. */
  readonly usual: string
  readonly frequencies: Readonly<Record<PreferenceFrequency, string>>
  /** Shown in place of switches that cannot be changed. */
  readonly required: string
  /** Beside a switch that a wider one decides. */
  readonly overridden: string
  readonly loading: string
  readonly empty: string
  readonly unreachable: string
  readonly denied: string
  readonly retry: string
  /** A change failed and was undone. */
  readonly failed: string
}
