import type { Response } from 'express'

/** An answer that refuses a request, in the shape of SES: status, `x-amzn-ErrorType` and a message. */
export interface SesError {
  status: number
  type: string
  message: string
}

/**
 * The errors that the stand-in gives.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html
 */
export const errors = {
  missingAuthentication: () => sesError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token'),
  incompleteSignature: (message: string) => sesError(403, 'IncompleteSignatureException', message),
  invalidSignature: (message: string) => sesError(403, 'InvalidSignatureException', message),
  unrecognizedClient: () =>
    sesError(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
  notFound: (message: string) => sesError(404, 'NotFoundException', message),
  unknownOperation: () => sesError(404, 'UnknownOperationException', 'The requested operation is not recognized.'),
  serialization: (message: string) => sesError(400, 'SerializationException', message),
  badRequest: (message: string) => sesError(400, 'BadRequestException', message),
  alreadyExists: (message: string) => sesError(400, 'AlreadyExistsException', message),
  messageRejected: (message: string) => sesError(400, 'MessageRejected', message),
  mailFromNotVerified: (message: string) => sesError(400, 'MailFromDomainNotVerifiedException', message),
  tooManyRequests: () => sesError(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
  unavailable: () =>
    sesError(503, 'ServiceUnavailable', 'The request has failed due to a temporary failure of the server.'),
}

/** Answers with an error; the SDK throws an exception of its type. */
export function sendError(res: Response, error: SesError, headers: Record<string, string> = {}): void {
  res
    .status(error.status)
    .set({ ...headers, 'x-amzn-ErrorType': error.type })
    .json({ message: error.message })
}

function sesError(status: number, type: string, message: string): SesError {
  return { status, type, message }
}
