import { kinds } from '@notify/carriers/kinds'
import {
  AttemptOutcome,
  Channel,
  DeliveryStatus,
  DomainStatus,
  type ErrorCode,
  errorCodes,
  Lane,
  ReceiptStatus,
} from '@notify/contracts'
import type { Metrics } from '@notify/service-kit'

const renderOutcomes = ['filled', 'refused', 'killed'] as const
const putBackCauses = ['circuit_open', 'rate_limit', 'no_connection', 'late', 'fault', 'quiet_hours'] as const
export type PutBackCause = (typeof putBackCauses)[number]
const endings = DeliveryStatus.extract(['delivered', 'undelivered', 'failed']).options
/** The labels of each kind of provider. */
const carriers = Object.entries(kinds).map(([kind, { channel }]) => ({ channel: [channel], kind: [kind] }))
const recoveryCauses = ['lease_expired', 'work_lost'] as const

/** How long a live notification took to a state that it has just reached; seconds, null for a state that it has not. */
export interface Latency {
  channel: Channel
  lane: Lane
  handed_over: number | null
  delivered: number | null
}

/** A live message whose end a receipt has reported. */
export interface Reported {
  channel: Channel
  kind: string
  status: DeliveryStatus
}

export type DispatchMetrics = ReturnType<typeof createMetrics>

/** The business counters of dispatch, one function each. */
export function createMetrics(metrics: Metrics) {
  const accepted = metrics.counter('notify_accepted_total', 'Notifications accepted, by channel and lane', {
    channel: Channel.options,
    lane: Lane.options,
  })
  const acceptBatch = metrics.histogram(
    'notify_accept_batch_size',
    'Requests committed in one statement',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  )
  const refused = metrics.counter('notify_refused_total', 'Requests refused within a successful call, by code', {
    code: Object.keys(errorCodes),
  })
  const attempts = metrics.counter(
    'notify_attempts_total',
    'Carrier attempts, by channel, kind of provider, mode and outcome',
    carriers.map((carrier) => ({ ...carrier, mode: ['live', 'test'], outcome: AttemptOutcome.options })),
  )
  const carrier = metrics.histogram(
    'notify_carrier_request_duration_seconds',
    'Time of a carrier call',
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  )
  const handOver = metrics.histogram(
    'notify_hand_over_duration_seconds',
    'Time from acceptance, or from send_at, until a carrier or service took the message',
    [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  )
  const delivery = metrics.histogram(
    'notify_delivery_duration_seconds',
    'Time from acceptance, or from send_at, until delivery was reported',
    [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400],
  )
  const receipts = metrics.counter(
    'notify_receipts_total',
    'Carrier receipts, also of test and foreign messages, by channel and status',
    {
      channel: Channel.options,
      status: ReceiptStatus.options,
    },
  )
  const reported = metrics.counter(
    'notify_reported_total',
    'Live messages whose end a receipt reported, by channel, kind of provider and status',
    carriers.map((carrier) => ({ ...carrier, status: endings })),
  )
  const recovered = metrics.counter(
    'notify_recovered_total',
    'Notifications requeued or corrected by the reconciler, by cause',
    {
      cause: recoveryCauses,
    },
  )
  const putBack = metrics.counter(
    'notify_put_back_total',
    'Messages requeued before a carrier was called, by channel and cause',
    { channel: Channel.options, cause: putBackCauses },
  )
  const renders = metrics.counter(
    'notify_template_renders_total',
    'Templates rendered in a worker thread, by outcome: filled, refused or killed',
    { outcome: renderOutcomes },
  )
  const domains = metrics.counter('notify_domain_checks_total', 'Checks of sending domains, by resulting status', {
    status: DomainStatus.options,
  })
  const identities = metrics.counter(
    'notify_domain_identities_total',
    'Sending domains registered with carriers, by result',
    { result: ['ok', 'failed'] },
  )
  const providersSkipped = metrics.counter(
    'notify_bootstrap_providers_skipped_total',
    'Providers of the bootstrap document that could not be loaded',
  )
  const receiptsAsked = metrics.counter(
    'notify_receipts_asked_total',
    'Attempts whose receipts were requested from callbacks',
  )
  const digestsClosed = metrics.counter('notify_digests_closed_total', 'Digests that were sent')
  const digestItems = metrics.counter('notify_digest_items_total', 'Items of digests that were closed')
  const deleted = metrics.counter('notify_deleted_total', 'Notifications deleted at the end of their retention')
  return {
    deleted: (count: number) => deleted({}, count),
    digestsClosed(digests: number, items: number) {
      digestsClosed({}, digests)
      digestItems({}, items)
    },
    receiptsAsked: (count: number) => receiptsAsked({}, count),
    accepted: (channel: string, lane: string) => accepted({ channel, lane }),
    acceptBatch: (size: number) => acceptBatch(size),
    refused: (code: ErrorCode) => refused({ code }),
    attempt: (channel: string, kind: string, mode: string, outcome: string) =>
      attempts({ channel, kind, mode, outcome }),
    carrierSeconds: (kind: string, mode: string, seconds: number) => carrier(seconds, { kind, mode }),
    /** Call it when the states are committed. */
    took(latencies: readonly Latency[]) {
      for (const { channel, lane, handed_over, delivered } of latencies) {
        if (handed_over !== null) handOver(handed_over, { channel, lane })
        if (delivered !== null) delivery(delivered, { channel, lane })
      }
    },
    receipt: (channel: string, status: string) => receipts({ channel, status }),
    /** Call it when the states are committed. */
    reported(ends: readonly Reported[]) {
      for (const { channel, kind, status } of ends) reported({ channel, kind, status })
    },
    render: (outcome: (typeof renderOutcomes)[number]) => renders({ outcome }),
    domainChecked: (status: DomainStatus) => domains({ status }),
    identitySynced: (result: 'ok' | 'failed') => identities({ result }),
    putBack: (channel: string, cause: PutBackCause) => putBack({ channel, cause }),
    providerSkipped: () => providersSkipped(),
    recovered: (cause: (typeof recoveryCauses)[number], count: number) => recovered({ cause }, count),
  }
}
