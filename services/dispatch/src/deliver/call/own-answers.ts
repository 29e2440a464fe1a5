import type { CarrierAnswer } from '@notify/carriers/sending'
import type { UnfitCode } from '../claim/found-unfit.ts'

/** All providers of the channel were removed after the message was accepted. */
export const noProvider: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'provider_not_configured',
  message: 'No provider is configured for this channel any more',
  providerMessageId: null,
  retryAfterMs: null,
}

/** All circuit breakers stayed open until HOLD_LIMIT. */
export const heldTooLong: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'provider_unavailable',
  message: 'No provider of this channel was available for too long',
  providerMessageId: null,
  retryAfterMs: null,
}

/** The stored message could not be read, or a dependency of its sending did not respond, until HOLD_LIMIT. */
export const notPrepared: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'internal_error',
  message: 'An internal error kept the message from being sent for too long',
  providerMessageId: null,
  retryAfterMs: null,
}

type Unfit = CarrierAnswer & { code: UnfitCode }

/** The provider cannot send with the template of the message now; another one may. */
export const templateNotApproved = (message: string): Unfit => ({
  outcome: 'rejected_retryable',
  code: 'template_not_approved',
  message,
  providerMessageId: null,
  retryAfterMs: null,
})

/** The sender's domain is no longer verified; the message can be retried once it is. */
export const senderUnverified: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'domain_not_verified',
  message: 'The domain of the sender is no longer verified',
  providerMessageId: null,
  retryAfterMs: null,
}

/** The carrier of the provider has not verified the domain of the sender; that of another one may have. */
export const senderUnverifiedThere: Unfit = {
  outcome: 'rejected_retryable',
  code: 'domain_not_verified',
  message: 'The carrier of the provider has not verified the domain of the sender',
  providerMessageId: null,
  retryAfterMs: null,
}

/** The carrier of the provider takes only shorter texts; that of another one may take it. */
export const textTooLong: Unfit = {
  outcome: 'rejected_retryable',
  code: 'text_too_long',
  message: 'The text is longer than the carrier of the provider takes',
  providerMessageId: null,
  retryAfterMs: null,
}
