import type { ErrorCode, ErrorHelp } from './errors.ts'
import { limitHelp } from './limit-help.ts'
import { mailHelp } from './mail-help.ts'
import { otpHelp } from './otp-help.ts'
import { templateHelp } from './template-help.ts'
import { topicHelp } from './topic-help.ts'

/** The help of every error code, shown at `/docs/errors/{code}`. */
export const errorHelp: Readonly<Record<ErrorCode, ErrorHelp>> = {
  ...limitHelp,
  ...templateHelp,
  ...otpHelp,
  ...mailHelp,
  ...topicHelp,
  invalid_json: {
    meaning: 'The request body is not valid JSON in UTF-8.',
    action: 'Serialize the body with a JSON library and send it as UTF-8. The detail names the position of the fault.',
  },
  invalid_idempotency_key: {
    meaning: 'The Idempotency-Key header is empty, too long, or contains characters other than visible ASCII.',
    action: 'Send 1 to 255 visible ASCII characters, for example a UUID.',
  },
  invalid_header: {
    meaning: 'A request header has a value that the route does not accept.',
    action: 'Correct the header that the detail names.',
  },
  invalid_request_target: {
    meaning: 'The path or query of the request cannot be decoded.',
    action: 'Percent-encode the path and query as RFC 3986 requires.',
  },
  unexpected_body: {
    meaning: 'The request has a body, but the method takes none.',
    action: 'Send GET and DELETE requests without a body.',
  },
  unauthenticated: {
    meaning: 'The request has no credentials, or they are invalid, expired or revoked.',
    action: 'Send a valid API key or access token in the header Authorization: Bearer …',
  },
  permission_denied: {
    meaning: 'The caller is known but lacks the permission that the route requires.',
    action: 'Use a key or token with the permission that the detail names.',
  },
  invalid_signature: {
    meaning: 'The signature of a carrier callback does not match its content.',
    action:
      "Compare the provider's secret with the one shown in the carrier's console, and check that no proxy changes the URL or body.",
  },
  not_found: {
    meaning: 'The path is unknown, or the tenant has no resource with this id.',
    action: 'Check the path and the id. Resources of other tenants and of the other key mode are not visible.',
  },
  event_not_found: {
    meaning: 'The application has no published event with this event_key.',
    action: 'Check the event_key, and publish the event before sending.',
  },
  method_not_allowed: {
    meaning: 'The path exists but does not support this method.',
    action: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    meaning: 'The Accept header excludes the media type of the response.',
    action: 'Accept application/json, or text/event-stream for streams.',
  },
  request_timeout: {
    meaning: 'The request did not arrive completely in time.',
    action: 'Send the whole request without pauses; check the network between client and service.',
  },
  idempotency_conflict: {
    meaning: 'The Idempotency-Key was used for a request with another body.',
    action: 'Use a new key for each new request. Repeat a request with exactly the same body.',
  },
  idempotency_in_progress: {
    meaning: 'A request with the same Idempotency-Key is still being processed.',
    action: 'Wait a moment and repeat the request; the response is then that of the first one.',
  },
  provider_not_configured: {
    meaning: 'No provider of the tenant serves the channel of the request.',
    action: 'Configure a provider for the channel, for the tenant or for the application.',
  },
  whatsapp_recipient_stopped: {
    meaning: 'The recipient revoked the consent to WhatsApp messages after the evidence of the opt-in.',
    action: 'Record an opt-in with evidence that is newer than the revocation.',
  },
  edit_conflict: {
    meaning: 'The resource has changed since the state that the request is based on.',
    action: 'Read the resource again, apply the change to its new state, and repeat the request.',
  },
  event_exists: {
    meaning: 'The application already has an event with this event_key.',
    action: 'Change the existing event, or choose another event_key.',
  },
  event_not_published: {
    meaning: 'The event has no published version.',
    action: 'Publish the event first.',
  },
  provider_already_connected: {
    meaning: 'Another tenant has connected the account or phone number.',
    action: 'Use another one, or connect it a week after that tenant has deleted its provider.',
  },
  secret_of_carrier: {
    meaning: "The carrier issues the provider's secret, so the service cannot rotate it.",
    action: "Create the new secret in the carrier's console, then change the credentials of the provider.",
  },
  key_rotation_under_way: {
    meaning: 'The API key is one of the two keys of a rotation whose overlap has not ended.',
    action: 'Wait until the previous key ends, or revoke it. Then rotate the key that remains.',
  },
  key_not_active: {
    meaning: 'The API key is revoked, expired or already replaced.',
    action: 'Change or rotate an active key, or create a new one.',
  },
  not_cancellable: {
    meaning: 'The notification is no longer scheduled, or the retry job has ended.',
    action: 'Cancel only notifications in the state scheduled, and retry jobs in the state waiting or running.',
  },
  domain_exists: {
    meaning: 'The tenant already has this sending domain.',
    action: 'Use the existing domain; GET /api/v1/domains lists it.',
  },
  domain_taken: {
    meaning: 'Another tenant has verified this sending domain.',
    action: 'Use a subdomain, or ask the owner of the domain to delete it there.',
  },
  subscription_disabled: {
    meaning: 'The webhook subscription is disabled.',
    action: 'Enable the subscription before testing or replaying it.',
  },
  provider_in_use: {
    meaning: 'The provider was created for a webhook subscription and signs for it alone.',
    action: 'Delete the webhook subscription, which deletes the provider too.',
  },
  secret_of_provider: {
    meaning: 'The signing secret belongs to a provider that was configured separately.',
    action: 'Rotate the secret of that provider.',
  },
  not_replayable: {
    meaning: 'The delivery cannot be repeated in its current state.',
    action:
      'Wait until the delivery has finished. A delivery to a recipient that was erased, or has switched it off, is not replayed.',
  },
  not_retryable: {
    meaning: 'The notification did not fail, or it failed for a reason that a retry cannot change.',
    action: 'Read the item by its id, and retry it only if its field retryable is true.',
  },
  retry_in_progress: {
    meaning:
      'The notification was already retried. That retry is in progress, or its result is newer than the state that the request is based on.',
    action: 'Read the item again. Retry it once its retry_count has grown and it is retryable.',
  },
  payload_too_large: {
    meaning: 'The request body is larger than the route accepts.',
    action: 'Send a smaller body; large batches can be split.',
  },
  unsupported_media_type: {
    meaning: 'The body has a media type or content encoding that the route does not accept.',
    action: 'Send Content-Type: application/json without Content-Encoding.',
  },
  expectation_failed: {
    meaning: 'The Expect header contains something other than 100-continue.',
    action: 'Omit the Expect header.',
  },
  wrong_cell: {
    meaning: 'The tenant belongs to another installation. Nothing was done.',
    action: 'Send the request to the address in the Location header, and use that host from now on. The SDK does so.',
  },
  validation_failed: {
    meaning: 'A field or parameter of the request is missing, unknown or invalid.',
    action: 'Correct the fields that errors lists by path.',
  },
  invalid_recipient: {
    meaning: 'The recipient is not valid for the channel.',
    action: 'Send a phone number in E.164, an email address, a user id or an https URL, as the channel requires.',
  },
  channel_not_allowed: {
    meaning:
      'The event does not allow the channel or has no template for it, or the topic of the message or the event does not list it.',
    action: 'Choose one of the allowed_channels of the event and of the channels of the topic, or change these.',
  },
  destination_not_allowed: {
    meaning: 'The URL or host points to an address that the service must not call.',
    action: 'Use a public https address without credentials, on port 443; for a mail server, a public host name.',
  },
  list_not_found: {
    meaning: 'The application has no list with this id.',
    action: 'Check the list_id; GET /api/v1/lists shows the lists of the application and the key mode.',
  },
  broadcast_not_running: {
    meaning: 'The broadcast is in a state that does not allow the change; the detail names it.',
    action: 'GET /api/v1/broadcasts/{broadcast_id} shows the state. A cancelled or completed broadcast stays as it is.',
  },
  recipient_unknown: {
    meaning: 'The request names a user who does not exist, or who has no address of the channel.',
    action: 'Save the user with the address by PUT /api/v1/users/{user_id}, or name the address in the request.',
  },
  recipient_suppressed: {
    meaning: 'The recipient is suppressed after a bounce, complaint or STOP.',
    action: 'Do not send to this recipient. An operator can lift the suppression if it was a mistake.',
  },
  WHATSAPP_OPT_IN_REQUIRED: {
    meaning: 'The WhatsApp recipient has no opt_in_reference.',
    action: 'Send recipient.opt_in_reference, which names the evidence of consent in your records.',
  },
  whatsapp_opt_in_required: {
    meaning: 'The ledger has no active consent of this phone number.',
    action: 'Record the opt-in with POST /api/v1/whatsapp/opt-ins before sending.',
  },
  country_not_allowed: {
    meaning: 'The application does not send codes to the country of this number.',
    action: 'Allow the country in the settings of the application.',
  },
  rate_limited: {
    meaning: 'The key, the tenant, the user or the address exceeded its rate limit.',
    action:
      'Wait for the seconds in the Retry-After header, and spread the requests. The RateLimit header shows what is left.',
  },
  header_too_large: {
    meaning: 'The request headers are larger than the server accepts.',
    action: 'Send fewer or shorter headers.',
  },
  internal_error: {
    meaning: 'The service failed. The cause is in its log under the request_id.',
    action: 'Repeat the request with the same Idempotency-Key. If it fails again, report the request_id.',
  },
  transfer_coding_unknown: {
    meaning: 'The Transfer-Encoding header names a coding other than chunked.',
    action: 'Send the body with Content-Length or with Transfer-Encoding: chunked.',
  },
  service_unavailable: {
    meaning: 'A part of the service is overloaded or does not respond.',
    action: 'Wait for the seconds in the Retry-After header, then repeat the request with the same Idempotency-Key.',
  },
}
