import { createCodeTable } from '../code-table.ts'
import { accountDown, later, permanent, unknown } from '../verdict.ts'

/**
 * Names of the errors of the API.
 * @see https://resend.com/docs/api-reference/errors
 */
export const resendCodes = createCodeTable({
  validation_error: permanent(),
  missing_required_field: permanent(),
  invalid_parameter: permanent(),
  invalid_from_address: permanent('The sender address is invalid'),
  invalid_attachment: permanent('An attachment is invalid'),
  missing_api_key: accountDown('The API key is missing'),
  invalid_api_key: accountDown('The API key was refused'),
  restricted_api_key: accountDown('The API key may not do this'),
  invalid_access: accountDown('The account may not do this'),
  security_error: accountDown('Resend found a security issue with the request'),
  not_found: permanent('The endpoint does not exist'),
  method_not_allowed: permanent('The endpoint has no such method'),
  invalid_idempotency_key: permanent(),
  // An earlier attempt has the key, with other content: a copy was left out since.
  invalid_idempotent_request: unknown('Resend has an earlier attempt of the message; it may have been sent'),
  concurrent_idempotent_requests: later('Resend is working on an earlier attempt of the message'),
  rate_limit_exceeded: later('Too many requests'),
  daily_quota_exceeded: accountDown('The daily quota of the account is used up'),
  monthly_quota_exceeded: accountDown('The monthly quota of the account is used up'),
  application_error: unknown('Resend failed; it may have taken the message'),
  internal_server_error: unknown('Resend failed; it may have taken the message'),
})
