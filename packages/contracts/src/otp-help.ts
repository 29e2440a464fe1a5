import type { ErrorCode, ErrorHelp } from './errors.ts'

type OtpCode = Extract<ErrorCode, `otp_${string}`>

/** The help text of errors about one-time passwords. */
export const otpHelp: Readonly<Record<OtpCode, ErrorHelp>> = {
  otp_not_found: {
    meaning: 'The application has no one-time password with this transaction_id.',
    action: 'Use the transaction_id of the response to the send request, with a key of the same application and mode.',
  },
  otp_already_verified: {
    meaning: 'The one-time password was already verified.',
    action: 'Treat the user as verified once. Send a new code for a new verification.',
  },
  otp_expired: {
    meaning: 'The one-time password is older than its ttl_seconds.',
    action: 'Send a new code.',
  },
  otp_invalid_code: {
    meaning: 'The code is wrong.',
    action: 'Let the user try again; attempts_remaining counts the tries that are left.',
  },
  otp_rate_limited: {
    meaning:
      'Too many codes were requested for the recipient, the number range or the application, or the code was already sent again three times.',
    action: 'Wait for the seconds in the Retry-After header. Without this header, send a new code.',
  },
  otp_attempts_exceeded: {
    meaning: 'Five wrong codes were tried, and the one-time password is locked.',
    action: 'Send a new code.',
  },
}
