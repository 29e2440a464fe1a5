import { type Channel, Lane } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { type Channels, handedOverChannels } from '../../channels/channel.ts'
import type { RecordReport } from './record-report.ts'

/** A context with the recorders of reports, by channels that other services deliver. */
export interface WithReportRecorders {
  recordReports: ReadonlyMap<Channel, RecordReport>
}

/** Consumes the reports on notifications that other services deliver. */
export function handOffConsumers(channels: Channels): ConsumerEntry<WithReportRecorders>[] {
  return handedOverChannels(channels).map(({ name, delivery }) =>
    consumer(delivery.report, {
      durable: `dispatch-report-${name}`,
      concurrency: 1024,
      retry: ['250ms', '1s', '5s', '15s'],
      handle: ({ recordReports }, report) => recordReports.get(name)!(report),
    }),
  )
}

/** A lane of a channel that another service delivers, and the durable by which that service consumes it. */
export interface HandOffLane {
  durable: string
  lane: Lane
  channel: Channel
}

/** The durables by which other services take their lanes. */
export function handOffLanes(channels: Channels): HandOffLane[] {
  return handedOverChannels(channels).flatMap(({ name: channel, delivery }) =>
    Lane.options.map((lane) => ({ durable: delivery.durableOf(lane), lane, channel })),
  )
}
