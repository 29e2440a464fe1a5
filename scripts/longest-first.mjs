import { relative } from 'node:path'
import TestSequencer from '@jest/test-sequencer'

/** The slowest files, as a machine sees them that has no times of its own yet. */
const slowest = [
  'tests/flows/silence',
  'tests/flows/new-channel',
  'tests/flows/outages',
  'packages/database/tests/dead-letters',
  'tests/flows/openapi-answers',
  'packages/dev-env/tests/start',
  'packages/console/tests/session',
  'tests/flows/pool-of-one',
  'tests/deployment/images',
  'packages/console/tests/events',
  'services/otp/tests/crash',
  'packages/console/tests/webhooks',
  'services/webhook-delivery/tests/long-lives',
  'packages/carrier-sandbox/tests/process',
  'packages/console/tests/applications',
  'services/inbox-stream/tests/inboxes',
  'tests/flows/after-restore',
  'packages/database/tests/watch-stream',
  'tests/deployment/compose-start',
  'packages/console/tests/activity-tools',
  'tests/flows/generated-attack/generated-attack',
  'services/webhook-delivery/tests/ask-dispatch',
  'services/dispatch/tests/commit-batch',
  'packages/database/tests/silence',
  'services/dispatch/tests/failover',
  'services/webhook-delivery/tests/webhooks',
  'services/otp/tests/postgres-faults',
  'services/dispatch/tests/hold-limit',
  'tests/deployment/operations',
  'services/gateway/tests/streams',
  'packages/demo-shop/tests/inbox-page',
  'services/callbacks/tests/whatsapp-updates',
  'services/webhook-delivery/tests/kills',
  'services/inbox-stream/tests/streams',
  'tests/flows/replicas',
  'packages/sdk/tests/real-stack',
  'tests/flows/restarts',
  'services/dispatch/tests/unknown-outcome',
  'services/dispatch/tests/requests',
  'tests/flows/clocks',
  'tests/flows/privacy',
  'packages/console/tests/domains-and-recipients',
  'services/dispatch/tests/fair-lanes',
  'packages/console/tests/activity',
  'services/callbacks/tests/sms-status',
  'tests/flows/whatsapp',
  'services/dispatch/tests/domain-identities',
  'services/dispatch/tests/events',
  'tests/deployment/monitoring',
  'packages/messaging/tests/provision',
  'packages/console/tests/account',
  'packages/database/tests/outbox-relay',
  'tests/crash/wiped-store',
  'services/gateway/tests/management',
  'services/gateway/tests/usage',
  'tests/crash/power-cut',
  'tests/architecture/openapi-lint',
  'services/gateway/tests/retries',
  'tests/deployment/run-command',
  'tests/flows/email',
  'services/gateway/tests/daylight-saving',
  'services/dispatch/tests/providers',
  'services/gateway/tests/gateway-alone',
  'packages/dev-env/tests/postgres',
].map((name) => `${name}.test.ts`)
const slowMs = 60_000
const usualMs = 5000
/** A file of at least this time mostly waits. */
const longMs = 10_000

/**
 * The longest files first, so that at the end of a run no processor waits for one that began late. Short ones, which
 * mostly work, run between them: several that wait at the same time would leave a processor idle.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    // By size where nothing else is known; it also notes the times of the last run.
    const sorted = [...super.sort(tests)]
    const expected = new Map(sorted.map((test) => [test, test.duration ?? this.#guess(test)]))
    const timeOf = (test) => expected.get(test)
    const ordered = sorted.toSorted((one, other) => timeOf(other) - timeOf(one))
    const long = ordered.filter((test) => timeOf(test) >= longMs)
    return mix(long, ordered.slice(long.length), timeOf)
  }

  #guess({ path, context }) {
    const place = slowest.indexOf(relative(context.config.rootDir, path))
    return place < 0 ? usualMs : slowMs - place * 750
  }
}

/** Both in their order, one's share of its time done being that of the other; a tenth of the short ones is left for the end. */
function mix(long, short, timeOf) {
  const sum = (tests) => tests.reduce((total, test) => total + timeOf(test), 0)
  const ratio = (0.9 * sum(short)) / sum(long)
  const left = [...short]
  let ahead = 0
  const mixed = long.flatMap((test) => {
    const between = []
    for (ahead += timeOf(test) * ratio; left.length > 0 && ahead > timeOf(left[0]); ahead -= timeOf(between.at(-1)))
      between.push(left.shift())
    return [test, ...between]
  })
  return [...mixed, ...left]
}
