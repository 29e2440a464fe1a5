import { ConsoleHarness } from '../harness/console.ts'

/** The stack and browser of all tests of events and templates. */
export let harness: ConsoleHarness
export async function start(): Promise<void> {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'])
}

/** Each test visits several pages, and axe takes seconds on a busy machine. */

/** The path of the events of the first application. */
export const events = () => `/events/${harness.env.applicationId}`
