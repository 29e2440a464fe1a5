const unfitCodes = ['template_not_approved', 'domain_not_verified', 'text_too_long'] as const

/** Why a provider cannot send a message that another one can. */
export type UnfitCode = (typeof unfitCodes)[number]

/** SQL: whether an attempt ended without a call, because its provider cannot send the message. */
export const foundUnfit = (attempt: string) =>
  `${attempt}.provider_code in (${unfitCodes.map((code) => `'${code}'`).join(', ')})`
