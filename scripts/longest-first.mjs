import { relative } from 'node:path'
import TestSequencer from '@jest/test-sequencer'

/** The slowest files, as a machine sees them that has no times of its own yet. */
const slowest = [
  'packages/console/tests/events',
  'tests/flows/silence',
  'tests/architecture/openapi-lint',
  'tests/flows/openapi-answers',
  'services/dispatch/tests/requests',
  'services/inbox-stream/tests/streams',
  'tests/flows/outages',
  'packages/database/tests/watch-stream',
  'services/gateway/tests/streams',
  'services/webhook-delivery/tests/kills',
  'services/otp/tests/crash',
  'packages/console/tests/session',
  'packages/database/tests/dead-letters',
  'tests/crash/power-cut',
  'packages/console/tests/account',
  'services/dispatch/tests/domains',
  'packages/database/tests/silence',
  'services/dispatch/tests/domain-identities',
  'services/inbox-stream/tests/inboxes',
  'tests/flows/restarts',
  'tests/deployment/monitoring',
  'services/otp/tests/postgres-faults',
  'packages/console/tests/applications',
  'services/otp/tests/send',
  'services/dispatch/tests/failover',
  'services/webhook-delivery/tests/webhooks',
  'packages/dev-env/tests/kept-processes',
  'packages/console/tests/activity-tools',
  'services/dispatch/tests/providers',
  'packages/dev-env/tests/start',
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
