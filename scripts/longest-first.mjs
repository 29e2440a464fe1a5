import { relative } from 'node:path'
import TestSequencer from '@jest/test-sequencer'

/** The slowest files, as a machine sees them that has no times of its own yet. */
const slowest = [
  'packages/console/tests/applications',
  'tests/flows/silence',
  'tests/deployment/images',
  'tests/flows/clocks',
  'packages/console/tests/domains-and-recipients',
  'packages/console/tests/webhooks',
  'packages/console/tests/session',
  'packages/dev-env/tests/start',
  'tests/flows/outages',
  'tests/flows/after-restore',
  'tests/flows/generated-attack/generated-attack',
  'tests/flows/pool-of-one',
  'tests/deployment/compose-start',
  'tests/crash/crash',
  'tests/flows/isolation',
  'tests/flows/rotate-keys',
  'tests/deployment/operations',
  'packages/demo-shop/tests/inbox-page',
  'services/callbacks/tests/whatsapp-updates',
  'packages/console/tests/events',
  'tests/crash/wiped-store',
  'packages/database/tests/watch-stream',
  'packages/console/tests/activity-tools',
  'packages/console/tests/account',
  'tests/deployment/monitoring',
  'tests/crash/power-cut',
].map((name) => `${name}.test.ts`)
const slowMs = 60_000
const usualMs = 5000

/** The longest files first, so that at the end of a run no processor waits for one that began late. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    // By size where nothing else is known; it also notes the times of the last run.
    const sorted = [...super.sort(tests)]
    const expected = new Map(sorted.map((test) => [test, test.duration ?? this.#guess(test)]))
    return sorted.toSorted((one, other) => expected.get(other) - expected.get(one))
  }

  #guess({ path, context }) {
    const place = slowest.indexOf(relative(context.config.rootDir, path))
    return place < 0 ? usualMs : slowMs - place
  }
}
