import type { Response } from 'express'

/** An answer that refuses a request, in Twilio's shape. */
export interface TwilioError {
  code: number
  message: string
  more_info: string
  status: number
}

/**
 * The errors that the stand-in gives, by Twilio's number.
 * @see https://www.twilio.com/docs/api/errors
 */
export const errors = {
  authenticate: () => twilioError(401, 20003, 'Authenticate'),
  notFound: (path: string) => twilioError(404, 20404, `The requested resource ${path} was not found`),
  tooManyRequests: () => twilioError(429, 20429, 'Too Many Requests'),
  unavailable: () => twilioError(503, 20503, 'Service is unavailable'),
  invalidTo: (to: string) => twilioError(400, 21211, `Invalid 'To' Phone Number: ${to}`),
  bodyRequired: () => twilioError(400, 21602, 'Message body is required.'),
  fromRequired: () => twilioError(400, 21603, "A 'From' phone number is required."),
  toRequired: () => twilioError(400, 21604, "A 'To' phone number is required."),
  invalidStatusCallback: () => twilioError(400, 21609, "The 'StatusCallback' URL is not a valid URL."),
  bodyTooLong: () => twilioError(400, 21617, 'The concatenated message body exceeds the 1600 character limit'),
  invalidValidityPeriod: () => twilioError(400, 90007, 'Invalid validity period value'),
}

/** Answers with an error; the SDK turns it into a RestException. */
export function sendError(res: Response, error: TwilioError, headers: Record<string, string> = {}): void {
  res.status(error.status).set(headers).json(error)
}

function twilioError(status: number, code: number, message: string): TwilioError {
  return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
}
