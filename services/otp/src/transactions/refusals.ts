import { Problem } from '@notify/service-kit'
import type { Standing } from './standing-store.ts'
import { mostAttempts } from './try-codes.ts'

/** The same problem for a missing transaction and for another application's. */
export function unknownTransaction(): Problem {
  return new Problem('otp_not_found', 'This application has no OTP transaction with this id')
}

/** @throws Problem with the reason why no further code of the transaction can be tried or sent */
export function requireOpen({ verified_at, is_expired, attempts }: Standing): void {
  if (verified_at) throw new Problem('otp_already_verified', 'This transaction has been verified')
  if (is_expired) throw new Problem('otp_expired', 'The code has expired; begin a new transaction')
  if (attempts >= mostAttempts) {
    throw new Problem('otp_attempts_exceeded', `${mostAttempts} wrong codes were tried; begin a new transaction`)
  }
}
