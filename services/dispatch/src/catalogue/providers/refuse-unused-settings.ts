import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { defaultWeight, type ProviderState } from './write-provider.ts'

const message = 'cannot be set for this channel, which has no carrier'

interface Given {
  rate_limit_per_second?: number | null | undefined
  weight?: number | undefined
}

/**
 * Refuses a rate limit and a weight of a provider whose channel another service delivers: they would have no effect.
 * @throws Problem `validation_failed` naming each
 */
export function refuseUnusedSettings(
  { channels }: Pick<Context, 'channels'>,
  channel: ProviderState['channel'],
  { rate_limit_per_second = null, weight = defaultWeight }: Given,
): void {
  if (channels[channel]?.delivery.by !== 'hand-off') return
  const errors = [
    ...(rate_limit_per_second === null ? [] : [{ path: 'rate_limit_per_second', message }]),
    ...(weight === defaultWeight ? [] : [{ path: 'weight', message }]),
  ]
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${message}`, { errors })
}
