/**
 * Every error code of the API with its HTTP status and title. Codes named in the specification keep their exact
 * spelling.
 */
export const errorCodes = {
  invalid_json: { status: 400, title: 'Invalid JSON' },
  invalid_idempotency_key: { status: 400, title: 'Invalid Idempotency-Key' },
  invalid_header: { status: 400, title: 'Invalid header' },
  invalid_request_target: { status: 400, title: 'Invalid request target' },
  unexpected_body: { status: 400, title: 'Unexpected body' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  permission_denied: { status: 403, title: 'Permission denied' },
  invalid_signature: { status: 403, title: 'Invalid signature' },
  not_found: { status: 404, title: 'Not found' },
  event_not_found: { status: 404, title: 'Event not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'Not acceptable' },
  request_timeout: { status: 408, title: 'Request timeout' },
  idempotency_conflict: { status: 409, title: 'Idempotency conflict' },
  idempotency_in_progress: { status: 409, title: 'Request in progress' },
  provider_not_configured: { status: 409, title: 'No provider configured' },
  template_not_approved: { status: 409, title: 'Template not approved' },
  not_cancellable: { status: 409, title: 'Not cancellable' },
  domain_exists: { status: 409, title: 'Domain exists' },
  domain_taken: { status: 409, title: 'Domain taken' },
  domain_limit_reached: { status: 409, title: 'Domain limit reached' },
  not_retryable: { status: 409, title: 'Not retryable' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  validation_failed: { status: 422, title: 'Validation failed' },
  invalid_recipient: { status: 422, title: 'Invalid recipient' },
  channel_not_allowed: { status: 422, title: 'Channel not allowed' },
  recipient_suppressed: { status: 422, title: 'Recipient suppressed' },
  domain_not_verified: { status: 422, title: 'Domain not verified' },
  template_variable_missing: { status: 422, title: 'Template variable missing' },
  rate_limited: { status: 429, title: 'Rate limit exceeded' },
  header_too_large: { status: 431, title: 'Request header too large' },
  internal_error: { status: 500, title: 'Internal error' },
  transfer_coding_unknown: { status: 501, title: 'Unknown transfer coding' },
  service_unavailable: { status: 503, title: 'Service unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorCodes
