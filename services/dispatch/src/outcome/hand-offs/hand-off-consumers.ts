import { Lane } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { type Channels, handedOverChannels } from '../../channels/channel.ts'
import type { ConsumerContext } from '../../context.ts'
import type { HandOffLane } from '../../deliver/schedule/start-schedulers.ts'

/** Hears what became of the notifications that other services deliver. */
export function handOffConsumers(channels: Channels): ConsumerEntry<ConsumerContext>[] {
  return handedOverChannels(channels).map(({ name, delivery }) =>
    consumer(delivery.report, {
      durable: `dispatch-report-${name}`,
      concurrency: 256,
      retry: ['250ms', '1s', '5s', '15s'],
      handle: ({ recordReports }, report) => recordReports.get(name)!(report),
    }),
  )
}

/** The durables by which other services take their lanes. */
export function handOffLanes(channels: Channels): HandOffLane[] {
  return handedOverChannels(channels).flatMap(({ name: channel, delivery }) =>
    Lane.options.map((lane) => ({ durable: delivery.durableOf(lane), lane, channel })),
  )
}
